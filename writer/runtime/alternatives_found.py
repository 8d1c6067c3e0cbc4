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
    at: int  # -1 asks how sure the model was of all its tokens: ConfidenceFound
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


@dataclass(frozen=True, slots=True)
class ConfidenceFound:
    """An event: how likely the model itself found each token. `ends`: characters of the text once each is there."""

    tag: str
    generation: str
    ends: tuple[int, ...]
    probabilities: tuple[float, ...]


Alternatives = AlternativesFound | AlternativesRefused | ConfidenceFound
