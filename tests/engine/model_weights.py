"""A model folder that is whole as far as headers tell, in a few hundred bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path


def safetensors(size: int = 64) -> bytes:
    """A whole file of one tensor."""
    header = json.dumps({"a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(each % 251 for each in range(size))


def whole_model(folder: Path, config: Mapping[str, object], size: int = 64) -> Path:
    """Configuration, tokenizer and weights."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(safetensors(size))
    return folder
