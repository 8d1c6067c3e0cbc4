"""The database library brings no more along than it needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
from writer.storage import library, state_file
print(*({"numpy", "pandas"} & set(sys.modules)))
import numpy
print(numpy.float32)
"""


def test_opening_a_state_loads_no_numpy_and_leaves_it_to_whoever_wants_it() -> None:
    pytest.importorskip("numpy")
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["", "<class 'numpy.float32'>"]
