"""Who wrote what of a chapter, as far as it is on record: what was kept with its last save, and what was generated."""

from __future__ import annotations

from dataclasses import dataclass, field

from writer.errors import StateDamaged
from writer.generation.model import Generation
from writer.manuscript.origins import Origins
from writer.runtime.takes import CHOSEN
from writer.storage.generations import GenerationStore

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


def traced(generations: GenerationStore, origins: Origins, chapter: str, text: str) -> OriginsFound:
    """What is known of the chapter, whose text is this. Blocks: a file is read."""
    kept = origins.find(chapter, text)
    written = []
    for generation in generations.all():
        if generation.chapter == chapter and _inside(generation):
            try:
                words = generations.load(generation.id).text.strip()
            except StateDamaged:  # then nobody knows its words
                continue
            if len(words) >= _SHORTEST and text.count(words) == 1:
                start = text.index(words)
                written.append((start, start + len(words), generation.id))
    former, stored = (kept.text, kept.stored) if kept is not None else ("", "")
    return OriginsFound(chapter, text, former, stored, tuple(sorted(written)))


def _inside(generation: Generation) -> bool:
    return generation.finish_reason == CHOSEN or (not generation.aside and generation.finish_reason != "discarded")
