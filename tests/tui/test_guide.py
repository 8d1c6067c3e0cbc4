"""The first steps: screen after screen, a model chosen, skipped and repeated, and a first paragraph at the end."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from desktop import Desktop, make_novel, offer, running
from fake_desk import FakeDesk
from test_models_sheet import FakeModels

from writer import locations
from writer.doctor.finding import Finding
from writer.errors import EngineError
from writer.manuscript.model import Manuscript
from writer.runtime.orders import DraftOrder, ResumeOrder
from writer.tui import first_run
from writer.tui.app import WriterApp
from writer.tui.book.sheet import Rows
from writer.tui.models.sheet import ModelsSheet
from writer.tui.prompt.key_line import KeyLine
from writer.tui.screens.ask import Ask
from writer.tui.screens.choice import Choice
from writer.tui.screens.resume import ResumeCard
from writer.tui.welcome import steps
from writer.tui.welcome.guide import Guide

FOUND = [Finding("GPU", "ok", "None; the CPU writes."), Finding("Disk", "warn", "1.0 GB are free.", "Free some space.")]


class Served(FakeModels):
    """Models, and servers instead of them."""

    def __init__(self) -> None:
        super().__init__()
        self.servers: list[str] = []

    def use_server(self, url: str) -> str:
        if " " in url:
            raise EngineError("That is not an address.")
        self.servers.append(url)
        return f"From now on {url} writes."


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


def said(desktop: Desktop) -> str:
    guide = desktop.app.screen
    assert isinstance(guide, Guide)
    return "\n".join(str(guide.query_one(f"#{name}").content) for name in ("words", "told"))  # type: ignore[attr-defined]


def title(desktop: Desktop) -> str:
    return str(desktop.app.screen.query_one(".title").content)  # type: ignore[attr-defined]


def rows(desktop: Desktop) -> list[str]:
    return [str(option.prompt) for found in desktop.app.screen.query(Rows) for option in found.options]


async def shown(desktop: Desktop, models: Served | None = None, step: str = "") -> None:
    """The guide, at this step."""
    desktop.app.models = (lambda: models) if models else None
    desktop.app.examine = lambda: FOUND
    await desktop.app.run_action("first_steps")
    await desktop.until(lambda: isinstance(desktop.app.screen, Guide) and desktop.app.screen.is_mounted)
    guide = desktop.app.screen
    assert isinstance(guide, Guide)
    for passed in steps.STEPS[: steps.STEPS.index(step) if step else 0]:
        await desktop.until(lambda passed=passed: guide.step == passed)
        await desktop.press("n")
    await desktop.until(lambda: not step or guide.step == step)
    await desktop.pilot.pause()


async def choose(desktop: Desktop, name: str) -> None:
    """The row that has this in it, by Enter."""
    await desktop.until(lambda: any(name in row for row in rows(desktop)))
    desktop.app.screen.query_one(Rows).highlighted = next(at for at, row in enumerate(rows(desktop)) if name in row)
    await desktop.press("enter")


async def press(desktop: Desktop, key: str, step: str) -> None:
    """A key that leads to this step."""
    await desktop.press(key)
    await desktop.until(lambda: desktop.app.screen.step == step)  # type: ignore[attr-defined]


async def test_enter_leads_through_all_screens_to_a_first_paragraph(novel: Manuscript) -> None:
    mark = locations.state_dir("") / first_run.MARK
    async with running(novel, FakeDesk()) as desktop:
        await shown(desktop, Served())
        assert title(desktop) == "First steps · 1 of 5 · Welcome"
        assert "“The Harbour”, is in English" in said(desktop)
        await press(desktop, "enter", "machine")
        await desktop.until(lambda: "! Disk: 1.0 GB are free.\n  → Free some space." in said(desktop))
        await press(desktop, "enter", "model")
        await desktop.until(lambda: any("org/tale" in row for row in rows(desktop)))
        assert rows(desktop)[0] == "The small model that comes with writer · in use · 250 MB"
        await press(desktop, "right", "words")
        assert str(novel.folder / "chapters") in said(desktop)
        assert str(locations.state_dir(novel.id)) in said(desktop)
        await press(desktop, "enter", "try")
        assert title(desktop).endswith("5 of 5 · Try it now")
        assert not mark.exists()
        await desktop.press("enter")
        await desktop.until(lambda: any(isinstance(order, DraftOrder) for order in desktop.desk.orders))
        await desktop.until(mark.exists)
        assert desktop.app.screen is desktop.screen


def keys(desktop: Desktop) -> str:
    return desktop.app.screen.query_one(KeyLine).render().plain  # type: ignore[union-attr, no-any-return]


async def test_the_line_of_keys_names_those_that_there_are(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await shown(desktop, Served(), "words")
        assert keys(desktop).startswith("n next · b back")
        await press(desktop, "n", "try")
        assert keys(desktop).startswith("b back · Enter what is marked · Esc not now")
        await press(desktop, "b", "words")
        assert keys(desktop).startswith("n next")


async def test_keys_that_turn_pages_never_write(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await shown(desktop, Served(), "try")
        await desktop.press("n", "right", "n")
        assert title(desktop).endswith("5 of 5 · Try it now")
        assert not any(isinstance(order, DraftOrder) for order in desktop.desk.orders)


@pytest.fixture
def welcomed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Apps begin with the first steps."""
    mounted = WriterApp.on_mount

    def on_mount(app: WriterApp) -> None:
        app.welcomes = True
        mounted(app)

    monkeypatch.setattr(WriterApp, "on_mount", on_mount)


