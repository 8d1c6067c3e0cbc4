"""Where a take goes into its chapter, as that is now. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from writer.manuscript.edits import moved
from writer.runtime.ancestors import difference
from writer.runtime.takes import Take, digest


@dataclass(frozen=True, slots=True)
class Put:
    """A take that stands in the chapter since the app was started."""

    generation: str
    order: tuple[object, ...]  # the place that it was written for
    at: int
    text: str
    whole: str  # the chapter's text with it, as it was then


def order_of(take: Take) -> tuple[object, ...]:
    """Takes for the same place have the same."""
    return take.chapter, take.place, take.of


def room_for(take: Take, text: str, put: Put | None, base: str | None) -> tuple[int, int] | None:
    """What of the chapter's `text` the take replaces: [start, end). None if it cannot be told.

    `put` is the take that was chosen last: another one for its place takes that, as long as it stands there unchanged.
    `base` is the text that the take was written for, if that is known.
    """
    if put is not None and put.order == order_of(take):
        at = moved(put.at, difference(put.whole, text), pushed=True)
        if text[at : at + len(put.text)] == put.text:
            return at, at + len(put.text)
    start, end = take.place
    if digest(text) == take.of:
        return start, end
    if base is None or digest(base) != take.of:
        return None
    edits = difference(base, text)
    start = moved(start, edits)
    return start, max(start, moved(end, edits))


def put_text(take: Take, text: str, start: int) -> str:
    """What is put into the chapter's `text` at `start`: with what it was continued from, unless that stands there."""
    return take.text if text[:start].endswith(take.before) else take.before + take.text
