"""How many rows a paragraph probably takes, from its length and a few of its characters. Never reads all of it."""

from __future__ import annotations

_SAMPLES = 16
_NARROW = "\u2e7f"  # characters above it mostly take two cells
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
    share = _wide_share(text, length)
    slack = 1 if share > 0.5 else min(_SLACK, width // 8)
    return max(1, -(-int(length + length * share) // max(1, width - slack)))


def _wide_share(text: str, length: int) -> float:
    """How much of the text is two cells wide. Three characters that agree are enough; few texts mix their scripts."""
    wide = (text[length // 4] > _NARROW) + (text[length // 2] > _NARROW) + (text[length * 3 // 4] > _NARROW)
    if wide == 0 or wide == 3:
        return wide / 3
    sample = text[:: length // _SAMPLES + 1]
    return sum(map(_NARROW.__lt__, sample)) / len(sample)
