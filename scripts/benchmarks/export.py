"""What an export of a book of 120,000 words costs, and whether it comes back whole. E1 and E2."""

from __future__ import annotations

import random
import re
import resource
import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from benchmarks.borrowed import helper, own_folder
from benchmarks.targets import Measure, Plan, Reading
from writer.exchange.exporting import export
from writer.exchange.importing import import_book
from writer.exchange.orders import ExportOrder, Format
from writer.manuscript.book import read_book

_GOAL = 60.0
"""Seconds of processor time, ours and that of the programs we start."""
_MARKS = (r"(?<![*\w])\*[^*\n]+\*(?![*\w])", r"(?m)^\*\*\*$", r"(?m)^#+ .*$")
"""Emphasis, scene breaks, headings."""


def cost(plan: Plan) -> list[Reading]:
    """E1: each format once, and the import of the Word file."""
    folder, readings = own_folder("export"), []
    book = _book(quick=plan.quick)
    for form in Format:
        spent = _spent(lambda form=form: export(ExportOrder(book, form, output=folder / f"cost.{form}", force=True)))
        readings.append(Reading(f"export to {form}", spent, _GOAL, "s"))
    shutil.rmtree(folder / "cost", ignore_errors=True)
    spent = _spent(lambda: import_book(folder / "cost.docx", folder / "cost"))
    return [*readings, Reading("import of the Word file", spent, _GOAL, "s")]


def comes_back(plan: Plan) -> list[Reading]:
    """E2: chapters, words and marks that differ after an export to Word and an import of that."""
    folder = own_folder("export")
    book = _book(quick=plan.quick)
    shutil.rmtree(folder / "back", ignore_errors=True)
    import_book(export(ExportOrder(book, Format.DOCX, output=folder / "back.docx", force=True)).path, folder / "back")
    before, after = _texts(book), _texts(folder / "back")
    chapters = abs(len(before) - len(after)) + sum(
        a.split("\n")[0] != b.split("\n")[0] for a, b in zip(before, after, strict=False)
    )
    words = sum(a != b for a, b in zip(_words(before), _words(after), strict=False))
    words += abs(len(_words(before)) - len(_words(after)))
    marks = sum(
        re.findall(each, a) != re.findall(each, b) for each in _MARKS for a, b in zip(before, after, strict=False)
    )
    said = f"{len(before)} chapters, {len(_words(before)):,} words"
    return [
        Reading("chapters that differ", chapters, 0.0, "", said),
        Reading("words that differ", words, 0.0, ""),
        Reading("chapters whose emphasis, scene breaks or headings differ", marks, 0.0, ""),
    ]


TARGETS: dict[str, Measure] = {"E1": cost, "E2": comes_back}


def _texts(folder: Path) -> list[str]:
    book = read_book(folder)
    return [book.text(path).text for path in book.paths]


def _words(texts: list[str]) -> list[str]:
    return " ".join(texts).replace("\\", "").split()


@lru_cache(maxsize=1)
def _book(*, quick: bool) -> Path:
    size = {"chapters": 4, "words": 4000, "notes": 9} if quick else {}
    folder: Path = helper("a_book").make(own_folder("export") / "book", **size)
    source = random.Random(7)
    for file in (folder / "chapters").iterdir():
        file.write_text(_marked(file.read_text(encoding="utf-8"), source), encoding="utf-8")
    return folder


def _marked(text: str, source: random.Random) -> str:
    """The chapter with emphasis, scene breaks and headings at places that are always the same."""
    head, *paragraphs = text.rstrip("\n").split("\n\n")
    told = [head]
    for paragraph in paragraphs:
        words = paragraph.split(" ")
        at = source.randrange(len(words))
        words[at] = re.sub(r"[\w-]+", lambda found: f"*{found[0]}*", words[at], count=1)
        told.append(" ".join(words))
        told += source.choice(([], [], [], ["***"], ["## Later"]))
    return "\n\n".join([*told, "The end."]) + "\n"


def _spent(work: Callable[[], object]) -> float:
    begun = _cpu()
    work()
    return _cpu() - begun


def _cpu() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in usages)
