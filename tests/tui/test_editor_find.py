"""Find and replace, from the keys that open the bar to the text and its undo; while the text changes as well."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from desktop import Desktop, make_novel, running
from drawn import drawing
from fake_desk import FakeDesk
from textual.widgets import Input

from writer.editing.find import BadPattern, Query, compile
from writer.tui.editor.find_bar import FindBar, Toggle
from writer.tui.editor.widget import Editor

TEXT = "The sea. A Sea, the SEA.\n" + "\n" * 40 + "Seaside. The sea!\n"


class Searching:
    """The app with the bar."""

    def __init__(self, desktop: Desktop, desk: FakeDesk) -> None:
        self.desktop, self.desk = desktop, desk

    @property
    def editor(self) -> Editor:
        return self.desktop.page.editor

    @property
    def bar(self) -> FindBar:
        return self.desktop.screen.query_one(FindBar)

    async def look_for(self, pattern: str, *, replacing: bool = False, **toggles: bool) -> None:
        """Open the bar and enter this."""
        await self.desktop.press("ctrl+r" if replacing else "ctrl+f")
        await self.desktop.until(lambda: self.bar.has_class("-open"))
        for toggle in self.bar.query(Toggle):
            if toggle.on != toggles.get(toggle._label.lower(), False):
                toggle.action_switch()
        self.bar.query(Input).first(Input).value = pattern
        await self.desktop.pilot.pause()
        self.bar._search()
        await self.desktop.pilot.pause()

    async def says(self, told: str) -> None:
        await self.desktop.until(lambda: self.bar.told == told)

    async def replace(self, replacement: str, *, every: bool = False) -> None:
        self.bar.query(Input).last(Input).value = replacement
        self.bar._replace(all=every)
        await self.desktop.pilot.pause()


@asynccontextmanager
async def searching(tmp_path: Path, text: str = TEXT) -> AsyncIterator[Searching]:
    desk = FakeDesk()
    async with running(make_novel(tmp_path), desk) as desktop:
        desktop.page.editor.load(text)
        yield Searching(desktop, desk)


async def test_matches_are_counted_and_gone_through_around_the_end(tmp_path: Path) -> None:
    async with searching(tmp_path) as search:
        await search.look_for("sea")
        await search.says("1 of 5")
        assert search.editor.sheet.selected == (4, 7)
        for number in (2, 3, 4, 5, 1):
            await search.desktop.press("enter")
            await search.says(f"{number} of 5")
            assert search.editor.sheet.selected_text().lower() == "sea"
            y, _ = search.editor.cursor_row()
            assert 0 <= y - search.editor.scroll_offset.y < search.editor.rows_in_view
        await search.desktop.press("shift+f3")
        await search.says("5 of 5")
        assert search.editor.sheet.selected[0] == TEXT.index("sea!")


async def test_case_and_whole_words(tmp_path: Path) -> None:
    async with searching(tmp_path) as search:
        await search.look_for("sea", case=True)
        await search.says("1 of 2")
        await search.look_for("sea", word=True)
        await search.says("1 of 4")
        await search.look_for("island")
        await search.says("none")


async def test_replacing_one_goes_on_to_the_next(tmp_path: Path) -> None:
    async with searching(tmp_path) as search:
        await search.look_for("sea", replacing=True)
        await search.replace("seas")
        assert search.editor.text == TEXT.replace("The sea.", "The seas.")
        assert search.editor.sheet.selected_text() == "Sea"
        await search.replace("lake")
        await search.replace("lake")
        assert search.editor.text.startswith("The seas. A lake, the lake.\n")
        await search.says("2 of 3")
        search.editor.undo()
        assert search.editor.text.startswith("The seas. A lake, the SEA.\n")


async def test_replacing_all_is_one_step(tmp_path: Path) -> None:
    async with searching(tmp_path) as search:
        await search.look_for("sea", replacing=True)
        await search.replace("Ozean", every=True)
        await search.says("5 replaced")
        assert search.editor.text.lower().count("ozean") == 5
        assert "sea" not in search.editor.text.lower()
        search.editor.undo()
        assert search.editor.text == TEXT
        search.editor.redo()
        assert search.editor.text.count("Ozean") == 5


async def test_matches_that_an_edit_has_moved_are_not_replaced_where_they_were(tmp_path: Path) -> None:
    async with searching(tmp_path) as search:
        await search.look_for("sea", replacing=True)
        search.editor.select(0, 0)
        search.editor.type_in("sea ")
        assert not search.editor.matches  # none is shown at a wrong place
        await search.replace("x", every=True)
        assert search.editor.text == "x The x. A x, the x.\n" + "\n" * 40 + "xside. The x!\n"


async def test_an_edit_after_the_matches_leaves_them_marked(tmp_path: Path) -> None:
    async with searching(tmp_path) as search:
        await search.look_for("sea")
        search.editor.move_to(search.editor.length)
        search.editor.type_in("sea")
        assert len(search.editor.matches) == 5
        await search.desktop.press("f3")
        await search.says("1 of 6")


async def test_what_streams_in_is_found_and_replaced_too(tmp_path: Path) -> None:
    async with searching(tmp_path) as search:
        await search.look_for("sea", replacing=True)
        search.desktop.screen.action_draft()
        search.desk.begin()
        search.desk.batch(0, "More sea and ")
        await search.desktop.until(lambda: search.editor.text.endswith("More sea and "))
        await search.desktop.press("f3")
        await search.says("2 of 6")
        await search.replace("lake", every=True)
        await search.says("6 replaced")
        assert search.editor.text.endswith("More lake and ")
        await search.desktop.until(lambda: not search.desktop.screen.writing.busy)  # he changed what was being written
        assert search.desk.orders.count("pause") == 1
        search.editor.undo()
        assert search.editor.text == TEXT + "More sea and "


async def test_replacing_above_a_stream_does_not_misplace_it(tmp_path: Path) -> None:
    """C5"""
    async with searching(tmp_path) as search:
        search.desktop.screen.action_draft()
        search.desk.begin()
        search.desk.batch(0, "One ")
        await search.desktop.until(lambda: search.editor.text.endswith("One "))
        await search.look_for("sea", replacing=True)
        await search.replace("an ocean", every=True)
        search.desk.batch(1, "two.")
        await search.desktop.until(lambda: search.editor.text.endswith("One two."))
        assert search.editor.text.lower().count("an ocean") == 5
        assert search.desk.orders.count("pause") == 0


async def test_a_wrong_pattern_is_told_in_the_bar(tmp_path: Path) -> None:
    async with searching(tmp_path) as search:
        await search.look_for("(sea", regex=True)
        assert search.bar.told.startswith("The pattern is not right: ")
        assert "turn Regex off" in search.bar.told
        assert search.editor.text == TEXT
        await search.look_for("(sea)", replacing=True, regex=True)
        await search.replace("\\2", every=True)
        assert search.bar.told.startswith("The replacement is not right: ")
        assert search.editor.text == TEXT
        await search.replace("<\\1>", every=True)
        assert search.editor.text.startswith("The <sea>. A <Sea>, the <SEA>.\n")


async def test_a_pattern_that_is_not_right_replaces_nothing_that_was_found_before(tmp_path: Path) -> None:
    async with searching(tmp_path) as search:
        await search.look_for("sea", replacing=True, regex=True)
        await search.says("1 of 5")
        await search.look_for("sea(", replacing=True, regex=True)
        assert search.bar.told.startswith("The pattern is not right: ")
        assert not search.editor.matches
        await search.replace("x", every=True)
        await search.replace("x")
        assert search.editor.text == TEXT


async def test_a_pattern_without_end_is_stopped(tmp_path: Path) -> None:
    async with searching(tmp_path, TEXT + "a" * 60 + "!") as search:
        await search.look_for("sea", replacing=True, regex=True)
        await search.look_for("^(a|aa)+$", replacing=True, regex=True)
        await search.says("This pattern takes too long in this text. Make it simpler.")
        await search.replace("z", every=True)
        assert search.editor.text.startswith(TEXT)
        await search.look_for("sea")
        await search.says("1 of 5")


async def test_the_selection_is_looked_for_and_escape_closes_the_bar(tmp_path: Path) -> None:
    async with searching(tmp_path) as search:
        search.editor.select(9, 14)
        await search.desktop.press("ctrl+f")
        await search.says("1 of 1")
        assert search.bar.query_now.pattern == "A Sea"
        await search.desktop.press("escape")
        await search.desktop.until(lambda: search.editor.has_focus)
        assert not search.bar.has_class("-open")
        assert not search.editor.matches
        assert search.editor.sheet.selected == (9, 14)
        y, cell = search.editor.cursor_cell()
        region = search.editor.content_region
        wanted = (region.x + search.editor.margin + cell, region.y + y)
        await search.desktop.until(lambda: search.desktop.app.cursor_position == wanted)


async def test_another_text_has_no_matches_of_the_one_before() -> None:
    async with drawing("one one one") as desk:
        desk.editor.find(compile(Query("one")))
        desk.editor.load("none")
        assert not desk.editor.matches
        desk.editor.find_next()
        assert desk.editor.sheet.selected_text() == "one"


async def test_thousands_of_matches_are_painted_as_quickly_as_they_were_found() -> None:
    async with drawing("e" * 200_000, (60, 12)) as desk:
        assert desk.editor.find(compile(Query("e"))) == 100_000
        assert desk.editor.matches.more
        start = time.process_time()
        desk.editor.jump(1000)
        await desk.painted()
        assert time.process_time() - start < 5
        assert len(desk.editor._found(0, 60)) == 60


async def test_replacing_in_a_text_that_may_only_be_read_does_nothing() -> None:
    async with drawing("one one") as desk:
        desk.editor.read_only = True
        desk.editor.find(compile(Query("one")))
        desk.editor.show_match()
        desk.editor.replace_match("two")
        desk.editor.replace_all("two")
        assert desk.editor.text == "one one"


async def test_a_replacement_that_holds_the_pattern_is_not_replaced_again() -> None:
    async with drawing("a a a") as desk:
        desk.editor.find(compile(Query("a")))
        desk.editor.show_match()
        for wanted in ("aa a a", "aa aa a", "aa aa aa"):
            desk.editor.replace_match("aa")
            assert desk.editor.text == wanted
        with pytest.raises(BadPattern):
            compile(Query("(", regex=True))
