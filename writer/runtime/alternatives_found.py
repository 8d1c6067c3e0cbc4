"""The alternatives of one word: the question, and its answers as events. Plain values."""

from __future__ import annotations

from dataclasses import dataclass

from writer.engine.base import Alternative


@dataclass(frozen=True, slots=True)
class WordAsked:
    """What might stand instead of the word at character `at` of a generation's own text."""

    tag: str
    chapter: str
    generation: str
    at: int
    count: int = 8


@dataclass(frozen=True, slots=True)
class AlternativesFound:
    """An event: likeliest first. The generation's first `tokens` tokens, `start` characters, stand before the word."""

    tag: str
    generation: str
    tokens: int
    start: int
    word: str
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class AlternativesRefused:
    """An event: it cannot be told, for this reason."""

    tag: str
    sentence: str


Alternatives = AlternativesFound | AlternativesRefused
