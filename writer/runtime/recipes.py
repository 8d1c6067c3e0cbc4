"""The author's own prompts as orders, and their answers as text to put behind the passage. Pure."""

from __future__ import annotations

from dataclasses import replace

from writer.editing.hunks import hunks
from writer.generation.rewriting import Kind
from writer.generation.rewriting_answer import cleaned
from writer.generation.rewriting_recipes import fill
from writer.language import say
from writer.manuscript.model import Chapter
from writer.manuscript.recipes import Recipe
from writer.runtime.orders import AsideOrder
from writer.runtime.rewriting import Rewritten

IDEA = "idea"
_NOTHING = say("The model wrote nothing that can be used. Ask it again.")
_CUT = say("The text is not complete: it stopped before its end. Ask again, or take what is there.")


def order_of(recipe: Recipe, chapter: Chapter, text: str, start: int, end: int) -> AsideOrder:
    """What the recipe asks of [start, end) of the chapter's text. Raises RequestRefused."""
    prompt = fill(recipe.text, selection=text[start:end], before=text[:start], chapter=chapter.title)
    return AsideOrder("", chapter.path, text, start, end, IDEA, recipe.title, prompt=prompt)


def asked(order: AsideOrder, tag: str, text: str, start: int, end: int) -> AsideOrder:
    """The same once more, for the chapter as it is now."""
    return replace(order, tag=tag, text=text, start=start, end=end)


def idea(generation: str, order: AsideOrder, base: str, end: int, raw: str, *, complete: bool) -> Rewritten:
    """An answer, as paragraphs of their own behind the passage that ends at `end` of the chapter's text."""
    text = cleaned(raw, cut_short=not complete).strip()
    if text:
        before, after = base[:end], base[end:]
        text = ("" if not before or before.endswith("\n") else "\n\n") + text
        text += "" if not after or after.startswith("\n") else "\n\n"
    sentence = _NOTHING if not text else "" if complete else _CUT
    found = hunks("", text)
    return Rewritten(generation, order.chapter, end, end, "", text, found, Kind.INSERT, complete, sentence)