async def test_an_offer_to_go_on_waits_until_the_guide_is_left(novel: Manuscript, welcomed: None) -> None:
    async with running(novel, FakeDesk(offer(novel))) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, Guide))
        await desktop.press("n")
        assert isinstance(desktop.app.screen, Guide)
        await desktop.press("escape")
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))


async def test_who_writes_from_the_guide_goes_on_and_is_not_asked_again(novel: Manuscript, welcomed: None) -> None:
    async with running(novel, FakeDesk(offer(novel))) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, Guide) and desktop.app.screen.is_mounted)
        await desktop.press("n", "n", "enter")
        await desktop.until(lambda: any(isinstance(order, ResumeOrder) for order in desktop.desk.orders))
        await desktop.pilot.pause()
        assert desktop.app.screen is desktop.screen


async def test_one_key_skips_it_and_nothing_is_written(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await shown(desktop)
        await desktop.press("escape", "H", "i")
        assert desktop.page.editor.text.startswith("Hi")
        assert not any(isinstance(order, DraftOrder) for order in desktop.desk.orders)
        await desktop.until((locations.state_dir("") / first_run.MARK).exists)


async def test_the_palette_shows_it_again(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await desktop.press("ctrl+p", *"first steps", "enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, Guide))
        assert title(desktop).startswith("First steps · 1 of 3"), "nothing to examine, nothing to choose"
        await press(desktop, "n", "words")
        await press(desktop, "b", "welcome")


async def test_a_mouse_is_enough(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await shown(desktop)
        await desktop.pilot.click("#next")
        await desktop.until(lambda: "2 of 4" in title(desktop))
        await desktop.pilot.click("#back")
        await desktop.until(lambda: "1 of 4" in title(desktop))
        await desktop.pilot.click("#skip")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)


async def test_a_model_is_chosen_and_the_next_enter_goes_on(novel: Manuscript) -> None:
    models = Served()
    async with running(novel, FakeDesk()) as desktop:
        await shown(desktop, models, "model")
        await choose(desktop, "org/tale")
        await desktop.until(lambda: "it writes." in said(desktop))
        assert models.used == ["org/tale"]
        await press(desktop, "enter", "words")


async def test_enter_on_the_model_that_writes_already_goes_on(novel: Manuscript) -> None:
    models = Served()
    async with running(novel, FakeDesk()) as desktop:
        await shown(desktop, models, "model")
        await choose(desktop, "in use")
        await desktop.until(lambda: desktop.app.screen.step == "words")  # type: ignore[attr-defined]
        assert models.used == []


async def test_a_suggestion_is_asked_about_before_anything_is_downloaded(novel: Manuscript) -> None:
    models = Served()
    async with running(novel, FakeDesk()) as desktop:
        await shown(desktop, models, "model")
        await choose(desktop, "Qwen/Qwen3-14B-FP8 · 16.4 GB to download, and fits")
        await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
        assert models.asked == ["Qwen/Qwen3-14B-FP8"]
        await desktop.press("escape")
        await desktop.until(lambda: isinstance(desktop.app.screen, ModelsSheet))
        await desktop.press("escape")
        await desktop.until(lambda: isinstance(desktop.app.screen, Guide))


async def test_a_server_is_named_by_its_address(novel: Manuscript) -> None:
    models = Served()
    async with running(novel, FakeDesk()) as desktop:
        await shown(desktop, models, "model")
        for url, told in (("no url", "That is not an address."), ("http://lab:1", "From now on http://lab:1 writes.")):
            await choose(desktop, "A server, by its address…")
            await desktop.until(lambda: isinstance(desktop.app.screen, Ask))
            await desktop.press(*url, "enter")
            await desktop.until(lambda told=told: told in said(desktop))
        assert models.servers == ["http://lab:1"]


async def test_a_slow_machine_holds_nothing_up(novel: Manuscript) -> None:
    hold, models = threading.Event(), Served()
    look = models.look
    models.look = lambda language="": (hold.wait(30), look(language))[1]  # type: ignore[method-assign]
    async with running(novel, FakeDesk()) as desktop:
        await shown(desktop, models, "model")
        assert rows(desktop) == ["Looking at this machine…"]
        await desktop.press("escape", "A")
        await desktop.until(lambda: desktop.page.editor.text.startswith("A"))
        hold.set()


async def test_all_of_it_can_be_reached_on_a_small_terminal(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await desktop.pilot.resize_terminal(40, 15)
        await shown(desktop, Served())
        guide = desktop.app.screen
        assert isinstance(guide, Guide)
        for step in steps.STEPS:
            await desktop.until(lambda step=step: guide.step == step)
            assert all(button.region.bottom <= 15 and button.region.right <= 40 for button in guide.query("Button"))
            text = guide.query_one("#said")
            await desktop.press(*["down"] * int(text.max_scroll_y))
            assert text.scroll_y == text.max_scroll_y or step == "model"
            if step != "try":
                await desktop.press("n")


def test_an_empty_chapter_gets_a_beginning_in_its_language() -> None:
    assert steps.first_instruction("# One\n\n", "en") == "Write the first paragraph of this chapter."
    assert steps.first_instruction("", "zh-TW") == "写出这一章的第一段。"
    assert steps.first_instruction("# One\n\nIt rained.", "en") == ""


def test_who_reads_another_language_learns_how_to_begin_in_it(
    novel: Manuscript, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not any("--language" in line for line in steps.welcome(novel))
    monkeypatch.setattr(steps, "spoken", lambda: "zh")
    assert steps.welcome(novel)[-1].endswith("writer new DIR --language zh")
