"""Where a text goes on from inside another one: exactly its ids, nothing is tokenised again. Pure."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from writer.generation.model import Generation, Saved
from writer.generation.resume import clean_cut
from writer.generation.sampling import Thinking, thinking_of
from writer.generation.thinking import beyond


@dataclass(frozen=True, slots=True)
class Branch:
    """What a new generation begins with."""

    prompt_ids: tuple[int, ...] = field(repr=False)
    parent: str = ""
    parent_tokens: int = 0
    text: str = ""
    """What of the parent's text stands before the new one."""
    thinking: Thinking | None = None
    """If it begins inside a thought."""


def branch(parent: Generation, saved: Saved, tokens: int) -> Branch:
    """After the parent's first `tokens` tokens, or as many fewer as end with a whole character.

    Nothing goes on from inside a thought: it is thought anew.
    """
    after = beyond(parent, saved)
    if tokens < after.offset or (not after.offset and thinking_of(parent.sampling)):
        return Branch(parent.prompt_ids, parent.id, thinking=thinking_of(parent.sampling))
    saved = after.saved
    kept = min(max(tokens, 0) - after.offset, len(saved.token_ids))
    while not clean_cut(saved, kept):
        kept -= 1
    shown = saved.ends[kept - 1] if kept else 0
    return Branch(after.prompt_ids + saved.token_ids[:kept], parent.id, after.offset + kept, saved.text[:shown])


def tokens_within(saved: Saved, characters: int) -> int:
    """How many of its first tokens show no more than its first characters."""
    return bisect_right(saved.ends, characters)


def seeds(first: int, count: int) -> list[int]:
    """Of texts that are written at once over one prompt: all different, and they follow from the first."""
    return [(first + number * 0x9E3779B1) % 2**31 for number in range(count)]
