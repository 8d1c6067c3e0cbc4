"""The sheets over the text, and how payloads get there: through the files of a manuscript, or through a plan."""

from __future__ import annotations

from collections.abc import Sequence

from escape_places import Painted, Show, chunks, pushed, several, writable

from writer.generation.plan import Part, Plan
from writer.generation.plan_parts import Changes, Kind
from writer.generation.prompt import ChapterPrompt
from writer.manuscript.project import open_manuscript
from writer.runtime.events import PromptShown
from writer.tui.app import WriterApp
from writer.tui.book.chapters_sheet import ChaptersSheet
from writer.tui.book.notes_sheet import NotesSheet
from writer.tui.book.reading_sheet import ReadingSheet
from writer.tui.book.search_sheet import SearchSheet
from writer.tui.prompt.inspector import Inspector, InspectorSheet
from writer.tui.prompt.request_sheet import RequestSheet
from writer.tui.prompt.sampling_sheet import SamplingSheet

ROWS = 6  # of a list at a time: each may be wrapped, and some are as long as a line


async def book(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Chapters that only the outline has: title and synopsis."""
    outline = app.main.manuscript.folder / "outline.md"
    for chunk in several(payloads, ROWS):
        outline.write_text("\n\n".join(f"## {writable(text)}\n\nWho {writable(text)}" for text in chunk))
        async with pushed(app, ChaptersSheet(app.main)):
            await painted(chunk)


async def notes(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Notes: their names, and how they begin."""
    folder = app.main.manuscript.folder / "notes"
    for chunk in several(payloads, ROWS):
        for number, text in enumerate(chunk):
            (folder / f"{number}.md").write_text(f"# {writable(text)}\n\n{writable(text)}")
        async with pushed(app, NotesSheet(app.main)):
            await painted(chunk)


async def search(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Places in the chapters, each with the words around it."""
    for chunk in several(payloads, ROWS):
        _second_chapter(app, [f"lantern {text}" for text in chunk])
        async with pushed(app, SearchSheet(app.main, "lantern")):
            await painted(chunk)


async def reading(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """The whole book."""
    for chunk in several(payloads, ROWS):
        _second_chapter(app, chunk)
        async with pushed(app, ReadingSheet(app.main)):
            await painted(chunk)


async def inspector(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Parts of a plan: their titles, and why they are left out."""
    for chunk in several(payloads, ROWS):
        parts = tuple(Part(Kind.NOTE, text, text, 1, 1, False, False, text, Changes.WITH_THE_BOOK) for text in chunk)
        plan = Plan(parts, ChapterPrompt((), "", ""), 100, 10, 20, notes=(chunk[0],))
        panel = Inspector(alone=True)
        async with pushed(app, InspectorSheet(panel, app.main)):
            panel.show(PromptShown("c", plan, "x", 1), chunk[0], "")
            await painted(chunk)


async def request(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """The very text that is sent."""
    for chunk in several(payloads, ROWS):
        text = "\n\n".join(["The cursor stands here.", *chunk])
        async with pushed(app, RequestSheet("Request", text, "", app.main.editing)):
            await painted(chunk)


async def sampling(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Why nothing can be changed."""
    for chunk in chunks(payloads, 60):
        sheet = SamplingSheet(app.main.manuscript, None, lambda settings: None, refusal=" ".join(chunk))
        async with pushed(app, sheet):
            await painted(chunk)


SHEETS: dict[str, Show] = {
    "book": book,
    "notes": notes,
    "search": search,
    "reading": reading,
    "inspector": inspector,
    "request": request,
    "sampling": sampling,
}


def _second_chapter(app: WriterApp, paragraphs: Sequence[str]) -> None:
    folder = app.main.manuscript.folder
    (folder / "chapters" / "02-two.md").write_text("\n\n".join(map(writable, paragraphs)) + "\n")
    app.main.manuscript = open_manuscript(folder)
