"""The models that the benches make: shapes without weights, and copies of the small model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.shapes import SHAPES, even, fp8, shape, weights_of
from model_folders import model_folder

from writer.engine import models, weights

ROOT = Path(__file__).resolve().parents[2]
COMPARED = """
import sys, torch
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM
folder, job = sys.argv[1:]
if job == "make":
    torch.manual_seed(1)
    made = LlamaConfig(vocab_size=300, hidden_size=36, intermediate_size=24, num_hidden_layers=2, head_dim=4,
                       num_attention_heads=9, num_key_value_heads=3, tie_word_embeddings=True)
    LlamaForCausalLM(made).to(torch.bfloat16).save_pretrained(folder + "/small")
else:
    ids = torch.tensor([[5, 9, 200, 31, 7]])
    of = [AutoModelForCausalLM.from_pretrained(f"{folder}/{name}", dtype=torch.float32) for name in ("small", "even")]
    assert of[1].model.layers[0].self_attn.q_proj.weight.shape == (48, 36), of[1]
    first, second = (model(ids).logits for model in of)
    assert first.std() > 0.01
    print(float((first - second).abs().max()))
"""


def python(*arguments: str) -> str:
    """What a Python with the engine's search path says; it hides what breaks a CPU build of torch."""
    search = os.pathsep.join([str(ROOT / "writer/engine/plugin/site"), str(ROOT)])
    environ = os.environ | {"PYTHONPATH": search, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, *arguments], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of 9 heads with random weights."""
    place = tmp_path_factory.mktemp("shapes")
    python("-c", COMPARED, str(place), "make")
    folder = place / "small"
    (folder / "tokenizer.json").write_text("{}")
    return folder


def test_with_more_heads_a_model_calculates_as_before(small: Path) -> None:
    made = even(small.parent / "even", small)
    config = json.loads((made / "config.json").read_text())
    assert (config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]) == (12, 4, 4)
    assert (made / "tokenizer.json").exists()
    assert float(python("-c", COMPARED, str(small.parent), "compare")) < 1e-5


def test_in_fp8_only_the_layers_are_rounded_and_each_has_its_scale(small: Path) -> None:
    from safetensors.torch import load_file

    made = fp8(small.parent / "fp8", small)
    before, weights = load_file(small / "model.safetensors"), load_file(made / "model.safetensors")
    name = "model.layers.0.mlp.up_proj.weight"
    back = weights[name].float() * weights[f"{name}_scale"]
    assert str(weights[name].dtype) == "torch.float8_e4m3fn"
    assert 0 < float((back - before[name].float()).abs().max()) < 0.07 * float(before[name].abs().max())
    assert str(weights["model.norm.weight"].dtype) == "torch.bfloat16"
    assert json.loads((made / "config.json").read_text())["quantization_config"]["quant_method"] == "fp8"


def said_by(launcher: Path, *words: str) -> list[str]:
    code = "import sys; print(sys.argv[1:])"
    done = subprocess.run([launcher, "-c", code, *words], capture_output=True, text=True, check=True)
    found: list[str] = json.loads(done.stdout.replace("'", '"'))
    return found


def test_the_python_beside_a_copy_gives_an_engine_a_fixed_memory_and_nothing_to_others(small: Path) -> None:
    launcher = even(small.parent / "even", small) / "python"
    assert said_by(launcher, "api_server", "--x") == ["api_server", "--x", "--kv-cache-memory-bytes", "8G"]
    assert said_by(launcher, "--version") == ["--version"]


def test_a_shape_is_a_whole_model_folder_and_its_python_asks_for_made_up_weights(tmp_path: Path) -> None:
    source = model_folder(tmp_path / "small", "smollm2")
    (source / "config.json").write_text('{"vocab_size": 300}')
    folder = shape(tmp_path / "8b", source)
    models.check(folder)
    assert models.window(folder) == 131072
    config = json.loads((folder / "config.json").read_text())
    assert config["vocab_size"] == 300
    assert round(weights.size(folder) / 1e9, 1) == round((8.03 - 2 * 4096 * (128_256 - 300) / 1e9) * 2, 1)
    assert (folder / "model.safetensors").stat().st_blocks * 512 < 1e6  # it takes no room
    assert round(weights_of(SHAPES["70b"] | {"vocab_size": 128_256}) / 2e9, 1) == 70.6
    assert said_by(folder / "python", "--load-format", "safetensors", "a b") == ["--load-format", "dummy", "a b"]
