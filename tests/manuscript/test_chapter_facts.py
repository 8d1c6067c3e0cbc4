"""What writer.toml says of single chapters is checked where it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from writer.errors import ConfigError
from writer.manuscript.chapter_facts import ChapterFacts, day_goal, read_facts


def said(folder: Path, text: str) -> Path:
    (folder / "writer.toml").write_text(text, "utf-8")
    return folder


def test_facts_are_read_by_the_simplest_form_of_the_path(tmp_path: Path) -> None:
    folder = said(tmp_path, '[chapter."./chapters//01.md"]\nstatus = "done"\ngoal = 5\n[goals]\nday = 7\n')
    assert read_facts(folder) == {"chapters/01.md": ChapterFacts("done", "", 5)}
    assert day_goal(folder) == 7


def test_nothing_may_be_said(tmp_path: Path) -> None:
    assert (read_facts(said(tmp_path, "")), day_goal(tmp_path)) == ({}, 0)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("chapter = 3", "must be a table"),
        ("[chapter]\na = 3", "must be a table"),
        ('[chapter."a.md"]\nstatus = "perfect"', "idea, draft, revised, done"),
        ('[chapter."a.md"]\nstatus = ["draft"]', "idea, draft, revised, done"),
        ('[chapter."a.md"]\npart = 3', "text in quotes"),
        ('[chapter."a.md"]\ngoal = -1', "whole number"),
        ('[chapter."a.md"]\ngoal = true', "whole number"),
        ('[chapter."a.md"]\ncolour = "red"', "colour"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, match: str) -> None:
    with pytest.raises(ConfigError, match=match):
        read_facts(said(tmp_path, text))


@pytest.mark.parametrize("text", ["goals = 3", "[goals]\nday = 1.5", "[goals]\nday = -3"])
def test_a_wrong_goal_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError):
        day_goal(said(tmp_path, text))
