"""The find bar: what it asks for, when, and that it can be used by keyboard alone on a small screen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from unittest.mock import Mock

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.pilot import Pilot
from textual.widgets import Input, Static

from writer.editing.find import Query
from writer.tui.editor import find_bar
from writer.tui.editor.find_bar import FindBar


class Pane(App[None]):
    """A pane with a text and a bar; notes what the bar asks for."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[object] = []

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("text")
            yield FindBar()

    def on_find_bar_searched(self, event: FindBar.Searched) -> None:
        self.told.append(event.query)

    def on_find_bar_moved(self, event: FindBar.Moved) -> None:
        self.told.append("next" if event.forward else "previous")

    def on_find_bar_replaced(self, event: FindBar.Replaced) -> None:
        self.told.append(("all" if event.all else "one", event.replacement))

    def on_find_bar_closed(self) -> None:
        self.told.append("closed")


class Asked:
    """The bar at hand, and what it asked for since it was opened."""

    def __init__(self, app: Pane, pilot: Pilot[None]) -> None:
        self.app, self.pilot, self.bar = app, pilot, app.query_one(FindBar)

    async def until(self, condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + 10
        while not condition():
            assert time.monotonic() < deadline, self.app.told
            await asyncio.sleep(0.01)  # the poll's interval, not a condition

    async def hears(self, *expected: object) -> None:
        """Exactly these were asked for since the last time."""
        await self.until(lambda: len(self.app.told) >= len(expected))
        await self.pilot.pause()
        assert self.app.told == list(expected)
        self.app.told.clear()

    def rows(self) -> str:
        """What the screen shows."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())


@asynccontextmanager
async def opened(
    replacing: bool = False, pattern: str = "", size: tuple[int, int] = (80, 12)
) -> AsyncIterator[tuple[Asked, Pilot[None]]]:
    app = Pane()
    async with app.run_test(size=size) as pilot:
        asked = Asked(app, pilot)
        asked.bar.open(replacing, pattern)
        await asked.hears(Query(pattern))
        yield asked, pilot


async def test_it_searches_when_the_typing_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_bar, "PAUSE", 60.0)
    async with opened() as (asked, pilot):
        await pilot.press(*"se")
        monkeypatch.setattr(find_bar, "PAUSE", 0.01)
        await pilot.press("a")
        await asked.hears(Query("sea"))


async def test_enter_does_not_wait_for_the_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_bar, "PAUSE", 60.0)
    async with opened() as (asked, pilot):
        await pilot.press(*"sea", "enter", "enter")
        await asked.hears(Query("sea"), "next", "next")


async def test_every_way_to_the_next_and_the_one_before() -> None:
    async with opened(pattern="sea") as (asked, pilot):
        await pilot.press("enter", "f3", "down", "shift+f3", "up")
        await asked.hears("next", "next", "next", "previous", "previous")


async def test_the_toggles_are_reached_by_tab_and_search_at_once() -> None:
    async with opened(pattern="sea") as (asked, pilot):
        await pilot.press("tab", "space")
        await asked.hears(Query("sea", case=True))
        await pilot.press("tab", "enter", "tab", "space")
        await asked.hears(Query("sea", case=True, word=True), Query("sea", case=True, word=True, regex=True))
        assert "[x] Case [x] Word [x] Regex" in asked.rows()
        await pilot.press("shift+tab", "shift+tab", "space")
        await asked.hears(Query("sea", word=True, regex=True))
        await pilot.press("shift+tab", *"shore", "enter")
        await asked.hears(Query("shore", word=True, regex=True), "next")


async def test_the_toggles_take_the_mouse() -> None:
    async with opened(pattern="sea") as (asked, pilot):
        await pilot.click(find_bar.Toggle)
        await asked.hears(Query("sea", case=True))


async def test_replacing_by_keyboard() -> None:
    async with opened(True, "sea") as (asked, pilot):
        await pilot.press("tab", *"lake", "enter")
        await asked.hears(("one", "lake"))
        await pilot.press("tab", "tab", "tab", "tab", "enter")
        await asked.hears(("one", "lake"))
        await pilot.press("tab", "enter")
        await asked.hears(("all", "lake"))
        await pilot.press("tab", *"x", "enter")
        await asked.hears(Query("x"), "next")


async def test_replacing_does_not_wait_for_the_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find_bar, "PAUSE", 60.0)
    async with opened(True) as (asked, pilot):
        await pilot.press(*"sea", "tab", "enter")
        await asked.hears(Query("sea"), ("one", ""))


async def test_escape_closes_and_the_next_time_begins_where_it_ended() -> None:
    async with opened(True, "sea") as (asked, pilot):
        await pilot.press("tab", "tab", "escape")
        await asked.hears("closed")
        await asked.until(lambda: "sea" not in asked.rows())
        asked.bar.open(False)
        await asked.hears(Query("sea"))
        assert "Replace" not in asked.rows()
        await pilot.press(*"sky", "enter")
        await asked.hears(Query("sky"), "next")


async def test_closing_takes_back_the_search_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Mock] = []
    monkeypatch.setattr(FindBar, "set_timer", lambda *_: started.append(Mock()) or started[-1])
    async with opened() as (asked, pilot):
        await pilot.press("s")
        await asked.until(lambda: started)
        await pilot.press("escape")
        await asked.hears("closed")
        assert started[-1].stop.called


async def test_it_can_be_opened_before_it_is_there() -> None:
    async with Pane().run_test() as pilot:
        bar = FindBar(id="second")
        bar.open(True, "sea")
        await pilot.app.mount(bar)
        asked = Asked(pilot.app, pilot)  # type: ignore[arg-type]
        await asked.hears(Query("sea"))
        assert bar.has_focus_within


async def test_several_lines_are_no_pattern() -> None:
    async with opened(pattern="sea") as (asked, _):
        asked.bar.open(False, "one\ntwo")
        await asked.hears(Query("sea"))


async def test_user_text_is_shown_as_it_is() -> None:
    """R1"""
    async with opened(pattern="[b]\x1b[31m\tx") as (asked, _):
        asked.bar.tell("[red]no\x1b[0m\nsuch thing")
        await asked.until(lambda: "[red]no␛[0m such thing" in asked.rows())
        assert "[b]␛[31m␉x" in asked.rows()
        assert "\x1b" not in asked.rows()


async def test_characters_that_python_does_not_call_printable_can_be_typed() -> None:
    """K1"""
    async with opened() as (asked, pilot):
        line = asked.app.query(Input).first()
        for character in ("\u3000", "\u200d", "\u202f"):
            line.post_message(events.Key("unknown", character))
        for character in ("\x1b", "\x9b", "\u202e"):
            line.post_message(events.Key("unknown", character))
        await pilot.press("enter")
        await asked.hears(Query("\u3000\u200d\u202f"), "next")


async def test_ctrl_f_offers_the_pattern_for_a_new_one() -> None:
    async with opened(pattern="sea") as (asked, pilot):
        await pilot.press("end", "ctrl+f", "x", "enter")
        await asked.hears(Query("x"), "next")


SENTENCE = "This pattern takes too long in this text. Make it simpler."


@pytest.mark.parametrize("width", [100, 60, 40])
async def test_all_of_it_is_seen_at_any_width(width: int) -> None:
    async with opened(True, "harbour", (width, 12)) as (asked, pilot):
        for told in ("3 of 17", "none", "99,999 of 100,000+", SENTENCE):
            asked.bar.tell(told)
            await pilot.pause()
            shown = " ".join(asked.rows().split())
            for part in ("harbour", "[ ] Case [ ] Word [ ] Regex", told, "Replace with", "Replace Replace all"):
                assert part in shown


@pytest.mark.parametrize("size", [(200, 1), (5, 3), (1, 1)])
async def test_no_size_is_too_small(size: tuple[int, int]) -> None:
    """R3"""
    async with opened(True, "harbour", size) as (asked, pilot):
        asked.bar.tell(SENTENCE)
        await pilot.resize_terminal(30, 6)
        await pilot.resize_terminal(*size)
        await pilot.press("tab", "x", "enter", "escape")
        await asked.hears(("one", "x"), "closed")
