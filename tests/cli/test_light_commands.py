"""A command imports what it needs and no other command's things: a key on the tab is waited for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from writer.manuscript.project import create

CODE = """
import sys
from writer.cli.main import run_command_line
code = run_command_line(sys.argv[1:])
rooms = {".".join(name.split(".")[:2]) for name in sys.modules if name.startswith("writer.")}
print(code, *sorted(rooms & {"writer.runtime", "writer.storage", "writer.engine", "writer.generation", "writer.tui"}))
"""


@pytest.mark.parametrize("arguments", [["--version"], ["config", "show"], ["chapters", "list", "{novel}"]])
def test_what_only_looks_loads_nothing_that_writes(home: dict[str, str], tmp_path: Path, arguments: list[str]) -> None:
    create(tmp_path / "novel")
    words = [each.format(novel=tmp_path / "novel") for each in arguments]
    done = subprocess.run([sys.executable, "-c", CODE, *words], capture_output=True, text=True, env=home, check=True)
    assert done.stdout.splitlines()[-1] == "0"
