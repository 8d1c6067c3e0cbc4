"""Takes on the screen: ordered, side by side while they are written, chosen, gone on with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from desktop import Desktop, make_novel, offer, running
from fake_desk import FakeDesk
from textual.widgets import Input, Static

from writer.generation.model import State
from writer.manuscript.model import Manuscript
from writer.runtime.events import (
    AsideBegun,
    BatchCommitted,
    DeskOpened,
    GenerationFailed,
    GenerationFinished,
    GenerationPaused,
    GenerationStarted,
    TakesListed,
)
from writer.runtime.orders import AsideOrder, DraftOrder, SaveOrder
from writer.runtime.takes import Take, digest
from writer.tui.screens.choice import Choice
from writer.tui.takes.asking import AskTakes
from writer.tui.takes.columns import Column
from writer.tui.takes.takes_sheet import TakesSheet


class TakesDesk(FakeDesk):
    """Writes takes beside the chapter, as a test tells it to."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Take] = {}
        self.running: set[str] = set()

    def takes(self, chapter: str) -> None:
        super().takes(chapter)
        self.report(TakesListed(chapter, tuple(take for take in self.kept.values() if take.chapter == chapter)))

    def pause(self, generation: str = "", chapter: str = "") -> None:
        super().pause(generation, chapter)
        for name in sorted(self.running):
            if generation in ("", name):
                self.end(name, State.PAUSED)

    def write(self, *texts: str, of: str = "") -> None:
        """The newest order's takes are begun, and these words of each are saved."""
        order = self.given(AsideOrder)[-1]
        for number, text in enumerate(texts, 1):
            name = f"t{len(self.kept) + 1}"
            self.kept[name] = take(
                name, order.chapter, text, of or digest(order.text), order.end, order.instruction, len(self.kept)
            )
            self.running.add(name)
            self.report(AsideBegun(order.tag, name, order.chapter, "take", number, order.count))
        for name, text in zip(list(self.kept)[-len(texts) :], texts, strict=True):
            self.report(GenerationStarted(name, order.chapter, 7, 0, 0, 0, 0, 0.1))
            self.report(BatchCommitted(name, 0, (1,), text, 1))

    def end(self, name: str, state: State = State.FINISHED) -> None:
        self.running.discard(name)
        self.kept[name] = replace(self.kept[name], state=state)
        paused, finished = GenerationPaused(name, 1), GenerationFinished(name, 1, "stop")
        self.report(paused if state is State.PAUSED else finished)


def take(name: str, chapter: str, text: str, of: str, at: int, instruction: str = "", created: float = 0.0) -> Take:
    return Take(
        generation=name,
        chapter=chapter,
        role="take",
        state=State.RUNNING,
        reason=None,
        parent="",
        parent_tokens=0,
        depth=0,
        place=(at, at),
        instruction=instruction,
        created=created,
        tokens=1,
        words=len(text.split()),
        text=text,
        of=of,
    )


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


def heads(desktop: Desktop) -> list[str]:
    columns = desktop.app.screen.query(Column)
    return [("▸ " if column.has_class("-marked") else "") + column.shown.head for column in columns]


def title(desktop: Desktop) -> str:
    return str(desktop.app.screen.query_one(".title", Static).content)


async def order(desktop: Desktop, count: str = "2", instruction: str = "") -> None:
    await desktop.press("ctrl+t")
    await desktop.until(lambda: isinstance(desktop.app.screen, TakesSheet))
    await desktop.until(lambda: "none yet" in title(desktop))
    await desktop.press("n")
    await desktop.until(lambda: isinstance(desktop.app.screen, AskTakes))
    desktop.app.screen.query_one("#count", Input).value = count
    desktop.app.screen.query_one("#instruction", Input).value = instruction
    await desktop.press("enter")
    await desktop.until(lambda: desktop.desk.given(AsideOrder))


async def test_takes_are_ordered_and_shown_side_by_side_while_they_are_written(novel: Manuscript) -> None:
    desk = TakesDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        await order(desktop, "3", "She opens the door.")
        given = desk.given(AsideOrder)[0]
        assert (given.chapter, given.text, given.start, given.end) == (
            novel.chapters[0].path,
            text,
            len(text),
            len(text),
        )
        assert (given.role, given.instruction, given.count) == ("take", "She opens the door.", 3)
        desk.write(" One began.", " Two too.", " And the third did.")
        await desktop.until(lambda: len(heads(desktop)) == 3 and "4 words" in heads(desktop)[2])
        assert heads(desktop)[0].startswith("▸ 1 · 2 words · written")
        assert "3 at once" in title(desktop)
        assert "She opens the door." in title(desktop)
        desk.report(BatchCommitted("t2", 1, (2,), " Then it went on.", 2))
        await desktop.until(lambda: "6 words" in heads(desktop)[1])
        assert desktop.page.editor.text == text  # nothing of them is in the chapter


async def test_leaving_the_sheet_leaves_the_takes_writing(novel: Manuscript) -> None:
    desk = TakesDesk()
    async with running(novel, desk) as desktop:
        await order(desktop)
        desk.write(" One.", " Two.")
        await desktop.until(lambda: len(heads(desktop)) == 2)
        await desktop.press("escape")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        assert desk.running == {"t1", "t2"}
        desk.report(BatchCommitted("t1", 1, (2,), " More of it.", 2))
        await desktop.press("ctrl+t")
        await desktop.until(lambda: len(heads(desktop)) == 2 and "4 words" in heads(desktop)[0])


