"""`writer export` and `writer import`: the book for other programs, and from them."""

from __future__ import annotations

from pathlib import Path

import click

from writer.cli.output import emit, tell
from writer.exchange.orders import ExportOrder, Format, Style, chapters_of
from writer.language import say
from writer.text.sanitise import one_line

PATH = click.Path(path_type=Path)


@click.command(help=say("Make one file of the book: Word, EPUB, PDF, HTML, Markdown or plain text."))
@click.argument("folder", type=PATH)
@click.option(
    "--to", "form", type=click.Choice([str(each) for each in Format]), required=True, help=say("Kind of file.")
)
@click.option(
    "--output", "-o", type=PATH, default=None, help=say("The new file; in the manuscript's folder exports else.")
)
@click.option(
    "--style",
    type=click.Choice([str(each) for each in Style]),
    default=None,
    help=say("How it looks; as writer.toml says."),
)
@click.option("--chapters", default="", help=say("Only these, like 1-3,7 or 5-."))
@click.option("--force", is_flag=True, help=say("Replace the file if there is one."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def export(
    folder: Path, form: str, output: Path | None, style: str | None, chapters: str, force: bool, as_json: bool
) -> None:
    from writer.exchange.exporting import export as make

    made = make(ExportOrder(folder, Format(form), Style(style) if style else None, output, chapters, force))
    if as_json:
        facts = {"path": str(made.path), "chapters": made.chapters, "words": made.words, "bytes": made.size}
        emit({**facts, "notes": list(made.notes)})
        return
    for note in made.notes:
        tell(note, error=True)
    tell(made.sentence)


@click.command(
    "import",
    help=say(
        "Make a manuscript of a Word, OpenDocument, EPUB, HTML, Markdown or text file, a chapter for each heading."
    ),
)
@click.argument("file", type=PATH)
@click.argument("folder", type=PATH, required=False)
@click.option("--title", default="", help=say("Title of the book; what the file says if not given."))
@click.option("--language", default="", help=say("Its language, such as en or zh."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def import_(file: Path, folder: Path | None, title: str, language: str, as_json: bool) -> None:
    from writer.exchange.importing import import_book

    made = import_book(file, folder, title=title, language=language)
    if as_json:
        facts = {"folder": str(made.folder), "title": made.title, "chapters": made.chapters, "words": made.words}
        emit({**facts, "images": made.images, "notes": list(made.notes)})
        return
    for note in made.notes:
        tell(note, error=True)
    place = one_line(str(made.folder), 200)
    images = say(", {images:,} images", images=made.images) if made.images else ""
    tell(
        say(
            'Imported "{title}": {chapters}, {words:,} words{images}. Open it: writer {place}',
            title=made.title,
            chapters=chapters_of(made.chapters),
            words=made.words,
            images=images,
            place=place,
        )
    )
