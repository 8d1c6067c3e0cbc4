"""How text is drawn, changed in writer.toml by the app."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from writer.config import load
from writer.errors import ConfigError
from writer.manuscript.project import create
from writer.manuscript.writing_table import own_values, with_values, write_table

COMMENTED = """\
# The book of the harbour
title = "The Harbour"  # for now

[settings.writing]
# warmer than usual
temperature = 1.2  # mine
top_k = 40

[settings.editor]
width = 70
"""


def test_a_value_is_changed_and_every_comment_stays() -> None:
    changed = with_values(COMMENTED, {"temperature": 0.3, "stop": ("Mara", "\n\n")})
    assert changed.replace("0.3", "1.2").replace('stop = ["Mara", "\\n\\n"]\n', "") == COMMENTED
    assert own_values(tomllib.loads(changed)) == {"temperature": 0.3, "top_k": 40, "stop": ["Mara", "\n\n"]}


def test_a_chapter_has_a_table_of_its_own() -> None:
    path = "chapters/03-the-storm.md"
    changed = with_values(COMMENTED, {"temperature": 0.5}, path)
    assert own_values(tomllib.loads(changed), path) == {"temperature": 0.5}
    assert own_values(tomllib.loads(changed)) == {"temperature": 1.2, "top_k": 40}


def test_what_is_taken_out_is_no_longer_there_and_nothing_else_goes() -> None:
    changed = with_values(COMMENTED, {"top_k": None, "seed": None})
    assert changed == COMMENTED.replace("top_k = 40\n", "")
    assert with_values('title = "x"\n', {"seed": None}) == 'title = "x"\n'


@pytest.mark.parametrize(
    "text", ["", 'title = "x"', "settings.writing.top_k = 3\n", "settings = {writing = {top_k = 3}}\n"]
)
def test_every_way_to_write_the_table_can_be_changed(text: str) -> None:
    assert own_values(tomllib.loads(with_values(text, {"seed": 7})))["seed"] == 7


@pytest.mark.parametrize("text", ["settings = 3\n", "[settings]\nwriting = 3\n", "x = = 1\n"])
def test_a_file_that_is_wrong_is_told_and_not_changed(text: str) -> None:
    with pytest.raises(ConfigError) as told:
        with_values(text, {"seed": 7})
    assert "writer.toml" in told.value.sentence


def test_what_is_written_is_in_force_at_the_next_look(tmp_path: Path) -> None:
    manuscript = create(tmp_path / "novel", title="The Harbour")
    chapter = manuscript.chapters[0].path
    write_table(manuscript, {"temperature": 1.1, "banned": ("suddenly",)})
    write_table(manuscript, {"temperature": 0.4}, chapter)
    settings = load(tmp_path / "none.toml", manuscript.settings_file, {})
    assert (settings.writing.temperature, settings.writing.banned) == (1.1, ("suddenly",))
    assert settings.writing_of(chapter).temperature == 0.4
    assert settings.writing_of(chapter).banned == ("suddenly",)
