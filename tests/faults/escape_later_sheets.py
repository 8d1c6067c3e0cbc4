"""The sheets of thoughts, models, places in a take, exports and first steps: how payloads get onto them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from escape_places import Painted, Show, pushed, several

from writer.catalogue.ports import Models, Shelf
from writer.catalogue.values import Machine, Shelved
from writer.doctor.finding import Finding
from writer.runtime.events import ThoughtFound
from writer.tui.app import WriterApp
from writer.tui.book.export_sheet import ExportSheet
from writer.tui.models.entry import Shop
from writer.tui.models.sheet import ModelsSheet
from writer.tui.screens.thought_sheet import ThoughtSheet
from writer.tui.takes.place_sheet import PlaceSheet
from writer.tui.welcome.guide import Guide


class _Shelf(Models):
    """Models with such names."""

    host = "hub.example"

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def look(self, language: str = "") -> Shelf:
        found = tuple(Shelved(name, "folder", Path("/m"), 1, licence=name, trouble=name) for name in self._names)
        return Shelf(Machine("cpu", self._names[0], 1, 1), found, ())


async def thought(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """What a model thinks, and why there is nothing to show."""
    chapter = app.main.manuscript.chapters[0].path
    for chunk in several(payloads, 3):
        async with pushed(app, sheet := ThoughtSheet(app.main.desk, chapter)):
            sheet.show(ThoughtFound(chapter, "g", "\n".join(chunk), 9, 9, why=chunk[0]))
            await painted(chunk)


async def models(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Names and licences of models, and what is wrong with them."""
    for chunk in several(payloads, 3):
        shelf = _Shelf(chunk)
        async with pushed(app, ModelsSheet(app.main, shelf, Shop(app.main, shelf))):
            await painted(chunk)


async def place(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """The text of a take in which a place is chosen."""
    for chunk in several(payloads, 3):
        async with pushed(app, PlaceSheet("\n\n".join(chunk))):
            await painted(chunk)


async def export(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """Where the author wants the file."""
    async with pushed(app, ExportSheet(app.main)) as sheet:
        assert isinstance(sheet, ExportSheet)
        for payload in payloads:
            sheet._placed(f"/{payload.replace('/', '')}.md")
            await painted([payload])


async def guide(app: WriterApp, payloads: Sequence[str], painted: Painted) -> None:
    """What was found on the machine, and the names of models."""
    for chunk in several(payloads, 3):
        found = tuple(Shelved(name, "folder", Path("/m"), 1) for name in chunk)
        shelf = _Shelf(chunk)
        shelf.look = lambda language="", found=found: Shelf(Machine("cpu", "m", 1, 1), found, ())  # type: ignore[method-assign,misc]
        findings = [Finding(text, "warn", text, text) for text in chunk]
        async with pushed(
            app, Guide(app.main, Path("/s"), Shop(app.main, shelf), lambda found=findings: found)
        ) as shown:  # type: ignore[misc]
            assert isinstance(shown, Guide)
            for _ in range(2):
                shown.action_next()
                await painted(chunk)


LATER: dict[str, Show] = {
    "thought": thought,
    "models sheet": models,
    "place in a take": place,
    "export": export,
    "first steps": guide,
}
