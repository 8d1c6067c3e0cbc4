"""Recipes: an author's own requests, as files; a new manuscript comes with some."""

from __future__ import annotations

from pathlib import Path

import pytest

from writer.errors import RequestRefused
from writer.generation.rewriting_recipes import fill
from writer.manuscript.model import Manuscript
from writer.manuscript.recipes import DEFAULTS, Recipe, read_recipes


def test_a_new_manuscript_comes_with_recipes(novel: Manuscript) -> None:
    found, sentences = read_recipes(novel.folder)
    assert sentences == ()
    assert [recipe.name for recipe in found] == ["brainstorm", "describe", "dialogue"]
    assert [recipe.needs_selection for recipe in found] == [False, True, True]
    assert all((novel.folder / path).read_text("utf-8") == text for path, text in DEFAULTS.items())


def test_a_manuscript_without_the_folder_has_them_all_the_same(tmp_path: Path, novel: Manuscript) -> None:
    assert read_recipes(tmp_path) == read_recipes(novel.folder)


def test_the_authors_changes_hold_and_what_is_gone_stays_gone(novel: Manuscript) -> None:
    for path in DEFAULTS:
        (novel.folder / path).unlink()
    (novel.folder / "prompts" / "storm.md").write_text("Let it rain on {selection}.")
    (novel.folder / "prompts" / "bad.md").write_text("---\ncolour: red\n---\n")
    found, (sentence,) = read_recipes(novel.folder)
    assert found == (Recipe("storm", "Storm", "Let it rain on {selection}.", "prompts/storm.md"),)
    assert sentence.startswith("prompts/bad.md, line 2")


@pytest.mark.parametrize("name", ["describe", "dialogue", "brainstorm"])
def test_each_recipe_is_filled(novel: Manuscript, name: str) -> None:
    (recipe,) = [one for one in read_recipes(novel.folder)[0] if one.name == name]
    prompt = fill(recipe.text, selection="the lamp", before="It was late.", chapter="Salt")
    (said,) = [message.content for message in prompt.messages if message.role == "user"]
    assert "It was late." in said
    assert "{" not in said
    if recipe.needs_selection:
        assert "the lamp" in said
        with pytest.raises(RequestRefused, match="selection"):
            fill(recipe.text, selection="", before="", chapter="")
