"""The difference between a passage and its rewriting, in pieces that an author can accept or reject each. Pure.

Pieces of prose, not confetti: words that stay are no boundary unless at least two stand together and outweigh what
changes on either side; a sentence that is mostly new is one piece. All accepted give the rewriting, none the original.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from writer.editing.alignment import Run, runs, tokens
from writer.editing.change import Change
from writer.text.sentences import sentences

_APART = 2.0  # words that must stand between two pieces
_ENOUGH = 8.0  # words that part two pieces whatever their size
_Spans = tuple[int, int, int, int]  # [start, end) of the original, and of the rewriting
_Parts = Callable[[str], list[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Hunk:
    """`replacement` comes for the characters [start, end) of the original, which are `original`.

    `at` is where the replacement begins in the rewriting.
    """

    start: int
    end: int
    original: str
    replacement: str
    at: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Text to show, in order: of both, gone with a hunk, or come with it. `hunk` is its index; -1 where both agree."""

    kind: Literal["same", "removed", "inserted"]
    text: str
    hunk: int = -1


def hunks(original: str, rewriting: str) -> tuple[Hunk, ...]:
    """What has changed, from start to end. They never overlap; texts that are equal have none."""
    found: list[Hunk] = []
    for run in _grown(_joined(runs(original, rewriting)), original):
        for start, end, at, to in _split(run, original, rewriting):
            found += _trimmed(start, end, at, to, original, rewriting)
    return tuple(found)


def applied(original: str, found: Sequence[Hunk], accepted: Collection[int]) -> str:
    """The original with the hunks of these indices."""
    return "".join(piece.text for piece in pieces(original, found, accepted) if piece.kind != "removed")


def changes(found: Sequence[Hunk], accepted: Collection[int], *, at: int = 0) -> tuple[Change, ...]:
    """The same for an editor whose text holds the original at character `at`. Each holds after the ones before it."""
    made = []
    for index, hunk in enumerate(found):
        if index in accepted:
            made.append(Change(at + hunk.start, hunk.end - hunk.start, hunk.replacement))
            at += len(hunk.replacement) - (hunk.end - hunk.start)
    return tuple(made)


def pieces(original: str, found: Sequence[Hunk], shown: Collection[int] | None = None) -> Iterator[Piece]:
    """Both texts in one, as a page with corrections shows them. Hunks that are not `shown` stay as they were."""
    end = 0
    for index, hunk in enumerate(found):
        if shown is not None and index not in shown:
            continue
        if end < hunk.start:
            yield Piece("same", original[end : hunk.start])
        if hunk.original:
            yield Piece("removed", hunk.original, index)
        if hunk.replacement:
            yield Piece("inserted", hunk.replacement, index)
        end = hunk.end
    if end < len(original):
        yield Piece("same", original[end:])


def _joined(turns: Sequence[Run]) -> list[Run]:
    """The runs without those that are equal but too short to stand between two changes."""
    kept: list[Run] = []
    for run in turns:
        kept.append(run)
        while len(kept) > 2 and not kept[-1].equal and _too_short(kept[-2], kept[-3], kept[-1]):
            kept[-3:] = [_one(kept[-3:])]
    return kept


def _too_short(between: Run, before: Run, after: Run) -> bool:
    return between.weight < max(_APART, min(before.weight, after.weight, _ENOUGH))


def _one(parts: Sequence[Run]) -> Run:
    first, last = parts[0], parts[-1]
    return Run(False, first.start, last.end, first.at, last.to, sum(part.weight for part in parts))


def _grown(turns: Sequence[Run], original: str) -> list[Run]:
    """The changes alone; where most of a sentence is changed, all of it."""
    spans = sentences(original)
    starts = [start for start, _ in spans]
    words = tokens(original)
    places = [word.start for word in words]
    grown: list[Run] = []
    for index, run in enumerate(turns):
        if run.equal:
            continue
        before = turns[index - 1].end - turns[index - 1].start if index else 0
        after = turns[index + 1].end - turns[index + 1].start if index + 1 < len(turns) else 0
        left, right = _rest(run, original, spans, starts)
        around = [*words[bisect_right(places, run.start - left - 1) : bisect_right(places, run.start - 1)]]
        around += words[bisect_right(places, run.end - 1) : bisect_right(places, run.end + right - 1)]
        if left <= before and right <= after and sum(word.weight for word in around) < run.weight:
            run = Run(False, run.start - left, run.end + right, run.at - left, run.to + right, run.weight)
        if grown and run.start <= grown[-1].end:
            grown[-1] = _one([grown[-1], run])
        else:
            grown.append(run)
    return grown


def _rest(run: Run, original: str, spans: Sequence[tuple[int, int]], starts: Sequence[int]) -> tuple[int, int]:
    """How many characters of its first and of its last sentence lie before and behind it."""
    if not original or run.start == run.end:
        return 0, 0
    first = starts[bisect_right(starts, run.start) - 1]
    begin, end = spans[bisect_right(starts, run.end - 1) - 1]
    end = begin + len(original[begin:end].rstrip())
    return run.start - first, max(0, end - run.end)


def _split(run: Run, original: str, rewriting: str) -> list[_Spans]:
    """Paragraph by paragraph and those sentence by sentence, where both sides have as many."""
    spans = [(run.start, run.end, run.at, run.to)]
    for parts in (_paragraphs, sentences):
        spans = [part for whole in spans for part in _matched(whole, parts, original, rewriting)]
    return spans


def _matched(whole: _Spans, parts: _Parts, original: str, rewriting: str) -> list[_Spans]:
    start, end, at, to = whole
    left, right = parts(original[start:end]), parts(rewriting[at:to])
    if len(left) != len(right) or not left:
        return [whole]
    return [(start + i, start + k, at + j, at + m) for (i, k), (j, m) in zip(left, right, strict=True)]


def _paragraphs(text: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip() or not found:
            found.append((start, start + len(line)))
        else:
            found[-1] = (found[-1][0], start + len(line))
        start += len(line)
    return found


def _trimmed(start: int, end: int, at: int, to: int, original: str, rewriting: str) -> list[Hunk]:
    """The piece without the white space that both sides share at its ends; nothing if they are equal."""
    old, new = original[start:end], rewriting[at:to]
    if old == new:
        return []
    shortest = min(len(old), len(new))
    head = next((i for i in range(shortest) if old[i] != new[i] or not old[i].isspace()), shortest)
    most = shortest - head
    tail = next((i for i in range(most) if old[-1 - i] != new[-1 - i] or not old[-1 - i].isspace()), most)
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    return [Hunk(start + head, end - tail, old, new, at + head)]
