"""The models in the app: seen, chosen, downloaded beside the writing, stopped, erased."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk

from writer.catalogue.ports import CalledOff, Shelf
from writer.catalogue.suggesting import suggest
from writer.catalogue.table import BUILT_IN, read
from writer.catalogue.values import Fit, HubFile, Machine, Offer, Progress, Shelved, Weights
from writer.errors import ModelUnusable
from writer.manuscript.model import Manuscript
from writer.tui.book.sheet import Rows
from writer.tui.models.sheet import ModelsSheet
from writer.tui.screens.ask import Ask
from writer.tui.screens.choice import Choice

GB = 10**9
GPU = Machine("gpu", "GPU 24", 24 * GB, 24 * GB)
WEIGHTS = Weights(16 * GB, "bf16", 73_728, 32_768)
FIT = Fit(True, 9000, 19 * GB, 20 * GB)


class FakeFetching:
    """A download that waits for the test."""

    def __init__(self, models: FakeModels) -> None:
        self._models = models
        self._stopped = threading.Event()

    def ask(self, hub: str) -> Offer:
        self._models.asked.append(hub)
        if self._models.refusal:
            raise ModelUnusable(self._models.refusal)
        return Offer(hub, "c" * 40, "apache-2.0", False, (HubFile("a", 16 * GB, "a" * 64),), WEIGHTS, 4 * GB)

    def fetch(self, offer: Offer, report: Callable[[Progress], None]) -> str:
        report(Progress(8 * GB, 16 * GB, 80e6, 100.0))
        self._models.fetching_now.set()
        while not self._models.go_on.wait(0.01):
            if self._stopped.is_set():
                raise CalledOff
        return offer.hub

    def cancel(self) -> None:
        self._stopped.set()


class FakeModels:
    """What the sheet asks, without a machine."""

    host = "hub.example"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.used: list[str] = []
        self.removed: list[str] = []
        self.refusal = ""
        self.languages: list[str] = []
        self.fetching_now, self.go_on = threading.Event(), threading.Event()
        self.here = [
            Shelved("small", "small", Path("/m/small"), GB // 4, chosen=True),
            Shelved("org/tale", "downloaded", Path("/m/org--tale"), 16 * GB, WEIGHTS, "mit", ours=True, fit=FIT),
        ]

    def look(self, language: str = "") -> Shelf:
        self.languages.append(language)
        found = [each for each in suggest(read(BUILT_IN), GPU, language) if each.fit.fits]
        return Shelf(GPU, tuple(self.here), tuple(found))

    def fetching(self) -> FakeFetching:
        return FakeFetching(self)

    def judge(self, offer: Offer) -> Fit:
        return FIT

    def use(self, model: Shelved | str) -> str:
        self.used.append(model if isinstance(model, str) else model.name)
        return "From the next start of the app, it writes."

    def remove(self, model: Shelved) -> None:
        self.removed.append(model.name)
        self.here.remove(model)


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


@pytest.fixture
def models() -> FakeModels:
    return FakeModels()


def rows(desktop: Desktop) -> list[str]:
    return [str(option.prompt) for found in desktop.app.screen.query(Rows) for option in found.options]


async def opened(desktop: Desktop, models: FakeModels) -> None:
    """The sheet, with its rows."""
    desktop.app.models = lambda: models
    await desktop.app.run_action("models")
    await desktop.until(lambda: isinstance(desktop.app.screen, ModelsSheet) and rows(desktop))


async def choose(desktop: Desktop, name: str) -> None:
    """Highlight the row that has this in it."""
    number = next(at for at, row in enumerate(rows(desktop)) if name in row)
    desktop.app.screen.query_one(Rows).highlighted = number
    await desktop.pilot.pause()


async def downloading(desktop: Desktop, models: FakeModels) -> None:
    """A download that is on its way, agreed to in the card."""
    await choose(desktop, "Qwen/Qwen3-14B-FP8")
    await desktop.press("enter")
    await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
    await desktop.press("enter")
    await desktop.until(models.fetching_now.is_set)
    await desktop.until(lambda: any("8.0 GB of 16.0 GB" in row for row in rows(desktop)))


async def test_the_sheet_tells_what_is_here_and_what_would_fit(novel: Manuscript, models: FakeModels) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await opened(desktop, models)
        told = rows(desktop)
        assert told[0] == "On this machine"
        assert told[1].startswith("  small (in use) · comes with writer")
        assert told[2].startswith("  org/tale · downloaded by writer · 16.0 GB, bf16, context 32,768 · licence mit")
        assert told[3] == "Not here, and would fit · Enter asks hub.example; nothing else does"
        assert told[4].startswith("  Qwen/Qwen3-14B-FP8 · 16.4 GB, fp8 · 12,207 tokens of text\n    licence Apache-2.0")
        assert models.languages == [novel.language]
        assert models.asked == []


async def test_enter_writes_with_a_model_that_is_here(novel: Manuscript, models: FakeModels) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await opened(desktop, models)
        await choose(desktop, "org/tale")
        await desktop.press("enter")
        await desktop.until(lambda: "From the next start of the app, it writes." in desktop.told)
        assert models.used == ["org/tale"]


async def test_a_download_is_told_before_and_goes_on_while_the_author_writes(
    novel: Manuscript, models: FakeModels
) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await opened(desktop, models)
        await choose(desktop, "Qwen/Qwen3-14B-FP8")
        await desktop.press("enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
        card = "\n".join(str(label.content) for label in desktop.app.screen.query("Label").results())
        assert "4.0 GB of it are here already." in card
        assert "Licence: apache-2.0." in card
        assert "It fits, with 9,000 tokens of text" in card
        await desktop.press("enter")
        await desktop.until(models.fetching_now.is_set)
        await desktop.until(
            lambda: any("8.0 GB of 16.0 GB · 80.0 MB/s · 1 min 40 s left" in row for row in rows(desktop))
        )
        await desktop.press("escape", "H", "i")
        assert desktop.page.editor.text.startswith("Hi")
        models.go_on.set()
        await desktop.until(lambda: any("Qwen/Qwen3-14B-FP8 is downloaded." in told for told in desktop.told))
        await desktop.app.run_action("models")
        await desktop.until(lambda: rows(desktop))
        assert not any("Downloading" in row for row in rows(desktop))


async def test_a_download_is_stopped_by_a_key(novel: Manuscript, models: FakeModels) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await opened(desktop, models)
        await downloading(desktop, models)
        await choose(desktop, "Qwen/Qwen3-8B")
        await desktop.press("enter")
        assert any("One model at a time" in told for told in desktop.told)
        await desktop.press("x")
        await desktop.until(lambda: any("has stopped. What has come is kept." in told for told in desktop.told))


async def test_leaving_the_app_stops_a_download(novel: Manuscript, models: FakeModels) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await opened(desktop, models)
        await downloading(desktop, models)
        shop = desktop.app._shop
        assert shop is not None
        download = shop.download
    assert download is not None
    assert download.cancelling


async def test_a_refusal_of_the_hub_is_one_sentence(novel: Manuscript, models: FakeModels) -> None:
    models.refusal = "The makers give it only to those who have accepted its licence."
    async with running(novel, FakeDesk()) as desktop:
        await opened(desktop, models)
        await desktop.press("n")
        await desktop.until(lambda: isinstance(desktop.app.screen, Ask))
        await desktop.press(*"org/new", "enter")
        await desktop.until(lambda: models.refusal in desktop.told)
        assert models.asked == ["org/new"]
        assert not any("Asking" in row for row in rows(desktop))


async def test_only_what_is_writers_own_is_erased_and_only_after_a_question(
    novel: Manuscript, models: FakeModels
) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await opened(desktop, models)
        await choose(desktop, "small")
        await desktop.press("d")
        assert any("Only what writer has downloaded" in told for told in desktop.told)
        await choose(desktop, "org/tale")
        await desktop.press("d")
        await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
        await desktop.press("enter")  # the first button goes back
        assert models.removed == []
        await desktop.press("d")
        await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
        await desktop.press("right", "enter")
        await desktop.until(lambda: not any("org/tale" in row for row in rows(desktop)))
        assert models.removed == ["org/tale"]


async def test_a_slow_machine_does_not_hold_up_the_screen(novel: Manuscript, models: FakeModels) -> None:
    hold = threading.Event()
    answer = models.look
    models.look = lambda language="": (hold.wait(30), answer(language))[1]  # type: ignore[method-assign]
    async with running(novel, FakeDesk()) as desktop:
        desktop.app.models = lambda: models
        await desktop.app.run_action("models")
        await desktop.until(lambda: isinstance(desktop.app.screen, ModelsSheet))
        await desktop.press("escape", "A")
        await desktop.until(lambda: desktop.page.editor.text.startswith("A"))
        hold.set()


async def test_the_palette_leads_there(novel: Manuscript, models: FakeModels) -> None:
    async with running(novel, FakeDesk()) as desktop:
        desktop.app.models = lambda: models
        await desktop.press("ctrl+p", *"models", "enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, ModelsSheet))
