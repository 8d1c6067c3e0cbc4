"""`writer search`: find and replace over the whole book, all chapters in one change. `writer notes`: what is known."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from writer.cli.chapters import FOLDER, arrange, show
from writer.cli.output import emit, say
from writer.editing import find
from writer.manuscript import chapter_plans as plans
from writer.manuscript.arrangement import Arrangement
from writer.manuscript.book import Book, read_book
from writer.manuscript.edits import Edit
from writer.manuscript.note_templates import TEMPLATES, new_note
from writer.manuscript.notes import mentioned, read_notes
from writer.manuscript.project import open_manuscript
from writer.manuscript.searching import Hit
from writer.manuscript.searching import search as search_book
from writer.text.count import several

MOST_SHOWN = 1000


@click.command()
@click.argument("folder", type=FOLDER)
@click.argument("text")
@click.option("--replace", "replacement", default=None, help="What every match becomes.")
@click.option("--regex", is_flag=True, help="TEXT is a regular expression.")
@click.option("--case", is_flag=True, help="Upper and lower case differ.")
@click.option("--word", is_flag=True, help="Whole words only.")
@click.option("--chapter", "number", type=int, default=None, help="That chapter only.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
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
    """Find a text in all chapters, and replace it if asked to. A replacement is one change of the whole book."""
    finder = find.compile(find.Query(text, case=case, word=word, regex=regex))
    book = read_book(folder)
    wanted = book.numbered(number).path if number is not None else ""
    found = search_book(book, finder.all, lambda sentence: say(sentence, error=True))
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
        say(f"{len(hits):,} {what} in {several(chapters, 'chapter')}." if hits else "Nothing was found.")


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--mentioned-in", "number", type=int, default=None, help="Only those that this chapter mentions.")
@click.option("--new", "title", default="", help="Make a note of that name.")
@click.option("--kind", type=click.Choice(sorted(TEMPLATES)), default="note", help="What the new note is of.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def notes(folder: Path, number: int | None, title: str, kind: str, as_json: bool) -> None:
    """List the notes, their kind and their keys, and what of them could not be read; or make a new one."""
    manuscript = open_manuscript(folder)
    if title:
        made = new_note(manuscript.folder, kind, title)
        emit({"path": made}) if as_json else say(f"Made {made}. Write into it what you know.")
        return
    found, sentences = read_notes(manuscript.folder)
    if number is not None:
        book = read_book(folder)
        found = mentioned(found, book.text(book.numbered(number).path).text)
    if as_json:
        emit({"notes": [asdict(note) for note in found], "unread": list(sentences)})
        return
    for note in found:
        when = "always" if note.always else ", ".join(note.keys) or "never by itself"
        show(f"{note.kind:<10} {note.title} ({note.path}): {when}")
    for sentence in sentences:
        say(sentence, error=True)
    if not found:
        say("No notes." if number is None else "That chapter mentions none.")


def _replaced(book: Book, finder: find.Finder, replacement: str, chapters: set[str]) -> Arrangement:
    def edits(text: str) -> tuple[Edit, ...]:
        changes = finder.changes(text, finder.all(text), replacement)
        return tuple((change.at, change.removed, change.inserted) for change in changes)

    return plans.rewritten(book, edits, [path for path in book.paths if path in chapters])


def _shown(hit: Hit) -> str:
    end = hit.at + hit.end - hit.start
    line = hit.context
    return f"{hit.number}:{hit.line}: {line[: hit.at]}[{line[hit.at : end]}]{line[end:]}"
