"""What is imported before the first frame: the screen, and what says which chapters there are. Never what writes.

Each module costs a part of the time for which an author looks at an empty terminal, and modules do not lie: where
times are measured (`scripts/bench startup`), a crowded machine measures itself.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conditions import wait_until
from pseudo_terminal import ROOT, Terminal

pytestmark = pytest.mark.terminal
# The writing thread is started behind the first frame.
OPENED = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from writer.runtime.thread import WritingThread
from writer.tui import __main__ as entry
def start(thread, notify):
    report = Path(sys.argv[2])
    report.with_suffix(".new").write_text(" ".join(sys.modules))
    os.replace(report.with_suffix(".new"), report)
    os._exit(0)
WritingThread.start = start
entry.main([sys.argv[1]])
"""
LEAST = "import sys; from textual.app import App; from textual.widgets import Static; print(*sys.modules)"
THREAD = {"writer.runtime.thread", "writer.runtime.file_marks"}
MOST = 95
"""Modules that the first frame may need beyond those of a Textual app of one line."""


@pytest.fixture
def loaded(terminals: list[Terminal], home: dict[str, str], manuscript: Path, tmp_path: Path) -> set[str]:
    """The modules that are loaded when the first frame of the real app has been painted."""
    report = tmp_path / "modules"
    environ = home | {"WRITER_ENGINE": "scripted"}
    terminals.append(Terminal([sys.executable, "-c", OPENED, str(manuscript), str(report)], environ))
    wait_until(report.exists, 60)
    return set(report.read_text().split())


def test_the_first_frame_waits_for_nothing_that_writes(loaded: set[str]) -> None:
    least = set(subprocess.run([sys.executable, "-c", LEAST], capture_output=True, text=True).stdout.split())
    more = loaded - least
    rooms = {name.split(".")[1] for name in more if name.startswith("writer.")}
    assert "tui" in rooms
    assert not rooms & {"engine", "generation", "storage", "editing", "exchange", "catalogue", "cli", "doctor"}
    assert {name for name in more if name.startswith("writer.runtime.")} <= {
        "writer.runtime.thread",
        "writer.runtime.file_marks",
    }
    foreign = {name.partition(".")[0] for name in more} - sys.stdlib_module_names
    assert foreign <= {"writer", "textual", "rich"}
    assert len(more) <= MOST, sorted(more)
