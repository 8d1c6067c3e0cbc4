"""The texts of a chapter as a tree: what was continued from what, and which one was chosen. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from writer.generation.model import Generation, State
from writer.text.count import words

CHOSEN = "chosen"
"""The finish reason of a text beside a chapter that the author has taken into it."""


@dataclass(frozen=True, slots=True)
class Take:
    """One text of a chapter, in it or beside it."""

    generation: str
    chapter: str
    role: str
    state: State
    reason: str | None  # its finish reason; "chosen", "kept" and "discarded" are the author's
    parent: str
    parent_tokens: int
    depth: int  # in the tree; 0 for a root
    place: tuple[int, int]
    instruction: str
    created: float  # UTC seconds
    tokens: int
    words: int
    text: str = field(repr=False)

    @property
    def chosen(self) -> bool:
        """Whether the author has taken it into the chapter."""
        return self.reason == CHOSEN

    @property
    def inside(self) -> bool:
        """Whether it was written into the chapter and has not been taken out."""
        return self.role == "text" or self.chosen


def tree(chapter: str, found: Iterable[tuple[Generation, str]]) -> tuple[Take, ...]:
    """Those of the chapter, each behind its parent, roots and children by age. A lost parent makes a root."""
    mine = [(generation, text) for generation, text in found if generation.chapter == chapter]
    known = {generation.id for generation, _ in mine}
    children: dict[str, list[tuple[Generation, str]]] = {}
    for generation, text in mine:
        children.setdefault(generation.parent if generation.parent in known else "", []).append((generation, text))
    return tuple(_below("", 0, children))


def _below(root: str, depth: int, children: dict[str, list[tuple[Generation, str]]]) -> Iterator[Take]:
    """A parent is always older than its children, so there is no circle."""
    waiting = [(depth, each) for each in reversed(children.get(root, ()))]
    while waiting:
        depth, (generation, text) = waiting.pop()
        yield _take(generation, text, depth)
        waiting += [(depth + 1, each) for each in reversed(children.get(generation.id, ()))]


def _take(generation: Generation, text: str, depth: int) -> Take:
    return Take(
        generation=generation.id,
        chapter=generation.chapter,
        role=generation.role,
        state=generation.state,
        reason=generation.finish_reason,
        parent=generation.parent,
        parent_tokens=generation.parent_tokens,
        depth=depth,
        place=generation.place,
        instruction=generation.instruction,
        created=generation.created,
        tokens=generation.tokens,
        words=words(text),
        text=text,
    )
