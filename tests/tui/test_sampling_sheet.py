"""The sampling sheet: what is shown, changed, refused and saved."""

from __future__ import annotations

import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from desktop import Desktop, make_novel, rested, running
from fake_desk import FakeDesk
from textual.widgets import Input, OptionList, Static

from writer.config import Settings, WritingSettings
from writer.engine.base import EngineFacts
from writer.generation.model import Fingerprint
from writer.manuscript.model import Manuscript
from writer.presets import WRITING
from writer.runtime.events import EngineAttached
from writer.tui.prompt.fields import GROUPS, LABELS, explained, parsed, shown
from writer.tui.prompt.key_hint import KeyHint
from writer.tui.prompt.sampling_sheet import SamplingSheet

FACTS = EngineFacts("fake", "vllm 0", "gpu", 8192, 16, Fingerprint(), word_control=False)


@pytest.fixture
def novel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Manuscript:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return make_novel(tmp_path)


class Open:
    """The sheet on a desktop."""

    def __init__(self, desktop: Desktop) -> None:
        self.desktop = desktop

    @property
    def sheet(self) -> SamplingSheet:
        screen = self.desktop.app.screen
        assert isinstance(screen, SamplingSheet)
        return screen

    def said(self, part: str) -> str:
        return str(self.sheet.query_one(f"#{part}", Static).visual)

    def row(self, name: str) -> str:
        return str(self.sheet.query_one(OptionList).get_option(name).prompt)

    async def choose(self, name: str) -> None:
        rows = self.sheet.query_one(OptionList)
        await self.desktop.until(lambda: rows.option_count)
        rows.highlighted = rows.get_option_index(name)
        await self.desktop.pilot.pause()

    async def enter(self, name: str, value: str) -> None:
        await self.choose(name)
        await self.desktop.press("enter")
        self.sheet.query_one(Input).value = value
        await self.desktop.press("enter")


@asynccontextmanager
async def opened(novel: Manuscript, desk: FakeDesk) -> AsyncIterator[Open]:
    async with running(novel, desk) as desktop:
        await desktop.press("f5")
        found = Open(desktop)
        await desktop.until(lambda: found.sheet.query_one(OptionList).option_count)
        yield found


def table(novel: Manuscript, *keys: str) -> Any:
    found: Any = tomllib.loads(novel.settings_file.read_text())
    for key in ("settings", *keys):
        found = found.get(key, {})
    return found


def test_every_setting_has_its_place_and_its_name() -> None:
    assert {name for names in GROUPS.values() for name in names} == set(WRITING) == set(LABELS)


@pytest.mark.parametrize("name", WRITING)
def test_a_value_that_is_shown_can_be_typed_again(name: str) -> None:
    value = getattr(WritingSettings(), name)
    read = parsed(name, shown(value))
    assert (tuple(read) if isinstance(value, tuple) else read) == value


def test_lists_are_typed_with_or_without_quotes() -> None:
    assert parsed("stop", "Mara, the storm") == parsed("stop", '"Mara", "the storm"') == ["Mara", "the storm"]
    assert parsed("stop", '"a, b",the storm, "\\n"') == ["a, b", "the storm", "\n"]
    assert parsed("stop", '"so, she said') == ['"so', "she said"]
    assert parsed("banned", " , ") == []
    assert "\u202e" not in shown(("a\u202eb",))
    assert parsed("stop", shown(("a\u202eb", "\x7f"))) == ["a\u202eb", "\x7f"]


async def test_a_value_is_saved_for_the_book_and_holds_for_the_next_text(novel: Manuscript) -> None:
    before = novel.settings_file.read_text()
    desk = FakeDesk()
    async with opened(novel, desk) as sheet:
        assert "0.8" in sheet.row("temperature")
        await sheet.enter("temperature", "1.25")
        await sheet.desktop.until(lambda: desk.given(Settings))
        assert "1.25" in sheet.row("temperature")
        assert sheet.row("temperature").startswith("•")
        assert "Saved" in sheet.said("told")
    assert table(novel, "writing") == {"temperature": 1.25}
    assert novel.settings_file.read_text().startswith(before.rstrip())
    assert desk.given(Settings)[-1].writing == replace(WritingSettings(), temperature=1.25)


async def test_a_value_out_of_its_limits_is_refused_in_the_words_of_the_settings_and_stays_in_its_line(
    novel: Manuscript,
) -> None:
    desk = FakeDesk()
    async with opened(novel, desk) as sheet:
        await sheet.enter("temperature", "hot")
        await sheet.desktop.until(lambda: "must be a number, not 'hot'" in sheet.said("told"))
        await sheet.desktop.press("escape")
        await sheet.enter("top_p", "2")
        await sheet.desktop.until(lambda: "must be a number from 0.001 to 1, not 2" in sheet.said("told"))
        assert sheet.sheet.query_one(Input).value == "2"
    assert table(novel) == {}
    assert desk.given(Settings) == []


async def test_a_chapter_has_its_own_value_and_taking_it_out_gives_back_the_books(novel: Manuscript) -> None:
    desk, path = FakeDesk(), novel.chapters[0].path
    async with opened(novel, desk) as sheet:
        await sheet.enter("top_k", "40")
        await sheet.desktop.until(lambda: len(desk.given(Settings)) == 1)
        await sheet.desktop.press("c")
        await sheet.desktop.until(lambda: "of the book" in sheet.row("top_k"))
        assert "chapter" in sheet.said("title")
        await sheet.enter("top_k", "7")
        await sheet.desktop.until(lambda: len(desk.given(Settings)) == 2)
        assert table(novel, "chapter", path) == {"top_k": 7}
        assert desk.given(Settings)[-1].writing_of(path).top_k == 7
        await sheet.choose("top_k")
        await sheet.desktop.press("delete")
        await sheet.desktop.until(lambda: len(desk.given(Settings)) == 3)
        assert "40" in sheet.row("top_k")
    assert table(novel, "writing") == {"top_k": 40}
    assert desk.given(Settings)[-1].writing_of(path).top_k == 40


