"""Recipes: the author's own requests to the model, as Markdown files in prompts/.

A new manuscript comes with some, to be changed, copied or thrown away. In a recipe, {selection}, {before} and {chapter}
stand for the selected passage, the text before it and the chapter's title; all else is what the model is told.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from writer.errors import ManuscriptError
from writer.language import say
from writer.manuscript import material
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.front_matter import parted
from writer.manuscript.names import file_title
from writer.text.sanitise import one_line

FOLDER = "prompts"
MOST_BYTES = 64 * 1024
DEFAULTS: Mapping[str, str] = {
    "prompts/describe.md": say(
        """---
title: Describe
---

Describe what is meant here with the senses: what is seen, heard, smelt, felt. Three short paragraphs, each in another
way, to choose from. Keep the point of view, the tense and the tone of the text before it.

The text before it:
{before}

What is to be described:
{selection}
"""
    ),
    "prompts/dialogue.md": say(
        """---
title: Dialogue
---

Write the dialogue that belongs here, from the chapter "{chapter}". The speakers differ in how they speak, they do not
say what both know, and what matters stays between the lines. Keep the quotation marks and the tone of the text before.

The text before it:
{before}

What it is about:
{selection}
"""
    ),
    "prompts/brainstorm.md": say(
        """---
title: Brainstorm
---

Here is how the chapter "{chapter}" goes so far. Give ten ways in which it could go on, one line each, from the likely
one to the surprising one. None of them ends the story, and none needs a person who has not been named.

{before}
"""
    ),
}
"""What a new manuscript comes with, by path; also what there is where there is no folder prompts."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One request."""

    name: str
    """"describe", for prompts/describe.md."""
    title: str
    text: str
    """With its placeholders."""
    path: str

    @property
    def needs_selection(self) -> bool:
        """Whether a passage has to be selected for it."""
        return "{selection}" in self.text


def read_recipes(folder: Path) -> tuple[tuple[Recipe, ...], tuple[str, ...]]:
    """The recipes of the manuscript in `folder`, by name, and a sentence for each that could not be read."""
    if not (folder / FOLDER).exists():
        return tuple(sorted((_recipe(path, text) for path, text in DEFAULTS.items()), key=_name)), ()
    return material.each(folder, FOLDER, (".md",), partial(_read, folder), lambda recipe: len(recipe.text))


def named(recipes: Iterable[Recipe], name: str) -> Recipe:
    """The recipe of that name or title, whatever the case. Raises ManuscriptError."""
    known = tuple(recipes)
    for recipe in known:
        if name.casefold() in (recipe.name.casefold(), recipe.title.casefold()):
            return recipe
    names = ", ".join(one_line(recipe.name, 40) for recipe in known[:20]) or say("none")
    raise ManuscriptError(
        say(
            'There is no recipe "{name}"; there are: {names}. Choose one of them.', name=one_line(name, 40), names=names
        )
    )


def put_copies(folder: Path) -> list[str]:
    """Put those that come with writer into the manuscript's folder, where they are not there; the new ones' paths.

    What is there is never touched. Raises SaveFailed, ManuscriptError.
    """
    lacking = [path for path in DEFAULTS if not os.path.lexists(folder / path)]
    for path in lacking:
        ChapterFile(folder / path, root=folder).create(DEFAULTS[path])
    return lacking


def _read(folder: Path, path: str) -> Recipe:
    return _recipe(path, material.read_text(folder, path, MOST_BYTES))


def _recipe(path: str, text: str) -> Recipe:
    facts, body = parted(text, path)
    facts.only("title")
    name = PurePosixPath(path).relative_to(FOLDER).with_suffix("")
    return Recipe(str(name), facts.text("title") or file_title(name.name), body.strip(), path)


def _name(recipe: Recipe) -> str:
    return recipe.name
