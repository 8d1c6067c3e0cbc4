"""What earlier runs left open: each text is brought into its chapter, sealed if it has ended, else offered again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from writer.errors import ManuscriptError, NotResumable, StateDamaged, StateFull
from writer.generation.model import Generation
from writer.language import say
from writer.manuscript.chapter_file import ChapterFile
from writer.runtime.endings import Endings
from writer.runtime.events import Offer
from writer.runtime.recovery import offer_of, recover, write_back
from writer.runtime.rewriting import INSERT, REWRITE, Task, place_of
from writer.storage.state_file import StateFile

_LOST = say(
    "A rewriting was interrupted, and its passage is not in the chapter any more as it was. "
    "Its text is kept: in the app Ctrl+T, then T, shows it."
)
FileOf = Callable[[str], ChapterFile]


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """What can go on, newest first: in the chapters, and beside them. `notes` are sentences for the author."""

    offers: tuple[Offer, ...]
    asides: tuple[Offer, ...]
    notes: tuple[str, ...]


def left_open(state: StateFile, file: FileOf, endings: Endings) -> LeftOpen:
    """Recovers all that is not sealed. One text that cannot be recovered does not keep the others from it."""
    offers: list[Offer] = []
    asides: list[Offer] = []
    notes: list[str] = []
    for generation in state.generations.unsealed():
        try:
            if generation.aside:
                if sentence := _lost(generation, file, endings):
                    notes.append(sentence)
                else:
                    asides += _offered_again(state, generation)
                continue
            offer = _recovered(state, generation, file)
        except StateDamaged as error:  # one bad row must not lock the author out
            notes.append(
                say("{sentence} Your chapters are untouched; `writer state check` tells more.", sentence=error.sentence)
            )
            continue
        except (ManuscriptError, StateFull) as error:  # its text stays in the state, and the next start tries again
            notes.append(error.sentence)
            endings.spare(generation.id)
            continue
        if offer is not None and generation.state.resumable:
            offers.append(offer)
        elif offer is not None and offer.note:
            notes.append(offer.note)
    offers.sort(key=lambda offer: offer.stopped_at, reverse=True)
    return LeftOpen(tuple(offers), tuple(reversed(asides)), tuple(notes))


def _offered_again(state: StateFile, aside: Generation) -> list[Offer]:
    """A text beside its chapter is never looked for in it. What has ended is sealed."""
    saved = state.generations.load(aside.id)
    if aside.state.resumable:
        return [offer_of(aside, saved, *aside.place, intact=True)]
    with suppress(StateFull):  # sealing can wait for the next start
        state.generations.seal(aside.id)
    return []


def _lost(aside: Generation, file_of: FileOf, endings: Endings) -> str:
    """Keeps a rewriting that was interrupted, and whose passage is not in the chapter any more. The sentence then."""
    if aside.role not in (REWRITE, INSERT) or not aside.state.resumable:
        return ""
    try:
        near, text = Task.read(aside.instruction).near, file_of(aside.chapter).read().text
    except (NotResumable, ManuscriptError):
        return ""
    if place_of(near, text, *aside.place) is not None:
        return ""
    endings.keep(aside.id)
    return _LOST


def _recovered(state: StateFile, generation: Generation, file_of: FileOf) -> Offer | None:
    """Makes sure that the chapter holds all its text. What has ended is sealed, if the chapter can be read."""
    offer, in_file = None, True
    if generation.finish_reason != "discarded":
        saved, spans = state.generations.load(generation.id), state.spans.of(generation.id)
        file = file_of(generation.chapter)
        offer, record, in_file = recover(file, generation, saved, spans)
        if not in_file and file.exists():
            raise ManuscriptError(offer.note)
        if record is not None:
            with suppress(StateFull):  # a text that is whole can be searched for
                state.spans.record(record)
            write_back(file, saved, spans)
    if in_file and not generation.state.resumable:
        state.generations.seal(generation.id)
    return offer
