"""What a prompt is made of, before anybody knows whether it fits: pieces of text, each in chunks that are counted.

Pure. A chunk is what can be left out at the least; where chunks end depends only on the text before, so that a text
that grows keeps its chunks, and their counts can be remembered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from writer.language import say

CHUNK = 600
"""Characters of a chunk, about; a paragraph that is much longer is parted at a sentence or a space."""
_LONGEST = 1600
_SOFT_BREAK = re.compile(r"[.!?…。！？]+[\"'”’»)]*\s+|[。！？…]+[”’」』]?|\s+")


class Kind(StrEnum):
    """What a part of the prompt is, in the order in which they stand in it."""

    INSTRUCTIONS = "instructions"
    STYLE = "style"
    NOTE = "note"  # of every prompt
    OUTLINE = "outline"
    SUMMARIES = "summaries"
    SOURCE = "source"
    BEFORE = "before"  # the end of the chapter before
    CHAPTER = "chapter"  # which chapter is written
    TEXT = "text"  # the chapter so far
    MENTIONED = "mentioned"  # notes that the text or the request mentions
    REQUEST = "request"


class Changes(StrEnum):
    """How often a part changes. What changes seldom stands in front, so that the prefix cache keeps it."""

    WITH_THE_BOOK = "with the book"
    WITH_THE_CHAPTER = "with the chapter"
    AS_IT_GROWS = "as the text grows"
    EACH_REQUEST = "with each request"

    @property
    def words(self) -> str:
        """As the end of a sentence: "It changes with the book"."""
        return {
            "with the book": say("with the book"),
            "with the chapter": say("with the chapter"),
            "as the text grows": say("as the text grows"),
        }.get(self.value) or say("with each request")


ORDER = tuple(Kind)
CHANGES = {
    Kind.INSTRUCTIONS: Changes.WITH_THE_BOOK,
    Kind.STYLE: Changes.WITH_THE_BOOK,
    Kind.NOTE: Changes.WITH_THE_BOOK,
    Kind.OUTLINE: Changes.WITH_THE_CHAPTER,
    Kind.SUMMARIES: Changes.WITH_THE_CHAPTER,
    Kind.SOURCE: Changes.WITH_THE_BOOK,
    Kind.BEFORE: Changes.WITH_THE_CHAPTER,
    Kind.CHAPTER: Changes.WITH_THE_CHAPTER,
    Kind.TEXT: Changes.AS_IT_GROWS,
    Kind.MENTIONED: Changes.EACH_REQUEST,
    Kind.REQUEST: Changes.EACH_REQUEST,
}
PRIORITY = {
    Kind.REQUEST: 1000,
    Kind.CHAPTER: 1000,
    Kind.INSTRUCTIONS: 900,
    Kind.STYLE: 800,
    Kind.MENTIONED: 700,
    Kind.NOTE: 600,
    Kind.OUTLINE: 500,
    Kind.SUMMARIES: 400,
    Kind.BEFORE: 300,
    Kind.SOURCE: 200,
    Kind.TEXT: 0,  # it has a share of its own: see window.py
}
"""Where room is short, the lowest are left out first; a note's own priority (0 to 99) is added to its kind's."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One part as it could be sent. `chunks` join to its text, less the heading, which is always sent with it."""

    kind: Kind
    title: str
    heading: str  # "## Mara\n\n", or ""
    chunks: tuple[str, ...] = field(repr=False)
    priority: int
    ranks: tuple[int, ...] = ()
    """Which chunks are left out first: the lowest. Empty: the last ones."""
    unit: str = ""
    """What a chunk is called if each is a thing of its own: "summaries", "chapters of the outline"."""

    def rank(self, index: int) -> int:
        """The rank of a chunk."""
        return self.ranks[index] if self.ranks else -index


@dataclass(frozen=True, slots=True)
class Measured:
    """A piece with its tokens, chunk by chunk."""

    piece: Piece
    head: int  # tokens of the heading and of what stands between this part and the next
    tokens: tuple[int, ...]

    @property
    def total(self) -> int:
        """Tokens of the whole piece."""
        return self.head + sum(self.tokens)


def piece(kind: Kind, title: str, text: str, *, heading: str = "", extra: int = 0) -> Piece:
    """A piece of running text. `extra` (0 to 99) raises its priority among those of its kind."""
    return Piece(kind, title, heading, tuple(chunks(text)), PRIORITY[kind] + max(0, min(99, extra)))


def chunks(text: str) -> Iterator[str]:
    """The text in chunks of whole paragraphs that join to it again."""
    start = 0
    while start < len(text):
        end = _chunk_end(text, start)
        yield text[start:end]
        start = end


def _chunk_end(text: str, start: int) -> int:
    """Where the chunk ends: behind the first line break after its usual size, so that later text moves nothing."""
    if len(text) - start <= CHUNK:
        return len(text)
    end = text.find("\n", start + CHUNK, start + _LONGEST)
    if end >= 0:
        while end + 1 < len(text) and text[end + 1] == "\n":  # blank lines belong to what is above them
            end += 1
        return end + 1
    if len(text) - start <= _LONGEST:
        return len(text)
    soft = None
    for soft in _SOFT_BREAK.finditer(text, start + CHUNK, start + _LONGEST):  # noqa: B007  (the last one is wanted)
        pass
    return soft.end() if soft else start + _LONGEST


def countable(pieces: Sequence[Piece]) -> list[str]:
    """All that must be counted for these pieces: of each its heading, then its chunks but for those without bounds."""
    return [text for each in pieces for text in (each.heading, *each.chunks) if len(text) <= _LONGEST * 2]


def measured(pieces: Sequence[Piece], counts: Iterable[int]) -> tuple[Measured, ...]:
    """The pieces with their tokens, which are those of `countable(pieces)`. What was not counted is guessed, high."""
    known = iter(counts)

    def tokens(text: str) -> int:
        return next(known) if len(text) <= _LONGEST * 2 else len(text)

    return tuple(
        Measured(each, tokens(each.heading) + 1, tuple(tokens(text) for text in each.chunks)) for each in pieces
    )