async def test_enter_turns_thinking_on_and_off(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with opened(novel, desk) as sheet:
        for value, word in ((True, "yes"), (False, "no")):
            await sheet.choose("think")
            assert "shown apart" in sheet.said("about")
            await sheet.desktop.press("enter")
            await sheet.desktop.until(lambda word=word: word in sheet.row("think"))
            assert table(novel, "writing") == {"think": value}


async def test_a_preset_takes_the_place_of_the_values_that_it_names(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with opened(novel, desk) as sheet:
        await sheet.enter("temperature", "1.9")
        await sheet.enter("seed", "5")
        await sheet.desktop.until(lambda: len(desk.given(Settings)) == 2)
        await sheet.choose("preset")
        await sheet.desktop.press("enter")
        await sheet.desktop.until(lambda: len(desk.given(Settings)) == 3)
        assert "prose" in sheet.row("preset")
        assert "1.0" in sheet.row("temperature")
    assert table(novel, "writing") == {"seed": 5, "preset": "prose"}


async def test_what_the_engine_cannot_do_is_marked_and_says_why(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desk.report(EngineAttached(FACTS, True))
        await desktop.pilot.pause()
        await desktop.press("f5")
        sheet = Open(desktop)
        await sheet.choose("banned")
        assert "not with this engine" in sheet.row("banned")
        assert "not with this engine" not in sheet.row("temperature")
        await desktop.press("enter")
        assert "CPU" in sheet.said("told")
        assert not sheet.sheet.query_one(Input).display
        assert "CPU" in sheet.said("about")


async def test_a_window_that_only_reads_shows_them_and_changes_nothing(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        desktop.screen.only_reads = True
        await desktop.press("f5")
        sheet = Open(desktop)
        await sheet.choose("temperature")
        for key in ("enter", "delete"):
            await desktop.press(key)
            assert "only reads" in sheet.said("told")
        assert not sheet.sheet.query_one(Input).display
    assert table(novel) == {}


async def test_f5_closes_the_sheet_but_not_over_what_is_being_typed(novel: Manuscript) -> None:
    async with opened(novel, FakeDesk()) as sheet:
        await sheet.choose("temperature")
        await sheet.desktop.press("enter", "7", "f5")
        assert sheet.sheet.query_one(Input).value == "7"
        await sheet.desktop.press("escape", "f5")
        assert sheet.desktop.app.screen is sheet.desktop.screen


async def test_what_is_typed_into_a_list_is_added_to_it(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with opened(novel, desk) as sheet:
        await sheet.enter("banned", "suddenly")
        await sheet.desktop.until(lambda: len(desk.given(Settings)) == 1)
        await sheet.choose("banned")
        await sheet.desktop.press("enter", "comma", "n", "o", "w", "enter")
        await sheet.desktop.until(lambda: len(desk.given(Settings)) == 2)
    assert table(novel, "writing") == {"banned": ["suddenly", "now"]}


async def test_escape_leaves_the_line_then_the_sheet_and_changes_nothing(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with opened(novel, desk) as sheet:
        desktop = sheet.desktop
        await sheet.choose("temperature")
        await desktop.press("enter", "9", "escape")
        assert isinstance(desktop.app.screen, SamplingSheet)
        await desktop.press("escape")
        assert desktop.app.screen is desktop.screen
    assert table(novel) == {}


async def test_a_file_that_is_wrong_meanwhile_is_told(novel: Manuscript) -> None:
    async with opened(novel, FakeDesk()) as sheet:
        novel.settings_file.write_text("x = = 1\n")
        await sheet.enter("temperature", "1.5")
        await sheet.desktop.until(lambda: "writer.toml" in sheet.said("told"))
    assert novel.settings_file.read_text() == "x = = 1\n"


async def test_the_keys_that_are_named_can_be_clicked(novel: Manuscript) -> None:
    async with opened(novel, FakeDesk()) as sheet:
        desktop = sheet.desktop
        keys = sheet.sheet.query_one(KeyHint)
        named = str(keys.visual)
        await desktop.pilot.click(KeyHint, offset=(named.index("C chapter"), 0))
        await desktop.until(lambda: "this chapter" in sheet.said("title"))
        await rested(desktop.app)  # what is read moves the line of keys
        await desktop.pilot.pause()
        await desktop.pilot.click(KeyHint, offset=(named.index("Esc"), 0))
        await desktop.until(lambda: desktop.app.screen is desktop.screen)


def test_at_temperature_0_what_concerns_the_draw_says_that_it_changes_nothing() -> None:
    for name in ("xtc_probability", "min_p", "seed"):
        assert "changes nothing" in explained(name, 0.0, able=True, drawn=False)
        assert "changes nothing" not in explained(name, 0.0, able=True)
    assert "changes nothing" not in explained("dry_multiplier", 0.0, able=True, drawn=False)


async def test_the_sheet_says_so_once_the_temperature_is_0(novel: Manuscript) -> None:
    with novel.settings_file.open("a") as file:
        file.write("\n[settings.writing]\ntemperature = 0.0\n")
    async with opened(novel, FakeDesk()) as sheet:
        await sheet.choose("xtc_probability")
        assert "The temperature is 0" in sheet.said("about")
