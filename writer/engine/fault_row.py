"""A row of the table of vLLM's last words (see fault_lines.py), and what follows by itself once a start has failed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Recovery(StrEnum):
    """What follows by itself once a start has failed. None of these is done twice in a row."""

    NONE = "none"  # the same would happen again
    AGAIN = "again"  # the same start once more: it may have been chance
    LOWER = "lower"  # wait for memory that others give back, then with a smaller share of the GPU
    FIT = "fit"  # with the window that the engine says will fit, from now on


@dataclass(frozen=True, slots=True)
class Row:
    """`kind` is "model" if another or a repaired model would help. Sentences may name groups of the pattern."""

    pattern: str
    kind: str
    recovery: Recovery
    what: str
    step: str