async def test_a_number_chooses_a_take_as_one_step_and_the_next_press_goes_on_with_it(novel: Manuscript) -> None:
    desk = TakesDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        await order(desktop)
        desk.write(" One began.", " Two too.")
        await desktop.until(lambda: len(heads(desktop)) == 2)
        await desktop.press("2")  # it is still being written: it is paused first
        await desktop.until(lambda: "choose t2" in desk.orders)
        assert desktop.page.editor.text == text + " Two too."
        saved = [at for at, each in enumerate(desk.orders) if isinstance(each, SaveOrder)][-1]
        assert desk.orders[saved].text == text + " Two too."  # type: ignore[union-attr]
        assert saved < desk.orders.index("choose t2")
        assert desk.running == {"t1"}
        await desktop.press("ctrl+g")
        draft = desk.given(DraftOrder)[-1]
        assert (draft.parent, draft.parent_tokens >= 1, draft.text) == ("t2", True, text + " Two too.")
        desk.report(GenerationFailed("", 0, "No engine."))
        await desktop.until(lambda: not desktop.screen.writing.busy)
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == text
        await desktop.until(lambda: desk.orders[-1] == "unchoose t2")
        await desktop.press("ctrl+y")
        assert desktop.page.editor.text == text + " Two too."
        await desktop.until(lambda: desk.orders[-1] == "choose t2")
        await desktop.press("ctrl+z", "ctrl+g")
        assert desk.given(DraftOrder)[-1].parent == ""


async def test_another_take_replaces_the_one_that_was_chosen_in_one_step(novel: Manuscript) -> None:
    desk = TakesDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        await order(desktop)
        desk.write(" One began.", " Two too.")
        desk.end("t1")
        desk.end("t2")
        await desktop.until(lambda: len(heads(desktop)) == 2)
        await desktop.press("1")
        await desktop.until(lambda: desktop.page.editor.text == text + " One began.")
        desktop.page.editor.move_to(0)
        await desktop.press("A", "ctrl+t")  # the author writes in front of it meanwhile
        await desktop.until(lambda: len(heads(desktop)) == 2)
        await desktop.press("right", "enter")
        await desktop.until(lambda: "choose t2" in desk.orders)
        assert desktop.page.editor.text == "A" + text + " Two too."
        assert desk.orders.index("unchoose t1") < desk.orders.index("choose t2")
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == "A" + text + " One began."
        await desktop.until(lambda: desk.orders[-2:] == ["unchoose t2", "choose t1"])
        await desktop.press("ctrl+g")
        assert desk.given(DraftOrder)[-1].parent == "t1"  # it is gone on with what stands there now


async def test_a_take_finds_its_place_in_a_chapter_that_has_changed_or_asks(novel: Manuscript) -> None:
    desk = TakesDesk()
    async with running(novel, desk) as desktop:
        text = desktop.page.editor.text
        await order(desktop, "1")
        desk.write(" One began.", of="of a text that nobody knows")
        desk.end("t1")
        await desktop.until(lambda: len(heads(desktop)) == 1)
        await desktop.press("enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
        assert "choose t1" not in desk.orders
        await desktop.press("enter")
        await desktop.until(lambda: "choose t1" in desk.orders)
        assert desktop.page.editor.text == text + " One began."


async def test_a_take_is_paused_and_gone_on_with_alone(novel: Manuscript) -> None:
    desk = TakesDesk()
    async with running(novel, desk) as desktop:
        await order(desktop)
        desk.write(" One.", " Two.")
        await desktop.until(lambda: len(heads(desktop)) == 2)
        await desktop.press("right", "g")
        await desktop.until(lambda: "paused" in heads(desktop)[1])
        assert desk.running == {"t1"}
        await desktop.press("g")
        assert desk.orders[-1] == "go on t2"


async def test_an_order_that_fails_is_told_and_leaves_the_chapter_alone(novel: Manuscript) -> None:
    desk = TakesDesk()
    async with running(novel, desk) as desktop:
        await order(desktop)
        await desktop.until(lambda: "the engine reads" in title(desktop))
        desk.report(GenerationFailed("", 0, "No engine.", tag=desk.given(AsideOrder)[0].tag))
        await desktop.until(lambda: "none yet" in title(desktop))
        assert desktop.told == ["No engine."]
        assert not desktop.screen.writing.busy
        assert "pause" not in desk.orders


async def test_the_tree_lists_every_text_and_leads_to_each(novel: Manuscript) -> None:
    desk = TakesDesk()
    async with running(novel, desk) as desktop:
        chapter = novel.chapters[0].path
        desk.kept["old"] = take("old", chapter, "[red]Old\x1b[2J words", "x", 3, created=-5.0)
        desk.kept["new"] = take("new", chapter, "New words", "y", 3, created=1.0)
        await desktop.press("ctrl+t")
        await desktop.until(lambda: heads(desktop))
        assert len(heads(desktop)) == 1
        await desktop.press("t")
        await desktop.until(lambda: "2 texts" in title(desktop))
        await desktop.press("home", "enter")
        await desktop.until(lambda: "3 words" in heads(desktop)[0] or "2 words" in heads(desktop)[0])
        shown = desktop.app.screen.query_one(Column).shown
        assert shown.name == "old"


async def test_interrupted_takes_are_offered_at_the_start(novel: Manuscript) -> None:
    desk = TakesDesk()
    chapter = novel.chapters[0].path
    for number in (1, 2):
        desk.kept[f"t{number}"] = replace(take(f"t{number}", chapter, " Half a", "z", 9), state=State.INTERRUPTED)
    asides = tuple(replace(offer(novel, name), role="take") for name in desk.kept)
    desk.start = lambda notify: (setattr(desk, "_notify", notify), desk.report(DeskOpened((), desk.engine, (), asides)))  # type: ignore[method-assign, assignment]
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
        await desktop.press("enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, TakesSheet) and len(heads(desktop)) == 2)
        assert all("paused" in head for head in heads(desktop))
