"""What benches over a whole book share: a folder that goes with the process, and modules of the tests."""

from __future__ import annotations

import atexit
import importlib
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

_TESTS = Path(__file__).resolve().parents[2] / "tests"


@cache
def own_folder(bench: str) -> Path:
    """One of this bench for this process, at whose end it is taken away."""
    made = Path(tempfile.mkdtemp(prefix=f"bench-{bench}-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def helper(name: str) -> Any:
    """A module of the tests: the book that they use too."""
    for place in (_TESTS, _TESTS / "engine"):
        if str(place) not in sys.path:
            sys.path.append(str(place))
    return importlib.import_module(name)
