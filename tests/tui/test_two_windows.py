"""Real apps on one manuscript, each in a terminal: the second takes over, the first saves and reads on."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from conditions import wait_until
from pseudo_terminal import Terminal

from writer import locations
from writer.manuscript.project import open_manuscript

pytestmark = pytest.mark.terminal


def window(terminals: list[Terminal], home: dict[str, str], folder: Path) -> Terminal:
    terminals.append(Terminal([sys.executable, "-m", "writer", str(folder)], home | {"WRITER_ENGINE": "scripted"}))
    return terminals[-1]


def test_a_second_window_takes_over_and_the_first_one_reads_what_it_writes(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    chapter = next(manuscript.glob("chapters/*.md"))
    first = window(terminals, home, manuscript)
    first.shows("Write on")
    first.shows("saved")
    first.child.send("unsaved words ")
    second = window(terminals, home, manuscript)
    second.shows("another window")
    first.child.send("of the first")
    second.child.send("\x1b[C")
    second.child.send("\r")
    second.shows("Write on")
    first.shows("Only reading")
    assert chapter.read_text() == "unsaved words of the first"
    second.shows("saved")
    second.child.send("\x1b[1;5F")  # ctrl+end
    second.child.send(", then of the second")
    wait_until(lambda: chapter.read_text() == "unsaved words of the first, then of the second", 20)
    first.child.send("lost?")
    second.child.send("\x11")
    wait_until(lambda: second.read() and not second.child.isalive(), 20, what="the second window's end")
    first.child.send("\x11")
    wait_until(lambda: first.read() and not first.child.isalive(), 20, what="the first window's end")
    assert chapter.read_text() == "unsaved words of the first, then of the second"
    assert first.child.exitstatus == second.child.exitstatus == 0


def test_a_state_that_cannot_be_written_leaves_the_chapters_to_be_read(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    chapter = next(manuscript.glob("chapters/*.md"))
    chapter.write_text("Words of before.")
    state = locations.state_dir(open_manuscript(manuscript).id)
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    with closing(sqlite3.connect(state / "state.db")) as newer:
        newer.execute("PRAGMA user_version=99")
    reader = window(terminals, home, manuscript)
    reader.shows("Words of before.")
    reader.shows("Only reading: nothing can be written")
    reader.child.send("lost?")
    reader.child.send("\x11")
    wait_until(lambda: reader.read() and not reader.child.isalive(), 20, what="its end")
    assert chapter.read_text() == "Words of before."
    assert reader.child.exitstatus == 1
    assert b"newer" in reader.seen.rpartition(b"\x1b[?1049l")[2]  # why, once the screen is gone


def test_the_size_is_that_of_the_terminal_whatever_a_shell_exports(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    terminal = window(terminals, home | {"COLUMNS": "40", "LINES": "10"}, manuscript)
    terminal.shows("saved")
    terminal.shows("\x1b[24;")  # the last of its rows is painted
