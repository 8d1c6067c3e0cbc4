"""Settings that change while the app is open: the screen looks so at once, and nothing of the text is touched."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk

from writer.config import Settings
from writer.engine.base import EngineStatus
from writer.runtime.events import SettingsChanged, SettingsRefused
from writer.runtime.orders import SaveOrder


def changed(desktop: Desktop, **values: object) -> SettingsChanged:
    editor = replace(desktop.screen.filed, **values)  # type: ignore[arg-type]
    return SettingsChanged(Settings(editor=editor), engine_too=False)


async def test_width_and_ways_of_looking_change_while_text_streams(tmp_path: Path) -> None:
    desk = FakeDesk()
    async with running(make_novel(tmp_path), desk) as desktop:
        await desktop.press("ctrl+g")
        desk.begin()
        desk.batch(0, " It went on")
        desk.report(changed(desktop, width=30, focus=True, typography=True))
        desk.batch(1, " and on.")
        editor = desktop.page.editor
        await desktop.until(lambda: editor.text.endswith("It went on and on.") and editor.sheet.layout.width == 30)
        assert editor.focus_mode
        assert editor.typography
        assert "read again" in desktop.told[-1]


async def test_what_a_key_has_changed_stays_unless_the_file_says_it_anew(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), desk := FakeDesk()) as desktop:
        await desktop.press("f8")
        assert desktop.page.editor.typewriter
        desk.report(changed(desktop, width=30))
        await desktop.until(lambda: desktop.page.editor.text_width == 30)
        assert desktop.page.editor.typewriter
        desk.report(changed(desktop, typewriter=True))
        await desktop.until(lambda: desktop.screen.filed.typewriter)
        desk.report(changed(desktop, typewriter=False))
        await desktop.until(lambda: not desktop.page.editor.typewriter)


async def test_the_pause_between_saves_changes(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), desk := FakeDesk()) as desktop:
        await desktop.press("x")
        assert desk.given(SaveOrder) == []
        desk.report(changed(desktop, autosave=0.1))
        await desktop.until(lambda: desk.given(SaveOrder))


async def test_what_is_wrong_is_told(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), desk := FakeDesk()) as desktop:
        desk.report(SettingsRefused("writer.toml, line 3: wrong."))
        await desktop.until(lambda: "writer.toml, line 3: wrong." in desktop.told)


@pytest.mark.parametrize(("state", "goes_on"), [("ready", True), ("stopped", False)])
async def test_only_an_engine_that_was_begun_goes_on_as_it_was(tmp_path: Path, state: str, goes_on: bool) -> None:
    desk = FakeDesk(engine=EngineStatus(state))
    async with running(make_novel(tmp_path), desk) as desktop:
        desk.report(replace(changed(desktop), engine_too=True))
        await desktop.until(lambda: any("read again" in told for told in desktop.told))
        assert ("goes on as it was begun" in desktop.told[-1]) == goes_on
