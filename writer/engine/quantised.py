"""Weights that were rounded to fewer bits: found in a model's configuration, named in plain words, refused in time.

Pure. What a GPU can do is told by its compute capability; the least that vLLM 0.26 to 0.33 ask for stands in the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from writer.engine.build import Build
from writer.engine.hardware import Gpu
from writer.errors import ModelUnusable
from writer.language import say
from writer.text.sanitise import one_line

_LEAST = {  # compute capability
    "awq": ("AWQ", (7, 5)),
    "gptq": ("GPTQ", (6, 0)),
    "fp8": ("FP8", (7, 5)),
    "fbgemm_fp8": ("FP8", (8, 0)),
    "compressed-tensors": ("compressed-tensors", (7, 0)),
    "bitsandbytes": ("bitsandbytes", (7, 0)),
    "mxfp4": ("MXFP4", (8, 0)),
    "nvfp4": ("NVFP4", (8, 0)),
}
_OTHER_NAMES = {
    "awq_marlin": "awq",
    "auto_awq": "awq",
    "gptq_marlin": "gptq",
    "auto_gptq": "gptq",
    "modelopt_fp4": "nvfp4",
    "gpt_oss_mxfp4": "mxfp4",
}
_NO_BITSANDBYTES = (0, 32)  # from then on vLLM reads it no more


@dataclass(frozen=True, slots=True)
class Quantised:
    """How the weights were rounded. `least` is the compute capability that they need; () if that is not known."""

    method: str  # as above, or the configuration's own word
    words: str  # "AWQ, 4 bits"
    least: tuple[int, ...] = ()


def found_in(config: Mapping[str, Any]) -> Quantised | None:
    """What config.json says of it; None for weights as they were trained."""
    table = _table(config)
    if table is None:
        return None
    said = str(table.get("quant_method") or table.get("quant_algo") or "").lower()
    method = _method(said, table)
    name, least = _LEAST.get(method, (one_line(said, 40) or say("an unknown method"), ()))
    bits = _bits(method, table)
    return Quantised(method, say("{name}, {bits} bits", name=name, bits=bits) if bits else name, least)


def _table(config: Mapping[str, Any]) -> Mapping[str, Any] | None:
    text = config.get("text_config")
    for part in (config, text if isinstance(text, Mapping) else {}):
        for key in ("quantization_config", "compression_config"):
            if isinstance(table := part.get(key), Mapping) and table:
                return table
    return None


def _method(said: str, table: Mapping[str, Any]) -> str:
    if said.startswith("modelopt") or "quant_algo" in table:
        algorithm = str(table.get("quant_algo") or said).lower()
        return "nvfp4" if "fp4" in algorithm else "fp8" if "fp8" in algorithm else said
    return _OTHER_NAMES.get(said, said)


def _bits(method: str, table: Mapping[str, Any]) -> int:
    if method in ("mxfp4", "nvfp4"):
        return 0  # their names say it
    for key in ("bits", "w_bit"):
        if isinstance(bits := table.get(key), int):
            return bits
    if method == "bitsandbytes":
        return 4 if table.get("load_in_4bit") else 8
    groups = table.get("config_groups")
    for group in groups.values() if isinstance(groups, Mapping) else ():
        weights = group.get("weights") if isinstance(group, Mapping) else None
        if isinstance(weights, Mapping) and isinstance(bits := weights.get("num_bits"), int):
            return bits
    return 0


def require_device(quantised: Quantised, build: Build, gpus: Sequence[Gpu]) -> None:
    """Raises ModelUnusable if these weights cannot be used here. GPUs whose capability is unknown are trusted."""
    if build.cpu_only:
        raise ModelUnusable(
            say(
                "The model's weights are quantised ({words}), which needs an NVIDIA GPU. Choose the same "
                "model without quantisation, or a smaller one, as engine.model in the settings.",
                words=quantised.words,
            )
        )
    if quantised.method == "bitsandbytes" and build.release >= _NO_BITSANDBYTES:
        raise ModelUnusable(
            say(
                "The model's weights are quantised with bitsandbytes, which vLLM {version} does not read any "
                "more. Choose the same model as AWQ, GPTQ or FP8.",
                version=build.version,
            )
        )
    for gpu in gpus:
        if gpu.capability and quantised.least and gpu.capability < quantised.least:
            raise ModelUnusable(
                say(
                    "The model's weights are quantised ({words}), which the {gpu} cannot calculate with: it "
                    "needs compute capability {least} and has {capability}. Choose the same model in another "
                    "form, GPTQ perhaps.",
                    words=quantised.words,
                    gpu=one_line(gpu.name),
                    least=_dotted(quantised.least),
                    capability=_dotted(gpu.capability),
                )
            )


def _dotted(capability: tuple[int, ...]) -> str:
    return ".".join(map(str, capability))
