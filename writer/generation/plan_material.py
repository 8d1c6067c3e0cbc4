"""From what an author has written beside the text (notes, outline, sources) to the pieces of a prompt. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from writer.generation.plan_parts import CHUNK, PRIORITY, Kind, Piece, chunks, piece
from writer.generation.prompt import chapter_request, instructions, wish
from writer.language import say
from writer.manuscript.names import heading_line
from writer.manuscript.notes import Note, mentioned
from writer.manuscript.outline import OutlineEntry, entry_for
from writer.manuscript.sources import Source

INSTRUCTIONS = "notes/instructions.md"
"""The note that takes the place of the instructions that come with writer."""
_NEARER = 33  # added to a third of a note's priority: who is on the scene comes first
_SCENE = 3000  # characters of text that are one scene
_BLOCK = 4000  # characters in which notes count as mentioned together
_SYNOPSIS = 2000  # characters of a chapter's synopsis that stand in the request itself
_BEFORE = 4000  # characters of the chapter before, at most


@dataclass(frozen=True, slots=True)
class Material:
    """All that a chapter's prompt is made from, as it lies in the manuscript's folder now."""

    manuscript_title: str
    chapter_title: str
    language: str
    text: str = field(repr=False)
    instruction: str = ""
    notes: tuple[Note, ...] = field(default=(), repr=False)
    mentioned: tuple[Note, ...] = field(default=(), repr=False)
    nearness: Mapping[str, int] = field(default_factory=dict)
    """By path: 2 for notes that the request names, 1 for those of the scene."""
    outline: tuple[OutlineEntry, ...] = field(default=(), repr=False)
    summaries: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # title and text, of earlier chapters
    sources: tuple[Source, ...] = field(default=(), repr=False)
    before: str = field(default="", repr=False)  # the text of the chapter before
    sentences: tuple[str, ...] = ()  # what could not be read


def with_nearness(material: Material, at: int) -> Material:
    """The same, with what the request names and what stands before `at` in the text. That place moves in large steps:
    else each new name would change which notes are sent, and all behind them would be read anew."""
    notes = [note for note in material.notes if note.kind != "summary"]
    scene = {note.path: 1 for note in mentioned(notes, material.text[max(0, at - _SCENE) : at], 1)}
    named = {note.path: 2 for note in mentioned(notes, material.instruction, 1)}
    return replace(material, nearness=scene | named)


def in_order_of_mention(found: Sequence[Note], text: str) -> tuple[Note, ...]:
    """The notes in the order in which the text first mentions them: a new name then comes behind those known before.

    Those that it mentions in no one place, and those of the request alone, come last.
    """
    waiting, ordered = list(found), list[Note]()
    for block in _blocks(text):
        now = sorted(mentioned(waiting, block), key=lambda note: note.path)
        ordered += now
        waiting = [note for note in waiting if note not in now]
        if not waiting:
            break
    return (*ordered, *sorted(waiting, key=lambda note: note.path))


def _blocks(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start + _BLOCK)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end


def text_piece(material: Material) -> Piece:
    """The chapter so far."""
    return piece(Kind.TEXT, material.chapter_title, material.text)


def pieces(material: Material, most: int) -> tuple[Piece, ...]:
    """All but the text. Of one part at most so many characters are looked at closely: more cannot fit."""
    return tuple(each for each in _pieces(material, most) if each.chunks)


def _pieces(material: Material, most: int) -> Iterator[Piece]:
    yield _instructions(material)
    for note in material.notes:
        if note.kind == "style" and note.always:
            yield _titled(Kind.STYLE, note.title, note.text, note.priority)
    for note in material.notes:
        if note.always and note.kind not in ("style", "summary") and note.path != INSTRUCTIONS:
            yield _titled(Kind.NOTE, note.title, note.text, note.priority)
    entry = entry_for(material.outline, material.chapter_title)
    yield _outline(material.outline, entry)
    yield _summaries(material.summaries)
    for source in material.sources:
        yield _bounded(_titled(Kind.SOURCE, source.title, source.text), most)
    yield _before(material.before)
    asked = chapter_request(material.manuscript_title, material.chapter_title, _synopsis(entry))
    yield Piece(Kind.CHAPTER, say("This chapter"), "", (asked,), PRIORITY[Kind.CHAPTER])
    for note in material.mentioned:
        if note.path != INSTRUCTIONS:
            extra = note.priority // 3 + material.nearness.get(note.path, 0) * _NEARER
            yield _titled(Kind.MENTIONED, note.title, note.text, extra)
    if said := wish(material.instruction):
        yield Piece(Kind.REQUEST, say("Your request"), "", (said,), PRIORITY[Kind.REQUEST])


def _titled(kind: Kind, title: str, text: str, extra: int = 0) -> Piece:
    """A text below its title, which is not said a second time where the text begins with it."""
    found = heading_line(text)
    rest = text[found[1] :].strip() if found and found[0] == 0 and _bare(text[: found[1]]) == _bare(title) else ""
    return piece(kind, title, rest or text, heading=f"## {title}\n\n", extra=extra)


def _bare(line: str) -> str:
    return " ".join(line.strip("# \t\r\n").split())


def _instructions(material: Material) -> Piece:
    own = next((note.text for note in material.notes if note.path == INSTRUCTIONS and note.text.strip()), "")
    return piece(Kind.INSTRUCTIONS, say("Instructions"), own or instructions(material.language))


def _synopsis(entry: OutlineEntry | None) -> str:
    said = " ".join(entry.synopsis.split()) if entry else ""
    return said if len(said) <= _SYNOPSIS else said[:_SYNOPSIS].rsplit(" ", 1)[0] + " …"


def _outline(entries: Sequence[OutlineEntry], own: OutlineEntry | None) -> Piece:
    """Where there is no room for all chapters, those farthest from this one are left out first."""
    here = entries.index(own) if own else len(entries)
    shown = tuple(f"### {entry.title}\n\n{entry.synopsis.strip()}".strip() + "\n\n" for entry in entries)
    ranks = tuple(-abs(index - here) for index in range(len(entries)))
    return Piece(
        Kind.OUTLINE,
        say("Outline"),
        "## Outline of the book\n\n",
        shown,
        PRIORITY[Kind.OUTLINE],
        ranks,
        say("chapters of the outline"),
    )


def _summaries(summaries: Sequence[tuple[str, str]]) -> Piece:
    """The earliest chapters are left out first."""
    shown = tuple(f"### {title}\n\n{text.strip()}\n\n" for title, text in summaries)
    ranks = tuple(range(len(shown)))
    heading = "## What happened so far\n\n"
    return Piece(Kind.SUMMARIES, say("Summaries"), heading, shown, PRIORITY[Kind.SUMMARIES], ranks, say("summaries"))


def _before(text: str) -> Piece:
    """The end of the chapter before, from the beginning of a chunk on."""
    parts = list(chunks(text.strip()))
    length = 0
    for index in range(len(parts) - 1, -1, -1):
        length += len(parts[index])
        if length > _BEFORE:
            parts = parts[index + 1 :] or parts[-1:]
            break
    heading = "## How the chapter before ends\n\n"
    return Piece(
        Kind.BEFORE,
        say("The end of the chapter before"),
        heading,
        tuple(parts),
        PRIORITY[Kind.BEFORE],
        tuple(range(len(parts))),
    )


def _bounded(whole: Piece, most: int) -> Piece:
    """What lies beyond `most` characters becomes one chunk, which is never counted and never fits."""
    near = most // CHUNK + 1
    if len(whole.chunks) <= near + 1:
        return whole
    parts = (*whole.chunks[:near], "".join(whole.chunks[near:]))
    return Piece(whole.kind, whole.title, whole.heading, parts, whole.priority)
