"""What tests of changes of chapters share: a small book, its words, and doing a plan on it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from writer.manuscript import atomic
from writer.manuscript import chapter_plans as plans
from writer.manuscript.arrangement import Arrangement, Carried
from writer.manuscript.arranging import Shelf, arrange
from writer.manuscript.book import Book, read_book
from writer.manuscript.project import create
from writer.manuscript.versions import Versions

FIRST = "# The harbour\n\nMara came home. ünïcode\n\n"
TEXTS = {
    "chapters/01-chapter-1.md": f"{FIRST}The lamp was lit.\n",
    "chapters/02-the-lamp.md": "# The lamp\n\nNobody had oil.\n\n\n",
    "chapters/03-the-sea.md": "Storm without a heading.",
}


Plan = Callable[[Book], Arrangement]
PLANS: dict[str, Plan] = {
    "add": lambda book: plans.added(book, "The storm", after=1),
    "rename": lambda book: plans.renamed(book, 2, "The lamp is out"),
    "move": lambda book: plans.moved(book, 3, after=0),
    "split": lambda book: plans.split(
        book, 1, TEXTS["chapters/01-chapter-1.md"].index("The lamp was"), "The lamp is lit"
    ),
    "merge": lambda book: plans.merged(book, 1, 2),
}
KEPT = {"Mara", "came", "home", "ünïcode", "lit", "Nobody", "had", "oil", "Storm", "without", "heading", "summary"}
CHANGING = ("link", "unlink", "rename", "replace", "fsync", "mkdir")


def a_book(root: Path) -> Shelf:
    """A manuscript of three chapters, in `root/novel`, with its state in `root/state`."""
    create(root / "novel", title="The Lamp")
    shelf = shelf_of(root)
    for path, text in TEXTS.items():
        (shelf.folder / path).write_text(text, "utf-8", newline="")
    settings = shelf.folder / "writer.toml"
    listed = "".join(f'    "{path}",\n' for path in TEXTS)
    said = re.sub(r"chapters = \[.*?\]", f"chapters = [ # in order\n{listed}]", settings.read_text(), flags=re.DOTALL)
    settings.write_text(said + '\n[chapter."chapters/02-the-lamp.md"]\nstatus = "draft" # soon\npart = "One"\n')
    return shelf


def shelf_of(root: Path, calls: list[tuple[Carried, ...]] | None = None) -> Shelf:
    """The place of that manuscript; what the state is to carry along is put into `calls`."""
    (root / "state").mkdir(exist_ok=True)
    into = calls if calls is not None else []
    return Shelf(root / "novel", root / "state", Versions(root / "state" / "versions"), into.append)


def done(shelf: Shelf, plan: Arrangement) -> list[str]:
    """Do it; the paths of the chapters then."""
    arrange(shelf, plan)
    return read_book(shelf.folder).paths


def texts(shelf: Shelf) -> list[str]:
    """The chapters' texts in reading order."""
    return [(shelf.folder / path).read_bytes().decode() for path in read_book(shelf.folder).paths]


def words_on_disk(shelf: Shelf) -> set[str]:
    """Every word in any file of the manuscript but its settings."""
    found = [path.read_bytes().decode() for path in shelf.folder.rglob("*.md") if not path.name.startswith(".")]
    return {word for text in found for word in re.findall(r"\w+", text)}


def words_of(*told: str) -> set[str]:
    """Every word of these texts."""
    return {word for text in told for word in re.findall(r"\w+", text)}


def dying(work: Callable[[], object], at: int) -> bool:
    """Does the work in a process that is killed before its change number `at`; whether it was."""
    pid = os.fork()
    if pid == 0:
        left = at

        def counted(really: Callable[..., object]) -> Callable[..., object]:
            def call(*arguments: object, **named: object) -> object:
                nonlocal left
                left -= 1
                if left < 0:
                    os._exit(9)
                return really(*arguments, **named)

            return call

        for name in CHANGING:
            setattr(os, name, counted(getattr(os, name)))
        atomic.exchange = counted(atomic.exchange)  # type: ignore[assignment]
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
