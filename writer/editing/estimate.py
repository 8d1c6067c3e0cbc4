"""How many rows a paragraph probably takes, from its length and a few of its characters. Never reads all of it."""

from __future__ import annotations

_SAMPLES = 16
_IS_WIDE = "\u2e7f".__lt__
_SLACK = 4  # cells of a row that a line of words leaves empty, on average


def rows(text: str, width: int) -> int:
    """Rows of the paragraph at this width in cells; at least 1."""
    length = len(text)
    if length * 2 <= width:
        return 1
    if text.isascii():
        if length <= width:
            return 1
        return -(-length // max(1, width - min(_SLACK, width // 8)))
    sample = text[:: length // _SAMPLES + 1]
    wide = sum(map(_IS_WIDE, sample))
    cells = length + length * wide // len(sample)
    slack = 1 if wide * 2 > len(sample) else min(_SLACK, width // 8)
    return max(1, -(-cells // max(1, width - slack)))
