"""Texts that a chapter's file has held, and which of them another program has had in hand. Pure.

A program that does not look before it writes brings an old text back, with its own changes in it. Compared with the
text before its write, it takes out what was written meanwhile; compared with the one it had loaded, it does not.
"""

from __future__ import annotations

from collections import deque

from writer.manuscript.edits import Edit, in_turn, region
from writer.manuscript.merge import merge

_ROOM = 8_000_000  # characters that are remembered of one chapter, beside its newest text and its first
_TELLING = 8  # characters that are in two texts by no chance
_DETOUR = 1.3  # words that are in both by chance make the straight way shorter; beyond this it is no chance


class Ancestors:
    """What one chapter's file has held since it was opened, one text after the other, as the steps between them."""

    def __init__(self, text: str) -> None:
        self._first = self._newest = text
        self._steps: deque[tuple[int, str, str]] = deque()  # where, what went, what came
        self._size = 0

    def add(self, text: str) -> None:
        """The file holds this now, or held it a moment ago."""
        if text == self._newest:
            return
        at, end, now = region(self._newest, text)
        self._steps.append((at, self._newest[at:end], text[at:now]))
        self._newest = text
        self._size += end - at + now - at
        while self._size > _ROOM:
            _, gone, come = self._steps.popleft()
            self._size -= len(gone) + len(come)

    def nearest(self, theirs: str) -> str | None:
        """The text out of which they have made theirs; None if it cannot be told.

        It is the newest, unless an older one is nearer, and the way from the newest to theirs leads through it: then
        theirs has nothing of what came between.
        """
        older = self._known_to(theirs)
        way, there = _distance(self._newest, theirs), _distance(older, theirs)
        detour = _distance(self._newest, older) + there
        if there >= way or detour > way * _DETOUR:
            return self._newest
        return older if detour == way else None

    def _known_to(self, theirs: str) -> str:
        """The newest text that brought something which is in theirs; the first if there is none."""
        text = self._newest
        for at, gone, come in reversed(self._steps):
            if any(line.strip() in theirs for line in come.split("\n") if len(line.strip()) >= _TELLING):
                return text
            text = text[:at] + gone + text[at + len(come) :]
        return self._first


def difference(old: str, new: str) -> tuple[Edit, ...]:
    """What makes the new text out of the old one."""
    merged = merge(old, old, new)
    return merged.edits if merged else in_turn([(0, len(old), new)])


def _distance(old: str, new: str) -> int:
    """Characters that go and come."""
    return sum(removed + len(inserted) for _, removed, inserted in difference(old, new))
