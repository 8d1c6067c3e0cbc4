"""What the doctor says of the terminal, and what all findings have in common."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from writer.config import Settings
from writer.doctor import Finding, findings, terminal
from writer.manuscript.project import create


@pytest.mark.parametrize(
    ("environ", "state"),
    [
        ({"TERM": "xterm-256color"}, "ok"),
        ({"TERM": "xterm-kitty"}, "ok"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "ok"),
        ({"TERM": "linux"}, "warn"),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, "warn"),
        ({}, "warn"),
    ],
)
def test_what_the_terminal_can_draw(environ: dict[str, str], state: str) -> None:
    assert terminal.drawing(environ).state == state


@pytest.mark.parametrize(
    ("encoding", "state"), [("UTF-8", "ok"), ("utf8", "ok"), ("ANSI_X3.4-1968", "warn"), ("ISO-8859-1", "warn")]
)
def test_letters_need_utf8(encoding: str, state: str) -> None:
    found = terminal.letters({"LANG": "C"}, encoding)
    assert found.state == state
    assert bool(found.next_step) == (state == "warn")


def test_a_connection_is_only_warned_of_where_it_can_be_lost() -> None:
    over_ssh = {"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}
    assert terminal.connection({}, has_tmux=False).state == "ok"
    assert terminal.connection({**over_ssh, "TMUX": "/tmp/x"}, has_tmux=True).state == "ok"
    assert terminal.connection(over_ssh, has_tmux=True).next_step == "Open writer inside tmux."
    assert "Install tmux" in terminal.connection(over_ssh, has_tmux=False).next_step


@pytest.mark.parametrize(
    ("cells", "state"), [((60, 18), "ok"), ((200, 50), "ok"), ((59, 40), "warn"), ((80, 12), "warn")]
)
def test_a_window_that_is_too_small_is_told(cells: tuple[int, int], state: str) -> None:
    assert terminal.size(*cells).state == state


def test_every_finding_is_a_sentence_and_trouble_names_a_next_step(tmp_path: Path) -> None:
    found = findings(Settings(), os.environ, create(tmp_path / "novel", title="The Harbour"))
    assert {each.subject for each in found} >= {"Python", "Engine", "Keyring", "Export", "Manuscript", "Terminal"}
    assert [each for each in found if not _is_plain(each)] == []


def _is_plain(found: Finding) -> bool:
    return found.sentence.endswith(".") and bool(found.next_step) == (found.state != "ok")
