"""Answers to one wish of the author's: what is written of each, what it would change, what he takes of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from writer.editing.change import Change
from writer.editing.hunks import Hunk, changes, hunks
from writer.editing.provenance import changes_between
from writer.runtime.orders import AsideOrder
from writer.runtime.rewriting import Rewritten, carried_over


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for. `name` is shown. `order` is what an author's own prompt asks; else `kind` is a Kind."""

    name: str
    kind: str = ""
    words: str = ""
    order: AsideOrder | None = None


@dataclass(slots=True)
class Answer:
    """One answer to it, for [start, end) of the chapter's text `base`."""

    tag: str
    base: str = field(repr=False)
    start: int
    end: int
    order: AsideOrder | None = None
    """What an author's own prompt asks; None of a rewriting."""
    generation: str = ""
    raw: str = field(default="", repr=False)
    ended: bool = False
    sentence: str = ""
    """What the author must know of it."""
    found: Rewritten | None = None
    rejected: set[int] = field(default_factory=set)
    hunk: int = 0
    """The one under the cursor."""
    unwanted: bool = False
    """The author has left it: it stops as soon as it has begun, and stays among the takes."""

    @property
    def original(self) -> str:
        """The passage as it was asked for, or as it is now if the author has changed it."""
        return self.found.original if self.found else self.base[self.start : self.end]

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """What it would change; nothing is known before it has ended."""
        return self.found.hunks if self.found else ()

    @property
    def usable(self) -> bool:
        """Whether there is something to take."""
        return self.ended and bool(self.hunks)

    @property
    def stopped(self) -> bool:
        """Whether it stopped before its end, so that it can go on."""
        return self.ended and bool(self.generation) and self.found is not None and not self.found.complete

    @property
    def accepted(self) -> frozenset[int]:
        """The hunks that are taken."""
        return frozenset(range(len(self.hunks))) - self.rejected

    def step(self, forward: bool) -> None:
        """To the next hunk, or the one before; round at the ends."""
        if self.hunks:
            self.hunk = (self.hunk + (1 if forward else -1)) % len(self.hunks)

    def turn(self) -> None:
        """Reject the hunk under the cursor, or take it after all."""
        if self.hunks:
            self.rejected ^= {self.hunk}

    def came(self, found: Rewritten) -> None:
        """It has ended, and is known as a passage."""
        self.found, self.sentence = found, found.sentence
        self.rejected, self.hunk = set(), 0

    def edits(self) -> tuple[Change, ...]:
        """What is taken, as changes of the chapter's text for which it is `found`."""
        return changes(self.hunks, self.accepted, at=self.found.start) if self.found else ()


@dataclass(slots=True)
class Answers:
    """All answers to one wish, in one chapter. The author goes through them."""

    chapter: str
    wish: Wish
    all: list[Answer] = field(default_factory=list)
    at: int = -1

    @property
    def shown(self) -> Answer:
        """The one that is looked at."""
        return self.all[self.at]

    def add(self, answer: Answer) -> None:
        """One more, which is shown."""
        self.all.append(answer)
        self.at = len(self.all) - 1

    def step(self, forward: bool) -> None:
        """To the next answer, or the one before; not beyond the ends."""
        self.at = min(max(0, self.at + (1 if forward else -1)), len(self.all) - 1)

    def of(self, generation: str) -> Answer | None:
        """The answer that is this generation."""
        return next((each for each in self.all if generation and each.generation == generation), None)

    def tagged(self, tag: str) -> Answer | None:
        """The answer that was ordered with this tag."""
        return next((each for each in self.all if each.tag == tag), None)


def placed(found: Rewritten, base: str, text: str) -> tuple[Rewritten, bool]:
    """The answer for the chapter's text as it is now, and whether the passage itself was changed meanwhile.

    Then its place is followed word by word, and the difference is made anew. May take tenths of a second.
    """
    if base == text:
        return found, False
    kept = carried_over(found, base, text)
    if kept is not None:
        return kept, False
    start, end = followed(base, text, found.start, found.end)
    original = text[start:end]
    return replace(found, start=start, end=end, original=original, hunks=hunks(original, found.text)), True


def followed(base: str, text: str, start: int, end: int) -> tuple[int, int]:
    """Where [start, end) of a text stands in what has become of it."""
    made: Sequence[Change] = changes_between(base, text)
    for change in made:
        start, end = change.moved(start), change.moved(end, pushed=start < end)
    return start, max(start, end)
