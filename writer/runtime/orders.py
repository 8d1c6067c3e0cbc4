"""What a front end asks of the writing thread. Plain values, handed over without waiting."""

from __future__ import annotations

from dataclasses import dataclass


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


@dataclass(frozen=True, slots=True)
class DraftOrder:
    """Write on at the end of this chapter. The text is saved first."""

    chapter: str
    text: str
    instruction: str = ""
    merged: int = 0  # as in SaveOrder


@dataclass(frozen=True, slots=True)
class ResumeOrder:
    """Go on with a generation whose text stands at [start, end) of the chapter's text as the editor has it."""

    generation: str
    chapter: str
    text: str
    start: int
    end: int
    merged: int = 0  # as in SaveOrder
