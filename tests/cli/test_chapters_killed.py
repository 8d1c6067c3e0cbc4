"""`writer chapters` is killed before changes of files, among them those of the state: what was interrupted goes on."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from command_line import CommandLine

from writer.cli.main import run_command_line
from writer.manuscript import arranging, atomic
from writer.manuscript.arrangement import Arrangement, dumped
from writer.manuscript.project import open_manuscript

CHANGING = ("link", "unlink", "rename", "replace", "fsync", "mkdir")


def killed(words: list[object], at: int) -> bool:
    """Runs a command in a process that is killed before its change number `at`; whether it was."""
    pid = os.fork()
    if pid == 0:
        left = at

        def counted(really):  # type: ignore[no-untyped-def]
            def call(*arguments, **named):  # type: ignore[no-untyped-def]
                nonlocal left
                left -= 1
                if left < 0:
                    os._exit(9)
                return really(*arguments, **named)

            return call

        for name in CHANGING:
            setattr(os, name, counted(getattr(os, name)))
        atomic.exchange = counted(atomic.exchange)  # type: ignore[assignment]
        code = run_command_line([str(word) for word in words])
        sys.stdout.flush()
        os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert code in (0, 9)
    return code == 9


def book(folder: Path) -> list[str]:
    return [(folder / chapter.path).read_text("utf-8") for chapter in open_manuscript(folder).chapters]


class Trials:
    """A manuscript with an interrupted text in its second chapter, as often as it is needed."""

    def __init__(self, cli: CommandLine, novel: Path, kept: Path) -> None:
        self._cli = cli
        self.novel = novel
        self._places = ((novel, kept / "novel"), (Path(os.environ["XDG_STATE_HOME"]), kept / "state"))
        cli("chapters", "add", novel, "Salt", "--after", 0)
        self._drafted = cli("draft", novel, "--chapter", 2, "--max-tokens", 30, "--seed", 5, "--json").lines
        for place, copy in self._places:
            shutil.copytree(place, copy, symlinks=True)

    def wrong(self) -> str:
        """Goes on with the interrupted text: "" if it stands in the book once, from its first to its last token."""
        resumed = self._cli("resume", self.novel, "--json").lines
        if not resumed or resumed[0].get("resumed_from") != 30:
            return "it does not go on"
        whole = "".join(line["text"] for line in (*self._drafted[1:-1], *resumed[1:-1]))
        texts = [(self.novel / path).read_text("utf-8") for path in self.paths()]
        aside = list((self.novel / "chapters").glob("*(*"))
        return "" if "".join(texts).count(whole) == 1 and not aside else f"it stands elsewhere: {aside}"

    def paths(self) -> tuple[str, ...]:
        return tuple(chapter.path for chapter in open_manuscript(self.novel).chapters)

    def again(self) -> None:
        """Everything as it was."""
        for place, copy in self._places:
            shutil.rmtree(place)
            shutil.copytree(copy, place, symlinks=True)


def killed_everywhere(trials: Trials, command: str) -> tuple[list[str], set[tuple[str, ...]]]:
    """What was wrong after a kill before every second change, and the orders of chapters that were found."""
    words = {
        "rename": ["chapters", "rename", trials.novel, 2, "Water"],
        "merge": ["chapters", "merge", trials.novel, 1, 2],
    }
    wrong, outcomes = [], set()
    for at in range(0, 300, 2):
        if not killed(words[command], at):
            return wrong, outcomes
        wrong.append(trials.wrong())
        outcomes.add(trials.paths())
        trials.again()
    raise AssertionError("it never came to its end")


@pytest.fixture
def trials(cli: CommandLine, novel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trials:
    monkeypatch.setattr(os, "fsync", lambda fd: None)  # a kill takes nothing from what was written
    return Trials(cli, novel, tmp_path / "kept")


@pytest.mark.parametrize("command", ["rename", "merge"])
def test_an_interrupted_text_goes_on_after_a_kill_anywhere_in_a_change_of_its_chapter(
    trials: Trials, command: str
) -> None:
    wrong, outcomes = killed_everywhere(trials, command)
    assert len(wrong) > 10
    assert [one for one in wrong if one] == []
    assert len(outcomes) == 2  # all of the change, or none of it


def test_the_kills_find_a_plan_that_is_not_written_down(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arranging, "dumped", lambda plan: dumped(Arrangement(())))
    wrong, _ = killed_everywhere(trials, "rename")
    assert any(wrong)
