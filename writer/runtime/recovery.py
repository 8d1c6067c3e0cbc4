"""After a crash: the chapter file gets the part of the text that only the database holds. Never overwrites.

The database knows, for each version of the file that we wrote, where the rest belongs. A file that another program
changed is searched for the text; if that fails, the text goes beside the chapter, and the author is told.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from writer.errors import ManuscriptError
from writer.generation.model import Generation, Saved, SpanRecord, State
from writer.generation.sampling import thinking_of
from writer.generation.thinking import beyond
from writer.language import say
from writer.manuscript.chapter_file import ChapterFile
from writer.runtime.events import Offer
from writer.storage.joining import SALVAGED
from writer.text.count import last_sentence, words


@dataclass(frozen=True, slots=True)
class Placed:
    """A chapter's text with all of a generation's text in it."""

    text: str
    start: int
    end: int


def place(text: str, file_sha256: str, saved: str, spans: Iterable[SpanRecord]) -> Placed | None:
    """Puts what is missing of `saved` into a chapter's `text`; None if its place cannot be told. Pure."""
    spans = list(spans)
    for span in spans:
        if span.file_sha256 == file_sha256 and span.end <= len(text):
            rest = saved[span.covered :]
            return Placed(text[: span.end] + rest + text[span.end :], span.start, span.end + len(rest))
    if not saved:
        return Placed(text, len(text), len(text))
    for covered in sorted({len(saved), *(s.covered for s in spans)}, reverse=True):
        part = saved[:covered]
        if part and text.count(part) == 1:
            start = text.index(part)
            end = start + len(part)
            rest = saved[covered:]
            if rest and text.startswith(rest[0], end):
                return _written_unrecorded(text, saved, start, spans, covered)
            return Placed(text[:end] + rest + text[end:], start, end + len(rest))
    return _written_unrecorded(text, saved, spans[0].start, spans, 0) if spans else None


def _written_unrecorded(text: str, saved: str, start: int, spans: list[SpanRecord], covered: int) -> Placed | None:
    """The file holds more of the text than was ever recorded: a full disk took the save, and not its place.

    Only we can have written that. It is gone on with only where nothing follows: anywhere else it could as well be
    that it held more once, and somebody took that out or changed it, which is not ours to put back.
    """
    held = covered
    while held < len(saved) and text.startswith(saved[held], start + held):
        held += 1
    end = start + held
    if not held or any(span.covered > covered for span in spans) or text[end:].strip():
        return None
    rest = saved[held:]
    return Placed(text[:end] + rest + text[end:], start, end + len(rest))


def recover(
    file: ChapterFile, generation: Generation, saved: Saved, spans: list[SpanRecord]
) -> tuple[Offer, SpanRecord | None, bool]:
    """Makes the chapter file hold all of the generation's text. Returns the offer to go on, and the new place.

    The place must be recorded before the next call; the file is written by `write_back`. Last: whether the text is
    then in a file, in the chapter or beside it; it is in none if the chapter cannot be read.
    """
    try:
        loaded = file.read()
    except ManuscriptError as error:
        note = say("{sentence} What was written stays in the saved state.", sentence=error.sentence)
        return offer_of(generation, saved, 0, 0, False, note), None, False
    placed = place(loaded.text, loaded.sha256, saved.text, spans)
    if placed is None:
        kept = file.keep_aside(saved.text, "recovered")
        why = say("Another program changed this chapter. What had been written")
        if generation.finish_reason == SALVAGED:
            why = say("Some words of this chapter could not be read back from the damaged state. What followed them")
        note = say("{why} is kept beside it, in {kept}.", why=why, kept=kept.name)
        return offer_of(generation, saved, len(loaded.text), len(loaded.text), False, note), None, True
    intact = placed.text[placed.start : placed.end] == saved.text
    sha256 = hashlib.sha256(file.encode(placed.text, loaded)).hexdigest()
    record = SpanRecord(generation.id, sha256, placed.start, placed.end, len(saved.text))
    return offer_of(generation, saved, placed.start, placed.end, intact, ""), record, True


def write_back(file: ChapterFile, saved: Saved, spans: list[SpanRecord]) -> None:
    """Writes the chapter with the missing text, if any is missing. The place is recorded by then."""
    loaded = file.read()
    placed = place(loaded.text, loaded.sha256, saved.text, spans)
    if placed is not None and placed.text != loaded.text:
        file.save(placed.text, loaded)


def offer_of(generation: Generation, saved: Saved, start: int, end: int, intact: bool, note: str = "") -> Offer:
    """What can go on, where its text stands in its chapter; or the place that it is meant for, if beside it."""
    return Offer(
        generation=generation.id,
        chapter=generation.chapter,
        cause=generation.stopped_by,
        truncated=generation.state is State.TRUNCATED,
        stopped_at=generation.updated,
        words=words(saved.text),
        tokens=len(saved.token_ids),
        last_sentence=last_sentence(saved.text),
        start=start,
        end=end,
        intact=intact,
        note=note,
        characters=len(saved.text),
        role=generation.role,
        parent=generation.parent,
        parent_tokens=generation.parent_tokens,
        thinking=thinking_of(generation.sampling) is not None and not beyond(generation, saved).offset,
    )
