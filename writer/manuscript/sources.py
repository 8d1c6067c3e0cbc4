"""Sources: what a report is written from, below sources/. Markdown, text, CSV tables, Word and PDF files.

Word and PDF files are read by other people's libraries in a process of its own, with bounds of time and memory, and
what comes out is remembered by the file's content. Reads, never writes in the manuscript.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from writer.errors import ManuscriptError
from writer.language import say
from writer.manuscript import documents, material
from writer.manuscript.names import file_title, heading
from writer.text.sanitise import one_line

MOST_BYTES = 8 * 1024 * 1024  # of a text
MOST_CHARACTERS = 4_000_000  # of what is read from one file
MOST_ROWS, MOST_COLUMNS = 5000, 60
_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class Source:
    """One source, as Markdown."""

    path: str
    """From the manuscript's folder: "sources/survey.csv"."""
    title: str
    text: str
    note: str
    """One sentence about what was left out; "" if nothing was."""


def read_sources(folder: Path) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """All sources of the manuscript in `folder`, by path, and a sentence for each that could not be read.

    The first time a large PDF is read takes seconds: not for a thread that somebody waits for.
    """
    return material.each(folder, "sources", tuple(_READERS), partial(_source, folder), lambda source: len(source.text))


def _source(folder: Path, path: str) -> Source:
    text, note = _READERS[PurePosixPath(path).suffix.lower()](folder, path)
    text = text.strip()
    if len(text) > MOST_CHARACTERS:
        text = text[:MOST_CHARACTERS]
        note = say(
            "Only the first {most_characters:,} characters of {path} are used. Split the file.",
            most_characters=MOST_CHARACTERS,
            path=one_line(path, 120),
        )
    return Source(path, heading(text) or file_title(PurePosixPath(path).name), text, note)


def _plain(folder: Path, path: str) -> tuple[str, str]:
    return material.read_text(folder, path, MOST_BYTES), ""


def _table(folder: Path, path: str) -> tuple[str, str]:
    return markdown_table(material.read_text(folder, path, MOST_BYTES), one_line(path, 120))


def _document(folder: Path, path: str) -> tuple[str, str]:
    data = material.read_bytes(folder, path, documents.MOST_BYTES)
    return documents.text_of(data, PurePosixPath(path).suffix.lower(), one_line(path, 120))


_READERS: Mapping[str, Callable[[Path, str], tuple[str, str]]] = {
    ".md": _plain,
    ".txt": _plain,
    ".csv": _table,
    ".docx": _document,
    ".pdf": _document,
}


def markdown_table(text: str, name: str) -> tuple[str, str]:
    """A CSV file as a Markdown table, and a sentence about rows that are left out. Raises ManuscriptError."""
    delimiter = _delimiter(text)
    rows: list[list[str]] = []
    left = 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if len(rows) <= MOST_ROWS and row:
                rows.append([_cell(cell) for cell in row[:MOST_COLUMNS]])
            left += len(rows) > MOST_ROWS or len(row) > MOST_COLUMNS
    except csv.Error as error:
        raise ManuscriptError(
            say("{name} is no table ({error}). Save it as CSV again.", name=name, error=error)
        ) from None
    rows = rows[: MOST_ROWS + 1]
    if not rows:
        return "", ""
    width = max(len(row) for row in rows)
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    lines.insert(1, "|" + " --- |" * width)
    note = (
        say(
            "Only {most_rows:,} rows and {most_columns} columns of {name} are used. Cut the table.",
            most_rows=MOST_ROWS,
            most_columns=MOST_COLUMNS,
            name=name,
        )
        if left
        else ""
    )
    return "\n".join(lines), note


def _delimiter(text: str) -> str:
    """What parts the first rows into equally many columns. The library's own way takes minutes for some texts."""
    head = text[:8192].rsplit("\n", 1)[0]

    def rows_alike(delimiter: str) -> tuple[int, int]:
        try:
            widths = Counter(len(row) for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter) if row)
        except csv.Error:
            return 0, 0
        width, count = max(widths.items(), key=lambda item: item[1], default=(0, 0))
        return (count, width) if width > 1 else (0, 0)

    return max(_DELIMITERS, key=rows_alike)


def _cell(said: str) -> str:
    return " ".join(said.split()).replace("|", "\\|")
