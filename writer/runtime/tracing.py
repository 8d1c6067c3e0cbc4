"""Who wrote what of a chapter, as far as it is on record: what was kept with its last save, and what was generated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from writer.errors import StateDamaged
from writer.generation.model import Generation
from writer.manuscript.origins import Origin, Origins
from writer.runtime.takes import CHOSEN

if TYPE_CHECKING:
    from writer.storage.generations import GenerationStore  # the screens know the event, and never open a database

_SHORTEST = 40  # characters: what is shorter stands in other places too


@dataclass(frozen=True, slots=True)
class OriginsFound:
    """An event: all for `editing.provenance.recalled`.

    `stored` is true for the text `former`. `written` are (start, end, generation) in `text`: where all of a
    generation's words stand, once. What was written without the app is known by them alone.
    """

    chapter: str
    text: str = field(repr=False)
    former: str = field(repr=False)
    stored: str = field(repr=False)
    written: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class GenerationTold:
    """An event: what is on record of a generation."""

    generation: str
    model: str
    created: float  # UTC seconds
    role: str
    instruction: str


class Tracing:
    """Keeps that record of one manuscript's chapters, and tells it."""

    def __init__(
        self, generations: GenerationStore, folder: Path, notify: Callable[[OriginsFound | GenerationTold], None]
    ) -> None:
        self._generations = generations
        self._origins = Origins(folder)
        self._notify = notify

    def keep(self, chapter: str, text: str, stored: str) -> None:
        """What the front end knows of a text that has just been saved; "" if it does not say. Blocks, shortly."""
        if stored:
            self._origins.keep(chapter, Origin(text, stored))

    def tell(self, chapter: str, text: str) -> OriginsFound:
        """What is known of the chapter, whose text is this; also reported. Blocks: a file is read."""
        kept = self._origins.find(chapter, text)
        former, stored = (kept.text, kept.stored) if kept is not None else ("", "")
        found = OriginsFound(chapter, text, former, stored, tuple(sorted(self._written(chapter, text))))
        self._notify(found)
        return found

    def who(self, generation: str) -> None:
        """What is on record of it: GenerationTold. Raises StateDamaged."""
        found = self._generations.generation(generation)
        model = found.fingerprint.model
        self._notify(GenerationTold(generation, model, found.created, found.role, found.instruction))

    def _written(self, chapter: str, text: str) -> Iterator[tuple[int, int, str]]:
        for generation in self._generations.all():
            if generation.chapter != chapter or not _inside(generation):
                continue
            try:
                words = self._generations.load(generation.id).text.strip()
            except StateDamaged:  # then nobody knows its words
                continue
            if len(words) >= _SHORTEST and text.count(words) == 1:
                start = text.index(words)
                yield start, start + len(words), generation.id


def _inside(generation: Generation) -> bool:
    return generation.finish_reason == CHOSEN or (not generation.aside and generation.finish_reason != "discarded")
