"""The plugin's modules as vLLM finds them, with a stand-in for vLLM: importing all of it would cost ten seconds."""

from __future__ import annotations

import importlib
import sys
from enum import Enum, auto
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

PLUGIN = Path(__file__).parents[2] / "writer" / "engine" / "plugin"
_STUB = "vllm.v1.sample.logits_processor"


class Move(Enum):
    UNIDIRECTIONAL = auto()
    SWAP = auto()


@pytest.fixture(scope="session")
def writer_sampler() -> ModuleType:
    """The module that vLLM is given. The others of the plugin can be imported by name afterwards."""
    stub = ModuleType(_STUB)
    stub.LogitsProcessor = object  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("vllm", "vllm.v1", "vllm.v1.sample"):
            patch.setitem(sys.modules, name, ModuleType(name))
        patch.setitem(sys.modules, _STUB, stub)
        patch.syspath_prepend(str(PLUGIN))
        return importlib.import_module("writer_sampler")


def update(**changes: object) -> SimpleNamespace:
    """What vLLM tells of a batch that has changed."""
    return SimpleNamespace(**{"removed": [], "added": [], "moved": [], **changes})
