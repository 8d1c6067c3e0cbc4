"""Rows of a line that names keys: a key and its word stay in one row, however narrow the window is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rich.cells import cell_len
from textual.content import Content

SEPARATOR = " · "
KEYS = {
    "Enter": "enter",
    "Esc": "escape",
    "Escape": "escape",
    "Space": "space",
    "Tab": "tab",
    "PgUp": "pageup",
    "PgDn": "pagedown",
    "Home": "home",
    "End": "end",
    "left": "left",
    "right": "right",
    "up": "up",
    "down": "down",
}
"""How a key is named → the key."""
_PART = re.compile(r".+? ·(?: |$)|.+", re.DOTALL)
_KEY = rf"(?:(?:\b(?:{'|'.join(KEYS)})|^[a-z])\s+)?"  # it stays with what stands behind it
_WORDS = re.compile(rf"{_KEY}\S+\s*")  # of a sentence
_LEAST = re.compile(rf"{_KEY}(?:[!-\u2e7f]+|.)\s*", re.DOTALL)  # a word of letters, or one Chinese character


def is_sentence(text: str) -> bool:
    """Whether keys stand in a sentence, not in front of the words that belong to them."""
    return text.endswith((".", "。"))


def key_rows(text: str, width: int) -> list[tuple[int, int]]:
    """The rows that the line takes in so many cells, as [start, end) of its characters."""
    rows: list[tuple[int, int]] = []
    start = end = 0
    for first, last in _pieces(text, width):
        if cell_len(text[start:last].rstrip()) > width and end > start:
            rows.append((start, end))
            start = first
        end = last
    rows.append((start, end))
    return [(first, first + len(text[first:last].rstrip())) for first, last in rows]


def _pieces(text: str, width: int) -> Iterator[tuple[int, int]]:
    """What is not broken. Only what is wider than a whole row is, at its words or Chinese characters."""
    for found in (_WORDS if is_sentence(text) else _PART).finditer(text):
        if cell_len(found[0].rstrip()) <= width:
            yield found.span()
        else:
            for least in _LEAST.finditer(found[0]):
                yield found.start() + least.start(), found.start() + least.end()


class KeyRows(Content):
    """Such a line, which finds its rows by the width it is given."""

    def _folded(self, width: int) -> Content:
        return Content("\n").join(Content.assemble(self[start:end]) for start, end in key_rows(self.plain, width))

    def get_height(self, rules: Any, width: int) -> int:
        return self._folded(width).get_height(rules, width)

    def render_strips(self, width: int, *arguments: Any, **named: Any) -> Any:
        return self._folded(width).render_strips(width, *arguments, **named)
