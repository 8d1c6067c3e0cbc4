"""Two texts that grew out of one, made one again, or not at all. Pure. [door: merge3]

Paragraphs are merged first; where both sides changed the same one, its words. What both sides changed is an overlap:
then there is no merge, and whoever asked keeps both texts.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from merge3 import Merge3

from writer.manuscript.edits import Edit, applied, in_turn

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_WIDE = "\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_WORD = re.compile(rf"\n|[^\S\n]*(?:[{_WIDE}]|[^\s{_WIDE}]+)|[^\S\n]+")
"""A word with the blanks before it, so that what is written on at an end changes no word that was there."""
_MOST_PAIRS = 2_000_000  # of equal pieces: more would be compared for minutes


@dataclass(frozen=True, slots=True)
class Merged:
    """Both sides' changes in one text."""

    text: str
    edits: tuple[Edit, ...]
    """What makes it out of our side."""
    fine: bool
    """Both sides changed words of one paragraph, so that as it stands now neither has written it."""


class _Overlap(Exception):
    """Both sides changed the same, or it cannot be told in reasonable time."""


def merge(base: str, ours: str, theirs: str, *, apart: bool = True) -> Merged | None:
    """What both sides made of `base`; None if they overlap. An emptied text overlaps with every other.

    Paragraphs that both sides added at one place come one after the other, unless they may have to do with each other
    (`apart` is false).
    """
    if base.strip() and ours.strip() and not theirs.strip():
        return None  # a file that is just being written is empty for a moment
    try:
        whole, fine = [], False
        for at, old, new, is_fine in _changes(base, ours, theirs, apart):
            whole.append((at, len(old), new))
            fine |= is_fine
    except _Overlap:
        return None
    edits = in_turn(whole)
    return Merged(applied(ours, edits), edits, fine)


def _changes(base: str, ours: str, theirs: str, apart: bool) -> Iterator[tuple[int, str, str, bool]]:
    """What to change in `ours`, in order: where, what goes, what comes, and whether words of both sides are mixed."""
    lines = [_LINE.findall(text) for text in (base, ours, theirs)]
    for at, was, mine, other in _differences(*lines):
        if mine == was:
            for place, old, new in _smallest(mine, other):
                yield at + place, old, new, False
        else:
            mixed = _mixed(was, mine, other)
            yield from ((at + place, old, new, mixed) for place, old, new in _by_word(was, mine, other, apart))


def _mixed(base: str, ours: str, theirs: str) -> bool:
    """Whether both sides changed the same line, or added some at the same place."""
    whole = {*_LINE.findall(ours), *_LINE.findall(theirs)}
    return base == "" or any(line not in whole for line in _LINE.findall(base))


def _by_word(base: str, ours: str, theirs: str, apart: bool) -> Iterator[tuple[int, str, str]]:
    words = [_WORD.findall(text) for text in (base, ours, theirs)]
    for at, was, mine, other in _differences(*words):
        if mine == was:
            yield at, mine, other
        elif was == "" and mine.startswith(other):
            continue  # it has had a part of ours in hand
        elif was == "" and apart and _apart(mine, other):
            yield at + len(mine), "", other  # one after the other
        else:
            raise _Overlap


def _apart(mine: str, other: str) -> bool:
    """Whether what both sides added at one place are paragraphs of their own, and none of them the same."""
    same = {line.strip() for line in mine.split("\n")} & {line.strip() for line in other.split("\n")}
    return (other.startswith("\n") or mine.endswith("\n")) and not same - {""}


def _differences(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[int, str, str, str]]:
    """Each place where their side differs from ours and changed something: its offset in ours, and the three texts."""
    at = iz = ia = ib = 0
    merger = Merge3(base, ours, theirs, sequence_matcher=_Matcher)
    for z, z_end, a, a_end, b, b_end in merger.find_sync_regions():
        was, mine, other = "".join(base[iz:z]), "".join(ours[ia:a]), "".join(theirs[ib:b])
        if other not in (was, mine):
            yield at, was, mine, other
        at += len(mine) + sum(map(len, ours[a:a_end]))
        iz, ia, ib = z_end, a_end, b_end


def _smallest(old: str, new: str) -> Iterator[tuple[int, str, str]]:
    """The same change word by word, so that places in the rest stay where they are."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    at = i = j = 0
    for start, other, length in _Matcher(None, before, after).get_matching_blocks():
        gone, come = "".join(before[i:start]), "".join(after[j:other])
        if gone != come:
            yield at, gone, come
        at += len(gone) + sum(map(len, before[start : start + length]))
        i, j = start + length, other + length


class _Matcher:
    """What difflib does, beyond what is equal at both ends. Raises _Overlap where that would take minutes."""

    def __init__(self, isjunk: None, a: Sequence[str], b: Sequence[str]) -> None:
        self._a, self._b = a, b

    def get_matching_blocks(self) -> list[tuple[int, int, int]]:
        a, b = self._a, self._b
        head = _common(a, b)
        tail = _common(a[head:][::-1], b[head:][::-1])
        inner, other = a[head : len(a) - tail], b[head : len(b) - tail]
        if _pairs(inner, other) > _MOST_PAIRS:
            raise _Overlap
        found = difflib.SequenceMatcher(None, inner, other).get_matching_blocks()
        middle = [
            (i + head, j + head, n) for i, j, n in found if "".join(inner[i : i + n]).strip()
        ]  # blanks tell nothing
        return [(0, 0, head), *middle, (len(a) - tail, len(b) - tail, tail), (len(a), len(b), 0)]


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    return next((n for n, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))


def _pairs(a: Sequence[str], b: Sequence[str]) -> int:
    """How many pairs of equal pieces difflib compares. Of a long text it leaves out the most frequent ones."""
    mine, other = Counter(a), Counter(b)
    most = len(b) // 100 + 1 if len(b) >= 200 else len(b)
    return sum(count * other[piece] for piece, count in mine.items() if other[piece] <= most)
