"""Which word of which generation stands at the cursor, in any generated passage of a chapter. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from writer.runtime.takes import Take
from writer.tui.takes.beginnings import GONE_ON


@dataclass(frozen=True, slots=True)
class WordPlace:
    """Character `at` of the generation's own text, which begins at `start` of the chapter's.

    Its passage ends at `end`: what goes on from another word takes the place of all up to there.
    """

    generation: str
    at: int
    start: int
    end: int


def word_place(
    found: tuple[str, int, int], text: str, cursor: int, known: Callable[[str], Take | None]
) -> WordPlace | None:
    """At the cursor, in generated text as `beginnings.generated_at` has `found` it.

    None if the passage does not stand there as it was written up to the cursor, or is the answer to a request.
    """
    generation, start, end = found
    at, take = min(cursor, end - 1), known(generation)
    if take is None or at < start:
        return None
    standing = text[start : at + 1]
    if take.text[: len(standing)] == standing:
        own = start  # what it was continued from stands in front of the passage
    elif (take.before + take.text)[: len(standing)] == standing:
        while take is not None and at < start + len(take.before):
            take = known(take.parent)  # its own `before` is the beginning of that one's
        own = start + len(take.before) if take else start
    else:
        return None
    if take is None or take.role not in GONE_ON:
        return None
    return WordPlace(take.generation, at - own, own, end)
