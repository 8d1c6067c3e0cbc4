"""One export from end to end: the book is read, converted in a folder of its own, and put where it is wanted.

Until the last step nothing is changed anywhere; that one makes the file whole or not at all.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from writer.exchange import fonts, packages, pandoc, reference, typesetting
from writer.exchange.about import read_about, rounded
from writer.exchange.joining import Joined, join
from writer.exchange.markdown import with_head
from writer.exchange.orders import Exported, ExportOrder, Format, Style
from writer.exchange.pictures import Picture, pictures
from writer.exchange.wording import full_language, main_language, wording
from writer.exchange.workplace import put, refuse_to_replace, workplace
from writer.manuscript.names import slug

PLACE = "exports"


def export(order: ExportOrder) -> Exported:
    """Make the file. Seconds for a novel: not for a thread that somebody waits for.

    Raises ExchangeError, ConfigError, and what reading the manuscript does.
    """
    order = replace(order, style=order.style or style_of(order.folder))
    book = join(order)
    target = destination(order, book.title)
    refuse_to_replace(target, force=order.force)
    shown, left = pictures(order.folder, book.strict, ("chapters",))
    if order.format is Format.MD:
        data, note = with_head(book).encode("utf-8"), ""
    else:
        with workplace() as folder:
            data, note = Conversion(folder, order, book, shown).run()
    put(target, data, force=order.force)
    notes = [each for each in (note, *(left if order.format not in _TEXTS else ())) if each]
    return Exported(target, book.chapters, book.words, len(data), tuple(notes))


def style_of(folder: Path) -> Style:
    """How the manuscript in `folder` looks if nothing else is said. Raises ConfigError."""
    return Style(read_about(folder).style or Style.MANUSCRIPT)


def destination(order: ExportOrder, title: str) -> Path:
    """Where the file goes: as the order says, or by the book's title into the manuscript's folder `exports`."""
    name = f"{slug(title) or 'book'}.{order.format}"
    return Path(order.output) if order.output else order.folder / PLACE / name


_TEXTS = (Format.MD, Format.TXT)
_WRITERS = {Format.DOCX: "docx", Format.EPUB: "epub3", Format.PDF: "typst", Format.HTML: "html5", Format.TXT: "plain"}


@dataclass(frozen=True, slots=True)
class Conversion:
    """One run of pandoc, and of the typesetter if it is a PDF."""

    folder: Path
    order: ExportOrder
    book: Joined
    shown: Mapping[str, Picture]

    @property
    def _style(self) -> Style:
        return self.order.style or Style.MANUSCRIPT

    def run(self) -> tuple[bytes, str]:
        """The new file's bytes, and a sentence about it or "". Raises ExchangeError."""
        self._lay_out()
        pandoc.run(self.folder, self._arguments())
        made = self.folder / "made"
        match self.order.format:
            case Format.PDF:
                return typesetting.typeset(self.folder, "made", fonts.needs_east_asian(self.book.strict))
            case Format.DOCX:
                core = packages.core(self.book.title, self.book.about.author, full_language(self.book.language))
                files = {packages.CORE: core, packages.CUSTOM: packages.NO_CUSTOM}
                return packages.exchanged(made.read_bytes(), files), ""
            case Format.EPUB:
                css = (pandoc.DATA / "book.css").read_bytes()
                return packages.exchanged(made.read_bytes(), {"EPUB/styles/stylesheet1.css": css}), ""
        return made.read_bytes(), ""

    def _lay_out(self) -> None:
        """Everything that pandoc and its filter read, side by side."""
        (self.folder / "images").mkdir()
        for picture in self.shown.values():
            (self.folder / picture.path).write_bytes(picture.data)
        (self.folder / "book.md").write_text(self.book.strict, encoding="utf-8")
        (self.folder / "job.json").write_text(json.dumps(self._job()), encoding="utf-8")
        for name in ("export.lua", "book.css", f"{self._style}.typ"):
            shutil.copyfile(pandoc.DATA / name, self.folder / name)
        if self.order.format is Format.DOCX:
            pandoc.run(self.folder, ["--output=default.docx", "--print-default-data-file=reference.docx"])
            reference.make(self.folder / "default.docx", self.folder / "reference.docx", self._look())

    def _arguments(self) -> list[str]:
        arguments = [f"--from={pandoc.READS}", f"--to={_WRITERS[self.order.format]}", "--output=made", "--standalone"]
        arguments += ["--lua-filter=export.lua", "--wrap=none", "--syntax-highlighting=none", "book.md"]
        report = self._style is Style.REPORT
        if report and self.order.format is not Format.PDF:
            arguments += ["--number-sections"]
        match self.order.format:
            case Format.DOCX:
                arguments += ["--reference-doc=reference.docx", *(["--toc", "--toc-depth=3"] if report else [])]
            case Format.EPUB:
                arguments += ["--split-level=1", "--toc-depth=2"]
            case Format.HTML:
                arguments += ["--embed-resources", "--section-divs", *(["--toc"] if report else [])]
            case Format.PDF:
                arguments += [f"--template={self._style}.typ"]
        return arguments

    def _job(self) -> dict[str, Any]:
        """What the filter and the templates are told."""
        book, about, words = self.book, self.book.about, wording(self.book.language)
        names = {name: getattr(about, name) for name in ("subtitle", "author", "date", "publisher", "rights")}
        contact = [about.legal_name or about.author, *about.contact.splitlines()]
        return {
            **names,
            "title": book.title,
            "style": str(self._style),
            "lang": full_language(book.language),
            "identity": book.identity,
            "contact": [line for line in contact if line] or [""],
            "count": words.about.format(rounded(book.words)),
            "byline": f"{words.by} {about.author}".strip() if about.author else "",
            "contents": words.contents,
            "head": self._head(),
            "scene": "#" if self._style is Style.MANUSCRIPT else "* * *",
            "paper": self._paper(),
            "font": about.font,
            "eastern": list(fonts.wanted(book.language)),
            "images": {name: {"path": each.path, "mime": each.mime} for name, each in self.shown.items()},
        }

    def _head(self) -> str:
        about = self.book.about
        short = about.short_title or self.book.title
        if self._style is Style.REPORT:
            return short
        return " / ".join(part for part in (about.surname, short.upper()) if part)

    def _paper(self) -> str:
        return self.book.about.paper or ("letter" if main_language(self.book.language) == "en" else "a4")

    def _look(self) -> reference.Look:
        font = self.book.about.font or fonts.LATIN
        return reference.Look(self._style, self.book.language, font, self._paper(), self._head())
