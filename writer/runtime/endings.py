"""When a generation ends for good: sealed as soon as its text is the author's alone. Never before a file holds it."""

from __future__ import annotations

from collections.abc import Callable

from writer.errors import ManuscriptError, StateDamaged
from writer.generation.model import SpanRecord, State
from writer.manuscript.chapter_file import ChapterFile
from writer.runtime.orders import Span
from writer.runtime.takes import digest
from writer.storage.state_file import StateFile


class Endings:
    """Seals generations. What is sealed is never looked for in a chapter again, so edits to it stay."""

    def __init__(self, state: StateFile, file_of: Callable[[str], ChapterFile]) -> None:
        self._state = state
        self._file_of = file_of
        self._spared: set[str] = set()

    def spare(self, generation: str) -> None:
        """Its text could not be put in its chapter at this start. It stays open, so that the next start tries again."""
        self._spared.add(generation)

    def keep(self, generation: str) -> None:
        """The text stays as it is. If its chapter file lacks some of it, recovery puts that in first."""
        aside = self._state.generations.generation(generation).aside  # nobody looks for its text in a chapter
        if aside or self._holds_all(generation):
            self.seal(generation, "kept")
        else:
            self._state.generations.mark(generation, State.FINISHED, reason="kept")

    def supersede(self, chapter: str, by: str) -> None:
        """Ends what could go on in the chapter. Its file has just been saved as the author wants it."""
        for generation in self._state.generations.all():
            ended = generation.id == by or generation.id in self._spared or not generation.state.resumable
            if generation.chapter == chapter and not ended and not generation.aside:
                self.seal(generation.id, "kept")

    def settle(self, span: Span) -> None:
        """Seals a generation that has ended, once its chapter file holds all of its text. Not before: see recovery."""
        generations = self._state.generations
        found = generations.generation(span.generation)
        ended = found.state is State.FINISHED and found.finish_reason != "discarded"
        if ended and not generations.is_sealed(found.id) and span.covered == len(generations.load(found.id).text):
            generations.seal(found.id)

    def discard(self, generation: str, place: tuple[int, int], text: str) -> None:
        """The author takes it out of the chapter. It stays, as a take that is meant for `place` of this `text`."""
        if not self._state.generations.is_sealed(generation):
            self._state.generations.mark(generation, State.FINISHED, reason="discarded")
        self._state.generations.recast(generation, "take", place)
        self._state.spans.record(SpanRecord(generation, digest(text), *place, 0))

    def undiscard(self, generation: str) -> None:
        """Takes a discard back. What is sealed has ended all the same."""
        self._state.generations.recast(generation, "text")
        if not self._state.generations.is_sealed(generation):
            self._state.generations.mark(generation, State.PAUSED)

    def seal(self, generation: str, reason: str) -> None:
        """Ends it for good, whatever state it is in."""
        if self._state.generations.is_sealed(generation):
            self._state.generations.mark(generation, State.FINISHED, reason=reason)
            return
        try:
            self._state.generations.seal(generation, reason=reason)
        except StateDamaged:  # it cannot be packed; what its file holds is all there is
            self._state.generations.mark(generation, State.FINISHED, reason=reason)

    def _holds_all(self, generation: str) -> bool:
        """Whether the chapter's file is a version of ours that holds all of the generation's text."""
        state = self._state
        spans, characters = state.spans.of(generation), len(state.generations.load(generation).text)
        try:
            sha256 = self._file_of(state.generations.generation(generation).chapter).read().sha256
        except ManuscriptError:
            return False
        return any(span.file_sha256 == sha256 and span.covered == characters for span in spans)
