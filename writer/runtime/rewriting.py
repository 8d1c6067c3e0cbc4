"""A rewriting from the author's request to what he is shown: the passage, the new text, and their difference. Pure.

The texts themselves are written beside the chapter (asides.py). Nothing here touches the chapter: the front end puts
what was accepted into it, as one step that can be undone, and tells the desk which text was chosen.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from writer.editing.hunks import Hunk, hunks
from writer.errors import NotResumable
from writer.generation.rewriting import Kind, Passage
from writer.generation.rewriting_answer import cleaned
from writer.generation.rewriting_insert import inserted
from writer.language import say
from writer.manuscript.edits import carried

REWRITE, INSERT = "rewrite", "insert"
"""Roles of generations; see generation.model."""
_MARKS = "marks"
_NEAR = 40  # characters on either side by which a passage is found again
_SIGN = 8  # hexadecimal digits


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    """What the author wants of [start, end) of a chapter's text as the editor has it; to INSERT, of the place `start`.

    `tag` comes back in the events. `marks` asks for fill-in-the-middle though the model has a chat template.
    """

    chapter: str
    text: str
    start: int
    end: int
    kind: Kind
    wish: str = ""
    count: int = 1
    tag: str = ""
    marks: bool = False

    @property
    def passage(self) -> Passage:
        """The selection with its surroundings."""
        return Passage.of(self.text, self.start, self.end)

    @property
    def role(self) -> str:
        """Of the generations that answer it."""
        return INSERT if self.kind is Kind.INSERT else REWRITE


@dataclass(frozen=True, slots=True)
class Task:
    """What is stored of a request with each generation, in the field `instruction`: it outlives the program."""

    kind: Kind
    wish: str = ""
    marks: bool = False  # the answer goes on in the text before the gap, so no blank comes between
    near: str = ""  # by what its passage is known again: see `signs`

    def stored(self) -> str:
        """Readable: "shorten", "tense: the past", "insert by marks @0123456789abcdef"."""
        head = f"{self.kind} by {_MARKS}" if self.marks else str(self.kind)
        head += f" @{self.near}" if self.near else ""
        return f"{head}: {self.wish}" if self.wish else head

    @classmethod
    def read(cls, stored: str) -> Task:
        """What `stored` gave. Raises NotResumable if it is no rewriting's."""
        head, _, wish = stored.partition(": ")
        head, _, near = head.partition(" @")
        kind, _, marks = head.partition(" by ")
        if kind not in set(Kind) or marks not in ("", _MARKS):
            raise NotResumable(say("This text is no rewriting. `writer takes` shows what it is."))
        return cls(Kind(kind), wish, bool(marks), near)


def signs(text: str, start: int, end: int) -> str:
    """By what a passage is known again in a text that was changed elsewhere: its surroundings' start, and all of it."""
    return _sign(_window(text, start, end)) + _sign(text[max(0, start - _NEAR) : end])


def place_of(near: str, text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where a passage stands that stood at [start, end) of a text with these signs; None if that is not certain."""
    if end <= len(text) and signs(text, start, end) == near:
        return start, end
    before, length = min(start, _NEAR), end - start
    ahead = min(length, _NEAR) or _NEAR
    found = [
        at
        for at in range(before, len(text) - length + 1)
        if _sign(text[at - before : at + ahead]) == near[:_SIGN]
        and _sign(text[at - before : at + length]) == near[_SIGN:]
    ]
    return (found[0], found[0] + length) if len(found) == 1 else None


def _window(text: str, start: int, end: int) -> str:
    return text[max(0, start - _NEAR) : start + (min(end - start, _NEAR) or _NEAR)]


def _sign(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_SIGN]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """An answer beside the passage that it is for: [start, end) of the chapter's text, which is `original`.

    `text` may be put there as a whole, or by hunks (editing/hunks.py). An insertion's original is "".
    """

    generation: str
    chapter: str
    start: int
    end: int
    original: str
    text: str
    hunks: tuple[Hunk, ...]
    kind: Kind
    complete: bool  # the model ended it by itself; else it was cut back to whole sentences
    sentence: str = ""
    """What the author must know: nothing was written that can be used, or it is not complete."""


@dataclass(frozen=True, slots=True)
class PassageRewritten:
    """An event: a rewriting, as far as it is written, beside the passage that it is for."""

    rewritten: Rewritten


@dataclass(frozen=True, slots=True)
class PassageRecalled:
    """An event: a rewriting of an earlier run, with what was wished, and all that was written of it as it came."""

    rewritten: Rewritten
    wish: str
    raw: str


@dataclass(frozen=True, slots=True)
class PassageLost:
    """An event: the passage of this rewriting is not there any more. Its text is kept."""

    generation: str


def rewritten(
    generation: str, chapter: str, passage: tuple[str, int, int], task: Task, answer: str, *, complete: bool
) -> Rewritten:
    """What a model answered, made into a passage. `passage` is the chapter's text as it was, and the place in it."""
    text, start, end = passage
    around = Passage.of(text, start, end)
    if task.kind is Kind.INSERT:
        new = inserted(answer, around, filled=task.marks, cut_short=not complete)
    else:
        new = cleaned(answer, around.text, before=around.before, after=around.after, cut_short=not complete)
    usable = bool(new.strip())
    if not usable:
        new = around.text
    sentence = _sentence(task.kind, around.text, new, usable=usable, complete=complete)
    found = hunks(around.text, new)
    return Rewritten(generation, chapter, start, end, around.text, new, found, task.kind, complete, sentence)


def carried_over(found: Rewritten, base: str, text: str) -> Rewritten | None:
    """The same for the chapter's text as it is now; `base` is the text that it was written for.

    None if the author has changed the passage meanwhile, or written on next to it: then it may not fit any more.
    """
    edits = carried([(found.start, found.end - found.start, found.text)], base, text)
    start = edits[0][0] if edits is not None else _found_again(found, base, text)
    return None if start is None else replace(found, start=start, end=start + len(found.original))


def _found_again(found: Rewritten, base: str, text: str) -> int | None:
    """Where it stands after changes on both sides: its neighbourhood is as it was, and the only one like it."""
    head = base[max(0, found.start - _NEAR) : found.start]
    nearby = head + base[found.start : found.end + _NEAR]
    return text.index(nearby) + len(head) if nearby.strip() and text.count(nearby) == 1 else None


def applied_to(text: str, found: Rewritten, new: str) -> str:
    """The chapter with `new` in place of the passage."""
    return text[: found.start] + new + text[found.end :]


def _sentence(kind: Kind, original: str, new: str, *, usable: bool, complete: bool) -> str:
    if not usable:
        return say("The model wrote nothing that can be used. Try again, or with another wish.")
    if new == original:
        return say("The model left the passage as it is. Try again, or with another wish.")
    if not complete:
        return say("The text is not complete: it stopped before its end. Try again, or take what is there.")
    return ""
