"""The texts of a chapter as a tree: what was continued from what, and which one was chosen. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from writer.generation.model import Generation, Saved, State
from writer.runtime.branching import branch
from writer.text.count import words

Found = tuple[Generation, Saved, str]  # with what is saved of it, and what `Take.of` is
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
    before: str = field(default="", repr=False)
    """What of the texts that it was continued from stands before it, up to one that is in the chapter already."""
    of: str = ""
    """By `digest`: the chapter's text in which `place` stands; "" if that is not known."""

    @property
    def chosen(self) -> bool:
        """Whether the author has taken it into the chapter."""
        return self.reason == CHOSEN

    @property
    def inside(self) -> bool:
        """Whether it was written into the chapter and has not been taken out."""
        return self.role == "text" or self.chosen


def digest(text: str) -> str:
    """What the place of a text beside a chapter is recorded by: the chapter's text as it was, not its file."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def tree(chapter: str, found: Iterable[Found]) -> tuple[Take, ...]:
    """Those of the chapter, each behind its parent, roots and children by age. A lost parent makes a root."""
    mine = [each for each in found if each[0].chapter == chapter]
    known = {generation.id for generation, _, _ in mine}
    children: dict[str, list[Found]] = {}
    for each in mine:
        children.setdefault(each[0].parent if each[0].parent in known else "", []).append(each)
    return tuple(_below("", children))


def _below(root: str, children: dict[str, list[Found]]) -> Iterator[Take]:
    """A parent is always older than its children, so there is no circle."""
    waiting = [(0, "", each) for each in reversed(children.get(root, ()))]
    while waiting:
        depth, before, each = waiting.pop()
        take = _take(*each, depth, before)
        yield take
        for child in reversed(children.get(take.generation, ())):
            shown = branch(each[0], each[1], child[0].parent_tokens).text
            waiting.append((depth + 1, "" if take.inside else before + shown, child))


def _take(generation: Generation, saved: Saved, of: str, depth: int, before: str) -> Take:
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
        words=words(saved.text),
        text=saved.text,
        before=before,
        of=of,
    )
