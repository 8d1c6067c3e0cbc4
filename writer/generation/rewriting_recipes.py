"""An author's own prompt, written as a template, filled for a place in a chapter. Pure.

The placeholders are {selection}, {before} and {chapter}. Everything else in braces stays as it is.
"""

from __future__ import annotations

import re

from writer.errors import RequestRefused
from writer.generation.prompt import ChapterPrompt, ChatMessage
from writer.language import say

PLACEHOLDERS = ("selection", "before", "chapter")
_PLACE = re.compile(r"\{(selection|before|chapter)\}")
_BEFORE = 4000  # characters that {before} holds at most
_SYSTEM = (
    "You help the author of a book. Answer with what is asked for alone, without remarks about it, "
    "in the language of the author's text."
)


def fill(recipe: str, *, selection: str, before: str, chapter: str) -> ChapterPrompt:
    """The prompt of a recipe. `before` is the text before the selection, `chapter` the chapter's title.

    Raises RequestRefused if the recipe needs a selection and there is none. What is filled in is not read again, so
    braces in the author's text are only braces.
    """
    if not recipe.strip():
        raise RequestRefused(say("This recipe is empty. Write into its file what the model should do, then try again."))
    if "{selection}" in recipe and not selection.strip():
        raise RequestRefused(say("This recipe works on a selection. Select a passage, then try again."))
    values = {"selection": selection.strip(), "before": before[-_BEFORE:].strip(), "chapter": chapter}
    text = _PLACE.sub(lambda found: values[found.group(1)], recipe).strip()
    return ChapterPrompt((ChatMessage("system", _SYSTEM), ChatMessage("user", text)), "", f"{text}\n\n")
