"""Notes: what the author knows of characters, places, threads and style, as Markdown files below notes/.

The head of a file (see front_matter) may say `title`, `keys`, `always`, `priority` and `kind`; without one, its
place and its first heading say enough. Reads, never writes.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from writer.errors import ManuscriptError
from writer.language import say
from writer.manuscript import keys as note_keys
from writer.manuscript import material
from writer.manuscript.front_matter import Facts, parted
from writer.manuscript.names import file_title, heading
from writer.text.sanitise import one_line

MOST_BYTES = 512 * 1024  # of one note
SECONDS = 2.0  # for the patterns of all notes together; after that, those that are left mention nothing
KINDS = ("character", "place", "thread", "style", "summary", "note")
_OF_FOLDER = {"characters": "character", "places": "place", "threads": "thread", "summaries": "summary"}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Note:
    """One note. Its text is without the head."""

    path: str
    """From the manuscript's folder: "notes/characters/mara.md"."""
    title: str
    kind: str
    """One of KINDS."""
    keys: tuple[str, ...]
    """A text in which one of them holds mentions the note."""
    always: bool
    """It belongs to every prompt."""
    priority: int
    """0 to 100; where room is short, the lowest are left out first."""
    text: str


def read_notes(folder: Path) -> tuple[tuple[Note, ...], tuple[str, ...]]:
    """All notes of the manuscript in `folder`, by path, and a sentence for each that could not be read."""
    return material.each(folder, "notes", (".md",), partial(_note, folder), lambda note: len(note.text))


def mentioned(notes: Iterable[Note], text: str, rounds: int = 3) -> tuple[Note, ...]:
    """Notes that the text mentions, or a mentioned note does, and so on for `rounds`; highest priority first.

    Notes of every prompt (`always`) neither come back nor mention others. Each text is looked at by itself: "A AND B"
    holds where both stand in one text.
    """
    waiting = [note for note in notes if note.keys and not note.always]
    until = time.monotonic() + SECONDS
    found: dict[str, tuple[int, int, Note]] = {}
    texts = [text]
    for number in range(rounds):
        ready = [note_keys.searched(one) for one in texts]
        hits = [note for note in waiting if any(_mentions(note, one, until) for one in ready)]
        found |= {note.path: (-note.priority, number, note) for note in hits}
        waiting = [note for note in waiting if note.path not in found]
        texts = [note.text for note in hits]
        if not hits:
            break
    return tuple(note for _, _, note in sorted(found.values(), key=lambda entry: (entry[0], entry[1], entry[2].path)))


def _mentions(note: Note, text: note_keys.Searched, until: float) -> bool:
    for key in note.keys:
        try:
            made = note_keys.compiled(key)
            if not (made.slow and time.monotonic() > until) and made.holds(text):
                return True
        except ManuscriptError as error:  # a pattern that takes too long mentions nothing
            _log.warning("a key of a note was left out: %s", type(error).__name__)
    return False


def _note(folder: Path, path: str) -> Note:
    facts, text = parted(material.read_text(folder, path, MOST_BYTES), path)
    facts.only(
        "title", "keys", "always", "priority", "kind", *(("chapter", "of") if _kind_of(path) == "summary" else ())
    )
    kind = facts.text("kind", _kind_of(path))
    if kind not in KINDS:
        raise ManuscriptError(
            say(
                '{path}: the kind "{kind}" is not one of {kinds}.',
                path=one_line(path, 120),
                kind=one_line(kind, 40),
                kinds=", ".join(KINDS),
            )
        )
    title = facts.text("title") or heading(text) or file_title(PurePosixPath(path).name)
    own = (title,) if kind != "summary" and _is_key(title) else ()
    return Note(
        path=path,
        title=title,
        kind=kind,
        keys=_keys(facts) if "keys" in facts.values else own,
        always=facts.flag("always", kind == "style"),
        priority=facts.number("priority", 50, 0, 100),
        text=text.strip(),
    )


def _keys(facts: Facts) -> tuple[str, ...]:
    found = facts.texts("keys")
    if len(found) > note_keys.MOST_KEYS:
        raise ManuscriptError(
            say(
                "{path} has more than {most_keys} keys. Take some out.",
                path=one_line(facts.path, 120),
                most_keys=note_keys.MOST_KEYS,
            )
        )
    for key in found:
        try:
            note_keys.compiled(key)
        except ManuscriptError as error:
            raise ManuscriptError(
                say("{path}: {sentence}. Correct that key.", path=one_line(facts.path, 120), sentence=error.sentence)
            ) from None
    return found


def _is_key(title: str) -> bool:
    try:
        note_keys.compiled(title)
    except ManuscriptError:  # "Mara AND": then nothing mentions the note until it is given keys
        return False
    return True


def _kind_of(path: str) -> str:
    """What the folder below notes/ says; a file called style.md is style."""
    parts = PurePosixPath(path).parts
    if len(parts) > 2 and parts[1] in _OF_FOLDER:
        return _OF_FOLDER[parts[1]]
    return "style" if parts[-1].lower() == "style.md" else "note"
