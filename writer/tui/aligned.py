"""Columns of a row, in cells: a Chinese character takes two, so a format's own width would not align them."""

from __future__ import annotations

from rich.cells import cell_len


def padded(text: str, cells: int) -> str:
    """The text with spaces behind it, so many cells wide; wider text stays as it is."""
    return text + " " * (cells - cell_len(text))


def flush_right(text: str, cells: int) -> str:
    """The text with spaces before it, so many cells wide; wider text stays as it is."""
    return " " * (cells - cell_len(text)) + text
