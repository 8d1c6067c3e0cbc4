"""Texts that a chapter's file has held, and which of them another program has had in hand. Pure.

A program that does not look before it writes brings an old text back, with its own changes in it. Compared with the
text before its write, it takes out what was written meanwhile; compared with the one it had loaded, it does not.
"""

from __future__ import annotations

from writer.manuscript.edits import Edit, in_turn
from writer.manuscript.merge import merge

_ROOM = 8_000_000  # characters that are remembered of one chapter
_DETOUR = 1.3  # words that are in both by chance make the straight way shorter; beyond this it is no chance


class Ancestors:
    """What one chapter's file has held since it was opened: the newest texts, and ever fewer of the older ones."""

    def __init__(self, text: str) -> None:
        self._texts = [(0, text)]
        self._count = 0

    def add(self, text: str) -> None:
        """The file holds this now, or held it a moment ago."""
        if text == self._texts[-1][1]:
            return
        self._count += 1
        self._texts.append((self._count, text))
        first, *later = [(n, t) for n, t in self._texts if n % 2 ** max(0, (self._count - n).bit_length() - 2) == 0]
        size = len(first[1])
        kept: list[tuple[int, str]] = []
        for number, held in reversed(later):
            size += len(held)
            if size > _ROOM and kept:
                break
            kept.append((number, held))
        self._texts = [first, *reversed(kept)]

    def nearest(self, theirs: str) -> str | None:
        """The text out of which they have made theirs; None if it cannot be told.

        It is the newest, unless an older one is nearer, and the way from the newest to theirs leads through it: then
        theirs has nothing of what came between.
        """
        newest = self._texts[-1][1]
        way = nearest = _distance(newest, theirs)
        found, unsure = newest, False
        for _, text in reversed(self._texts[:-1]):
            there = _distance(text, theirs)
            if there < way and (detour := _distance(newest, text) + there) <= way * _DETOUR:
                if detour > way:
                    unsure = True
                elif there < nearest:
                    found, nearest = text, there
        return None if unsure and found == newest else found


def difference(old: str, new: str) -> tuple[Edit, ...]:
    """What makes the new text out of the old one."""
    merged = merge(old, old, new)
    return merged.edits if merged else in_turn([(0, len(old), new)])


def _distance(old: str, new: str) -> int:
    """Characters that go and come."""
    return sum(removed + len(inserted) for _, removed, inserted in difference(old, new))
