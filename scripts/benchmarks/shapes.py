"""Model folders for measurements, made on the spot: a shape without weights, and other copies of the small model.

`python -m benchmarks.shapes 8b FOLDER` (or 70b): the configuration of a Llama of that size beside the small model's
tokenizer; weights are made up by vLLM (`--load-format dummy`). writer refuses what has no weights and starts vLLM
itself, so the folder also has a file of the weights' size, which is empty and takes no room, and `python`, which is a
Python that asks vLLM for made-up weights: use it as engine.python.

`python -m benchmarks.shapes fp8 FOLDER`: the small model with its linear layers in FP8. `even FOLDER`: the small model,
which has 9 heads, with 12 of them: it calculates as before, and can be divided among two GPUs. Beside both there is
`python`, which gives an engine a fixed memory for text: several then start on one GPU without measuring each other.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from writer import locations
from writer.engine import models

LLAMA_8B: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "hidden_act": "silu",
    "rms_norm_eps": 1e-5,
    "rope_theta": 500000.0,
    "max_position_embeddings": 131072,
    "initializer_range": 0.02,
    "tie_word_embeddings": False,
    "attention_bias": False,
    "mlp_bias": False,
    "torch_dtype": "bfloat16",
}
LLAMA_70B = LLAMA_8B | {
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
}
SHAPES = {"8b": LLAMA_8B, "70b": LLAMA_70B}
"""8.03 and 70.6 billion weights with their vocabulary of 128,256. Here it is the tokenizer's: all have a text."""
_OF_THE_MODEL = ("vocab_size", "bos_token_id", "eos_token_id", "pad_token_id")
_FIXED = """#!/bin/sh
case "$*" in *api_server*) set -- "$@" --kv-cache-memory-bytes 8G ;; esac
exec "{python}" "$@"
"""
_PYTHON = """#!/bin/sh
# {python}, but a model's weights are made up instead of loaded.
count=$#
for word; do
    [ "$word" = safetensors ] && word=dummy
    set -- "$@" "$word"
done
shift "$count"
exec "{python}" "$@"
"""


def shape(folder: Path, source: Path, kind: str = "8b") -> Path:
    """A folder of one of SHAPES with the tokenizer of `source`."""
    _copied(folder, source)
    theirs = json.loads((source / "config.json").read_text())
    config = SHAPES[kind] | {name: theirs[name] for name in _OF_THE_MODEL if name in theirs}
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    hollow_weights(folder / "model.safetensors", weights_of(config))
    return _launched(folder, _PYTHON)


def weights_of(config: Mapping[str, Any]) -> int:
    """Bytes of a Llama's weights in two bytes each, its vocabulary in and out included."""
    wide, deep = config["hidden_size"], config["num_hidden_layers"]
    keys = config["num_key_value_heads"] * config["head_dim"]
    layer = 2 * wide * wide + 2 * wide * keys + 3 * wide * config["intermediate_size"]
    return 2 * (deep * layer + 2 * config["vocab_size"] * wide)


def hollow_weights(file: Path, size: int) -> None:
    """A whole safetensors file of one tensor of so many bytes, of which none is on the disk."""
    head = json.dumps({"none": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    head += b" " * (-len(head) % 8)
    file.write_bytes(len(head).to_bytes(8, "little") + head)
    os.truncate(file, file.stat().st_size + size)


def fp8(folder: Path, source: Path) -> Path:
    """A copy of the model whose linear layers are in FP8, one scale for each; vLLM scales what flows in by itself."""
    import torch

    most = torch.finfo(torch.float8_e4m3fn).max

    def rounded(name: str, weight: Any) -> dict[str, Any]:
        if not (".layers." in name and name.endswith("proj.weight")):
            return {name: weight}
        scale = weight.abs().max().float() / most
        return {name: (weight.float() / scale).to(torch.float8_e4m3fn), f"{name}_scale": scale}

    how = {"quant_method": "fp8", "activation_scheme": "dynamic"}
    return _changed(folder, source, rounded, {"quantization_config": how})


def even(folder: Path, source: Path) -> Path:
    """A copy of the model with one more group of heads: of zeros, so that nothing comes of them."""
    import torch

    theirs = json.loads((source / "config.json").read_text())
    heads, groups = theirs["num_attention_heads"], theirs["num_key_value_heads"]
    sides = {"q_proj": 0, "k_proj": 0, "v_proj": 0, "o_proj": 1}

    def wider(name: str, weight: Any) -> dict[str, Any]:
        side = sides.get(name.split(".")[-2])
        if side is None:
            return {name: weight}
        size = list(weight.shape)
        size[side] //= groups
        return {name: torch.cat([weight, weight.new_zeros(size)], side)}

    wide = {"num_attention_heads": heads + heads // groups, "num_key_value_heads": groups + 1}
    size = {"head_dim": theirs.get("head_dim") or theirs["hidden_size"] // heads}
    return _changed(folder, source, wider, wide | size)


def _changed(
    folder: Path, source: Path, changed: Callable[[str, Any], dict[str, Any]], config: Mapping[str, Any]
) -> Path:
    """A copy of a model in bfloat16 whose weights this makes of the source's; what it makes in FP8 stays so."""
    import torch
    from safetensors.torch import load_file, save_file

    _copied(folder, source)
    weights: dict[str, Any] = {}
    for path in sorted(source.glob("*.safetensors")):
        for name, weight in load_file(path).items():
            weights |= changed(name, weight.to(torch.bfloat16))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    theirs = json.loads((source / "config.json").read_text())
    told = theirs | {"torch_dtype": "bfloat16", "dtype": "bfloat16"} | dict(config)
    (folder / "config.json").write_text(json.dumps(told, indent=1))
    return _launched(folder, _FIXED)


def _launched(folder: Path, script: str) -> Path:
    launcher = folder / "python"
    launcher.write_text(script.format(python=sys.executable))
    launcher.chmod(0o755)
    return folder


def _copied(folder: Path, source: Path) -> None:
    """What turns texts into tokens."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for path in source.iterdir():
        if path.name.startswith(("tokenizer", "chat_template", "special_tokens", "vocab", "merges")):
            shutil.copy(path, folder / path.name)


def gguf() -> Path | None:
    """The small model's file: that of its package, or the one that BENCH_GGUF names."""
    named = Path(os.environ.get("BENCH_GGUF", "/tmp/smollm2.gguf"))
    return models.default_model_source() or (named if named.is_file() else None)


def small_model() -> Path:
    """Its folder, made of the GGUF as writer does it, if need be."""
    target = locations.private(locations.data_dir() / "models") / models.DEFAULT_MODEL
    source = gguf()
    if source and not models.prepared(""):
        models.prepare(source, target, lambda line: None)
    return models.resolve("", lambda line: None)


_COPIES = {"fp8": fp8, "even": even}


def main(arguments: list[str]) -> None:
    """The small model is prepared first, if need be."""
    kind, folder = arguments
    if kind in _COPIES:
        _COPIES[kind](Path(folder), small_model())
    else:
        shape(Path(folder), small_model(), kind)


if __name__ == "__main__":
    main(sys.argv[1:])
