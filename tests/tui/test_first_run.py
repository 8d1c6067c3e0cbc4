"""Who is here for the first time: nobody who has settings, a state, an engine by name, or has been welcomed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect
import pytest
from conditions import wait_until
from pseudo_terminal import Terminal

from writer import locations
from writer.tui import __main__ as entry
from writer.tui import first_run


def test_someone_new_is_welcomed_once() -> None:
    assert first_run.is_first({})
    first_run.remember()
    assert not first_run.is_first({})


@pytest.mark.parametrize("name", ["WRITER_NO_WELCOME", "WRITER_ENGINE", "WRITER_MODEL", "CI"])
def test_scripts_and_tests_meet_no_guide(name: str) -> None:
    assert not first_run.is_first({name: "1"})
    assert first_run.is_first({name: ""})


def test_settings_are_no_first_time() -> None:
    locations.config_file().parent.mkdir(parents=True)
    locations.config_file().write_text("")
    assert not first_run.is_first({})


def test_a_manuscript_that_was_open_is_no_first_time_and_logs_are_nothing() -> None:
    locations.log_dir().joinpath("commands.log").touch()
    assert first_run.is_first({})
    locations.state_dir("an-id").joinpath("state.db").touch()
    assert not first_run.is_first({})


def test_who_quits_or_is_killed_among_the_first_steps_sees_them_again() -> None:
    first_run.begin()
    locations.state_dir("an-id").joinpath("state.db").touch()
    locations.config_file().parent.mkdir(parents=True)
    locations.config_file().write_text("")  # a model was chosen
    assert first_run.is_first({})
    first_run.remember()
    assert not first_run.is_first({})


def test_a_place_that_cannot_be_written_is_told_by_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null/none")
    assert not first_run.is_first({})
    first_run.begin()
    first_run.remember()


@pytest.mark.parametrize(
    ("arguments", "environ", "welcomes"),
    [
        (["novel"], {}, True),
        (["novel"], {"WRITER_NO_WELCOME": "1"}, False),
        (["--welcome", "novel"], {"WRITER_NO_WELCOME": "1"}, True),
    ],
)
def test_the_app_welcomes_by_itself_or_when_it_is_asked(
    arguments: list[str], environ: dict[str, str], welcomes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[bool] = []

    def opened(folder: Path) -> tuple[str]:
        locations.state_dir("an-id").joinpath("state.db").touch()  # as opening does
        return (str(folder),)

    monkeypatch.setattr(entry, "_opened", opened)
    monkeypatch.setattr(entry, "run", lambda folder, *, welcomes: shown.append(welcomes) or 0)
    monkeypatch.setattr(os, "environ", environ | {name: os.environ[name] for name in os.environ if "XDG" in name})
    assert entry.main(arguments) == 0
    assert shown == [welcomes]
    assert (locations.state_dir("") / first_run.BEGUN).exists() == (not environ)


@pytest.mark.terminal
def test_the_first_steps_are_asked_for_skipped_and_remembered(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    command = [sys.executable, "-m", "writer", str(manuscript), "--welcome"]
    terminals.append(Terminal(command, home | {"WRITER_ENGINE": "scripted"}))
    terminal = terminals[-1]
    terminal.shows("First steps")
    terminal.child.send("\x1b")
    wait_until((locations.state_dir("") / first_run.MARK).exists, 20)
    terminal.child.send("\x11")
    terminal.child.expect(pexpect.EOF)
    assert terminal.child.wait() == 0
