"""`writer search`: find and replace over the whole book, all chapters in one change. `writer notes`: what is known."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from writer.cli.chapters import FOLDER, arrange, show
from writer.cli.codes import in_words
from writer.cli.output import emit, tell
from writer.editing import find
from writer.language import many, say
from writer.manuscript import chapter_plans as plans
from writer.manuscript.arrangement import Arrangement
from writer.manuscript.book import Book, read_book
from writer.manuscript.edits import Edit
from writer.manuscript.note_templates import TEMPLATES, new_note
from writer.manuscript.notes import mentioned, read_notes
from writer.manuscript.project import open_manuscript
from writer.manuscript.searching import Hit
from writer.manuscript.searching import search as search_book
from writer.tui.aligned import padded

MOST_SHOWN = 1000


@click.command(
    help=say("Find a text in all chapters, and replace it if asked to. A replacement is one change of the whole book.")
)
@click.argument("folder", type=FOLDER)
@click.argument("text")
@click.option("--replace", "replacement", default=None, help=say("What every match becomes."))
@click.option("--regex", is_flag=True, help=say("TEXT is a regular expression."))
@click.option("--case", is_flag=True, help=say("Upper and lower case differ."))
@click.option("--word", is_flag=True, help=say("Whole words only."))
@click.option("--chapter", "number", type=int, default=None, help=say("That chapter only."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object per line."))
def search(
    folder: Path,
    text: str,
    replacement: str | None,
    regex: bool,
    case: bool,
    word: bool,
    number: int | None,
    as_json: bool,
) -> None:
    finder = find.compile(find.Query(text, case=case, word=word, regex=regex))
    book = read_book(folder)
    wanted = book.numbered(number).path if number is not None else ""
    found = search_book(book, finder.all, lambda sentence: tell(sentence, error=True))
    hits = [hit for hit in found if wanted in ("", hit.chapter)]
    for hit in hits[:MOST_SHOWN]:
        emit({"event": "match", **asdict(hit)}) if as_json else show(_shown(hit))
    chapters = len({hit.chapter for hit in hits})
    if replacement is not None and hits:
        arrange(folder, lambda now: _replaced(now, finder, replacement, {hit.chapter for hit in hits}))
    what = "replaced" if replacement is not None else "found"
    if as_json:
        emit({"event": what, "matches": len(hits), "chapters": chapters})
    else:
        tell(_counted(len(hits), chapters, replaced=replacement is not None) if hits else say("Nothing was found."))


@click.command(
    help=say("List the notes, their kind and their keys, and what of them could not be read; or make a new one.")
)
@click.argument("folder", type=FOLDER)
@click.option("--mentioned-in", "number", type=int, default=None, help=say("Only those that this chapter mentions."))
@click.option("--new", "title", default="", help=say("Make a note of that name."))
@click.option("--kind", type=click.Choice(sorted(TEMPLATES)), default="note", help=say("What the new note is of."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def notes(folder: Path, number: int | None, title: str, kind: str, as_json: bool) -> None:
    manuscript = open_manuscript(folder)
    if title:
        made = new_note(manuscript.folder, kind, title)
        emit({"path": made}) if as_json else tell(say("Made {made}. Write into it what you know.", made=made))
        return
    found, sentences = read_notes(manuscript.folder)
    if number is not None:
        book = read_book(folder)
        found = mentioned(found, book.text(book.numbered(number).path).text)
    if as_json:
        emit({"notes": [asdict(note) for note in found], "unread": list(sentences)})
        return
    for note in found:
        when = say("always") if note.always else ", ".join(note.keys) or say("never by itself")
        show(f"{padded(in_words(note.kind), 10)} {note.title} ({note.path}): {when}")
    for sentence in sentences:
        tell(sentence, error=True)
    if not found:
        tell(say("No notes.") if number is None else say("That chapter mentions none."))


def _counted(hits: int, chapters: int, *, replaced: bool) -> str:
    where = many("{count:,} chapter", "{count:,} chapters", chapters)
    if replaced:
        return say("{hits:,} replaced in {chapters}.", hits=hits, chapters=where)
    return say("{hits:,} found in {chapters}.", hits=hits, chapters=where)


def _replaced(book: Book, finder: find.Finder, replacement: str, chapters: set[str]) -> Arrangement:
    def edits(text: str) -> tuple[Edit, ...]:
        changes = finder.changes(text, finder.all(text), replacement)
        return tuple((change.at, change.removed, change.inserted) for change in changes)

    return plans.rewritten(book, edits, [path for path in book.paths if path in chapters])


def _shown(hit: Hit) -> str:
    end = hit.at + hit.end - hit.start
    line = hit.context
    return f"{hit.number}:{hit.line}: {line[: hit.at]}[{line[hit.at : end]}]{line[end:]}"
