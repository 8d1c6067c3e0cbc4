"""Where generated text stands in a chapter: carried over edits, and recorded before each file that holds it."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from writer.errors import StorageError
from writer.generation.model import SpanRecord
from writer.manuscript.edits import Edit, moved
from writer.runtime.orders import Span

_log = logging.getLogger(__name__)
_REMEMBERED = 8  # places that are not recorded yet; what is older is in no file any more


class SpanJournal(Protocol):
    """The part of the store that saving uses."""

    def record(self, span: SpanRecord, *, on_disk: str = "") -> None: ...


class Places:
    """Tells the journal. What the state's disk refuses is remembered: no reason to leave words unsaved."""

    def __init__(self, journal: SpanJournal) -> None:
        self._journal = journal
        self._unrecorded: list[SpanRecord] = []

    def record(self, spans: Iterable[Span], data: bytes, on_disk: str = "") -> None:
        """A file is about to get these bytes, in which the texts stand there. `on_disk`: the hash of what it holds."""
        sha256 = hashlib.sha256(data).hexdigest()
        places = [SpanRecord(span.generation, sha256, span.start, span.end, span.covered) for span in spans]
        waiting = [*self._unrecorded, *places]
        try:
            while waiting:
                self._journal.record(waiting[0], on_disk=on_disk)
                del waiting[0]
        except StorageError as error:
            _log.warning("where the text stands in its chapter is not recorded yet: %s", error.detail)
        self._unrecorded = waiting[-_REMEMBERED:]


def carry(spans: Iterable[Span], edits: Sequence[Edit]) -> tuple[Span, ...]:
    """Where they stand after these edits of the chapter."""
    return tuple(_moved(span, edits) for span in spans)


def _moved(span: Span, edits: Sequence[Edit]) -> Span:
    """What is inserted where the generation's text begins stands before it, where it ends behind it."""
    start = moved(span.start, edits, pushed=span.start < span.end)
    return replace(span, start=start, end=max(start, moved(span.end, edits)))
