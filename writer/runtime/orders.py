"""What a front end asks of the writing thread. Plain values, handed over without waiting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from writer.generation.model import Sampling
from writer.generation.prompt import ChapterPrompt
from writer.manuscript.arrangement import Arrangement
from writer.manuscript.book import Book


@dataclass(frozen=True, slots=True)
class Span:
    """Where a generation's text stands in a chapter's text as the editor has it now. Offsets in characters."""

    generation: str
    start: int
    end: int  # where its next text belongs
    covered: int  # characters of the generation's own text that the editor has been given


@dataclass(frozen=True, slots=True)
class SaveOrder:
    """Write this text to the chapter's file. `serial` comes back with the answer."""

    chapter: str
    text: str
    serial: int
    spans: tuple[Span, ...] = ()
    merged: int = 0  # of the last ChapterMerged that was taken over into this text
    origins: str = ""  # who wrote what of it, as editing.provenance stores it; "" leaves what is known as it is


@dataclass(frozen=True, slots=True)
class DraftOrder:
    """Write on at the end of this chapter. The text is saved first.

    With a `parent` whose first `parent_tokens` tokens the text ends with, exactly these ids go on, and nothing is
    tokenised. `instead` names a generation that this one takes the place of: it is kept as a take.
    """

    chapter: str
    text: str
    instruction: str = ""
    merged: int = 0  # as in SaveOrder
    parent: str = ""
    parent_tokens: int = 0
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """A place in a text, by the characters before it. One inside a token moves back to where that begins."""

    characters: int
    standing: bool = False  # they stand in the chapter, right before the order's `start`: that moves back, too


@dataclass(frozen=True, slots=True)
class AsideOrder:
    """Write `count` texts at once beside the chapter: durable, and never in its file until the author chooses one.

    [start, end) is the passage of the chapter's `text` that they are meant for, in characters; a take stands at its
    end. The prompt is `prompt_ids`, or else `prompt` rendered, or else the one of a draft after text[:start]. With a
    `parent` it is the parent's prompt and its first `parent_tokens` ids, exactly, whatever else is given; `cut` says
    how many by characters.
    """

    tag: str  # the front end's own; comes back in AsideBegun
    chapter: str
    text: str
    start: int
    end: int
    role: str  # "take", "rewrite", "insert", "summary" or "idea"
    instruction: str = ""
    count: int = 1
    prompt: ChapterPrompt | None = None
    prompt_ids: tuple[int, ...] = ()
    parent: str = ""
    parent_tokens: int = 0
    cut: Cut | None = None
    sampling: Sampling | None = None  # of the first; the others' seeds follow from its seed
    opening: tuple[tuple[int, ...], str] | None = None  # ids that each text begins with, and what they show


@dataclass(frozen=True, slots=True)
class ResumeOrder:
    """Go on with a generation whose text stands at [start, end) of the chapter's text as the editor has it."""

    generation: str
    chapter: str
    text: str
    start: int
    end: int
    merged: int = 0  # as in SaveOrder


@dataclass(frozen=True, slots=True)
class ArrangeOrder:
    """Change chapters: what `plan` makes of the book as it lies on the disk then (see manuscript/chapter_plans).

    Save what is open first. ChaptersArranged answers, or ArrangeRefused.
    """

    tag: str  # the front end's own; comes back
    plan: Callable[[Book], Arrangement]
