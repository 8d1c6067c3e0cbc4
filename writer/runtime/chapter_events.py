"""Facts about the chapters' files, in the past tense. `events` passes them on with all others."""

from __future__ import annotations

from dataclasses import dataclass

from writer.manuscript.arrangement import Carried
from writer.manuscript.model import Manuscript


@dataclass(frozen=True, slots=True)
class ChapterSaved:
    """The chapter file on disk now holds the text that was handed over."""

    chapter: str
    serial: int  # of the save order; 0 if there was none, and another program's change was merged


@dataclass(frozen=True, slots=True)
class ChapterMerged:
    """Another program changed the chapter, and its file now holds both sides' changes. The front end's text does not.

    `base` is a text that the front end handed over or read, `changes` make `text` out of it: (at, removed, inserted),
    each holds after the ones before it. The front end carries them over to the text that it has now
    (`manuscript.edits.carried`), and from then on says `number` in its orders. It passes over an event whose `onto`
    is not the number that it says now, and may pass over any other: it is told again after the next save.
    """

    chapter: str
    number: int
    onto: int
    base: str
    text: str
    changes: tuple[tuple[int, int, str], ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class SaveRefused:
    """The chapter could not be saved as asked. `kept_as` is the file beside it that holds another program's text.

    With such a file the chapter holds the author's text, and ChapterSaved follows.
    """

    chapter: str
    serial: int
    sentence: str
    kept_as: str = ""


@dataclass(frozen=True, slots=True)
class ChaptersArranged:
    """Chapters were added, renamed, moved, cut or joined. `carried` tells what became of each text.

    What was open under an old path is to be opened anew; a chapter that is open and was only changed is merged.
    """

    tag: str
    manuscript: Manuscript
    carried: tuple[Carried, ...]
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class ArrangeRefused:
    """Nothing was changed, or the sentence says what was."""

    tag: str
    sentence: str
