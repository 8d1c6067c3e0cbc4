"""Which passage of a chapter a command means: by its own words, or by lines. Pure."""

from __future__ import annotations

from writer.errors import ManuscriptError
from writer.language import say

Place = tuple[int, int]  # [start, end) in characters


def by_words(text: str, first: str, last: str) -> Place:
    """From the beginning of `first`, which stands there once, to the end of the next `last`."""
    start = _once(text, first)
    if not last:
        return start, start + len(first)
    end = text.find(last, start)
    if end < 0:
        raise ManuscriptError(
            say(
                "{last} does not stand behind {first} in this chapter. Check both.",
                last=_short(last),
                first=_short(first),
            )
        )
    return start, end + len(last)


def by_lines(text: str, lines: str) -> Place:
    """Lines "A:B", both included and counted from 1, or "A" alone. The last line break is not part of it."""
    first, _, last = lines.partition(":")
    last = last or first
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last) < len(starts)):
        raise ManuscriptError(
            say("Lines are given as A:B, from 1 to {starts} in this chapter. Check them.", starts=len(starts) - 1)
        )
    return starts[int(first) - 1], starts[int(last)] - 1


def _once(text: str, words: str) -> int:
    start = text.find(words)
    if start < 0:
        raise ManuscriptError(
            say("{words} does not stand in this chapter. Give words as they stand there.", words=_short(words))
        )
    if text.find(words, start + 1) >= 0:
        raise ManuscriptError(
            say("{words} stands in this chapter more than once. Give more words of the place.", words=_short(words))
        )
    return start


def _short(words: str) -> str:
    return repr(words if len(words) <= 40 else words[:39] + "…")
