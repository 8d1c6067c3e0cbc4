"""Where new takes go on, and what of the chapter they are meant for. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from writer.editing.provenance import AUTHOR, Provenance
from writer.language import say
from writer.runtime.orders import AsideOrder, Cut
from writer.runtime.takes import Take
from writer.tui.page import ALL

GONE_ON = ("text", "take")
"""Roles of texts that are the chapter's prose. Others answer a request, and are not gone on with."""
_REWORDED = say(
    "The text before this place is not what the model wrote there any more, so the takes go "
    "on from your words, and the engine reads the chapter anew."
)


@dataclass(frozen=True, slots=True)
class Beginning:
    """[start, end) of the chapter's text `of` is what the takes are meant for."""

    where: str  # in words, for the question
    of: str = field(repr=False)
    start: int
    end: int
    parent: str = ""
    cut: Cut | None = None  # where in the parent; None: its end
    note: str = ""

    def order(self, tag: str, chapter: str, count: int, instruction: str) -> AsideOrder:
        """So many takes from there on."""
        tokens = ALL if self.parent else 0
        return AsideOrder(
            tag,
            chapter,
            self.of,
            self.start,
            self.end,
            "take",
            instruction,
            count,
            parent=self.parent,
            parent_tokens=tokens,
            cut=self.cut,
        )


def at_end(text: str) -> Beginning:
    """Behind all of the chapter."""
    return Beginning(say("at the end of the chapter"), text, len(text), len(text))


def inside(take: Take, characters: int, text: str, room: tuple[int, int] | None) -> Beginning | None:
    """After so many characters of a take; `room` is what of the chapter's `text` the take is meant for, if known.

    Of one that stands in the chapter the rest makes room. None if it does not stand there as it was written.
    """
    where = say("from that place of the take")
    if not take.inside:
        start, end = room or (len(text), len(text))
        return Beginning(where, text, start, end, take.generation, Cut(characters))
    start = text.rfind(take.text)
    if start < 0 or not take.text:
        return None
    cut = Cut(characters, standing=True)
    return Beginning(where, text, start + characters, start + len(take.text), take.generation, cut)


def after(take: Take, text: str, room: tuple[int, int] | None) -> Beginning:
    """Behind the end of a take."""
    where = say("after that take")
    if not take.inside:
        start, end = room or (len(text), len(text))
    else:
        found = text.rfind(take.text) if take.text else -1
        start = end = found + len(take.text) if found >= 0 else min(take.place[1], len(text))
    return Beginning(where, text, start, end, take.generation)


def generated_at(origins: Provenance, cursor: int) -> tuple[str, int, int] | None:
    """The generation whose words stand at the cursor, and from where to where they do; None if they are the author's.

    The word that ends at the cursor counts before the one that begins there.
    """
    origin = origins.at(cursor - 1) if cursor else AUTHOR
    if origin == AUTHOR:
        origin = origins.at(cursor)
    found = [each for each in origins.ranges if each.origin == origin]
    return (origin, found[0].start, found[-1].end) if found and origin != AUTHOR else None


def at_cursor(found: tuple[str, int, int], text: str, cursor: int, known: Callable[[str], Take | None]) -> Beginning:
    """At the cursor in generated text, as `generated_at` has `found` it. What stands behind it makes room.

    If the text before the cursor is not what was written, the takes go on from the chapter's words.
    """
    generation, start, end = found
    where, end = say("from the cursor on"), max(cursor, end)
    take, characters = known(generation), cursor - start
    whole = take.before + take.text if take else ""
    as_written = text[start:cursor] == whole[: max(0, characters)] and characters >= 0
    while take is not None and take.before and characters <= len(take.before):
        take = known(take.parent)  # its own `before` is the beginning of that one's
    if take is None or take.role not in GONE_ON or not as_written:
        return Beginning(where, text, cursor, end, note=_REWORDED)
    cut = Cut(characters - len(take.before), standing=True)
    return Beginning(where, text, cursor, end, take.generation, cut)
