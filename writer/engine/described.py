"""What a model folder tells of itself: size, context, quantisation, licence, and what each token of text keeps.

Reads small files and sizes, never weights. What a configuration does not say is left out, not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from writer.catalogue.values import Weights
from writer.engine import appetite, quantised
from writer.engine.model_files import window_of
from writer.engine.weights import files, read_json
from writer.text.sanitise import one_line

_TYPES = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32"}
_LICENCE = re.compile(r"^license(?:_name)?:[ \t]*[\"']?([^\"'\n]+)", re.MULTILINE)
_HEAD = 20_000  # bytes of a README that are looked at


def describe(folder: Path) -> Weights:
    """Size and form of the weights in this folder. Raises ModelUnusable, OSError."""
    config = read_json(folder, "config.json")
    return describe_config(config, sum(path.stat().st_size for path in files(folder)))


def describe_config(config: Mapping[str, Any], size: int) -> Weights:
    """The same of a configuration, and weights of `size` bytes."""
    return Weights(size, quantisation(config), kv_values(config), window_of(config))


def quantisation(config: Mapping[str, Any]) -> str:
    """ "bf16", "fp8", "awq" and so on; "bf16" if the configuration does not say, as most models have it."""
    rounded = quantised.found_in(config)
    if rounded is not None:
        return one_line(rounded.method, 30) or "quantised"
    text = config.get("text_config")
    tables = (text if isinstance(text, Mapping) else {}, config)
    named = next((table[key] for table in tables for key in ("dtype", "torch_dtype") if table.get(key)), "")
    return _TYPES.get(str(named).removeprefix("torch."), "bf16")


def kv_values(config: Mapping[str, Any]) -> int:
    """Numbers that the attention keeps for each token; 0 if the configuration does not tell.

    Layers that look back a short way only are counted as all others: told high rather than low.
    """
    eats = appetite.of_model(config, 0)
    return eats.numbers_per_layer * (eats.layers + eats.near_layers)


def licence(folder: Path) -> str:
    """As the front matter of the folder's README tells it; "" if it does not."""
    try:
        with (folder / "README.md").open("rb") as file:
            head = file.read(_HEAD).decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        return ""
    front = re.match(r"---\n(.*?)\n---", head, re.DOTALL)
    found = _LICENCE.findall(front[1]) if front else []
    named = [one_line(each, 60).strip() for each in found]
    return next((each for each in named if each != "other"), "")
