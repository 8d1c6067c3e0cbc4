"""A front end in twenty lines of string, for random histories: types, streams, hands over, and takes over merges.

It does with ChapterMerged what a screen has to do. Every word that anyone inserts is used once, so that each can be
looked for: "a17" is the author's, "g17" the stream's, "t17" another program's.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field, replace

from writer.manuscript.edits import applied, carried, inside, moved
from writer.runtime.events import ChapterMerged
from writer.runtime.orders import SaveOrder, Span

WORD = re.compile(r"[abgt]\d+")
CHAPTER = "chapters/01.md"


def words(text: str) -> list[str]:
    """The words by which texts are followed."""
    return WORD.findall(text)


def edited(text: str, rnd: random.Random, new: str, spared: tuple[int, int] = (-1, -1)) -> tuple[int, int, str]:
    """A random change that brings the word `new`: a paragraph, a word in one, or a word or paragraph instead.

    What is taken out does not touch `spared`, and nothing comes inside of it.
    """
    places = [match.start() for match in re.finditer(r"\r?\n|\b(?=[abgt]\d)", text)] + [len(text)]
    places = [place for place in places if not spared[0] < place < spared[1]] or [len(text)]
    at = rnd.choice(places)
    kind = rnd.random()
    if kind < 0.35 or at == len(text):
        return at, 0, rnd.choice((f"\n\n{new}\n", f"\n{new}\n", f" {new} "))
    if kind < 0.6:
        return at, 0, f" {new} "
    line = next((match.start() for match in re.finditer(r"\r?\n", text[at:])), len(text) - at) + at
    word = WORD.match(text, at)
    end = word.end() if word and kind < 0.8 else line
    if spared[0] < end and at < spared[1]:
        return at, 0, f" {new} "
    return at, end - at, f" {new} "


@dataclass
class Window:
    """One chapter as a front end has it."""

    text: str
    rnd: random.Random
    chapter: str = CHAPTER
    span: Span | None = None
    generated: str = ""
    """The whole text of the running generation."""
    touched: bool = False
    """Someone changed what was generated."""
    merged: int = 0
    serial: int = 0
    heard: list[ChapterMerged] = field(default_factory=list)
    inserted: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)

    def type(self, new: str) -> None:
        """The author changes something, mostly not in what is being written."""
        span = self.span
        spared = (span.start, span.end) if span and self.rnd.random() < 0.9 else (-1, -1)
        at, removed, inserted = edited(self.text, self.rnd, new, spared)
        self.deleted |= set(words(self.text[at : at + removed]))
        self.inserted.add(new)
        self._change(((at, removed, inserted),))

    def begin(self, generation: str) -> None:
        """A generation begins, at the end as always."""
        self.span, self.generated, self.touched = Span(generation, len(self.text), len(self.text), 0), "", False

    def stream(self, new: str) -> None:
        """A batch of it comes."""
        if self.span is not None:
            end, batch = self.span.end, self.rnd.choice((f" {new}", f"\n\n{new}", f" {new}.\n"))
            self.inserted.add(new)
            self.generated += batch
            self.text = self.text[:end] + batch + self.text[end:]
            self.span = replace(self.span, end=end + len(batch), covered=len(self.generated))

    def order(self) -> SaveOrder:
        """What is handed over now."""
        self.serial += 1
        return SaveOrder(self.chapter, self.text, self.serial, (self.span,) if self.span else (), self.merged)

    def take_over(self) -> None:
        """Everything that was heard of merges meanwhile."""
        heard, self.heard = self.heard, []
        for event in heard:
            if event.onto == self.merged and (edits := carried(event.changes, event.base, self.text)) is not None:
                self._change(edits)
                self.merged = event.number

    def _change(self, edits: tuple[tuple[int, int, str], ...]) -> None:
        if self.span is not None:
            span = self.span
            self.touched |= inside(span.start, span.end, edits)
            start = moved(span.start, edits, pushed=span.start < span.end)
            self.span = replace(span, start=start, end=max(start, moved(span.end, edits)))
        self.text = applied(self.text, edits)
