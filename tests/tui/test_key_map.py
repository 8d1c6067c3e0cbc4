"""Keys that the author has set: they work, the former ones do not, and all that names keys names the new ones."""

from __future__ import annotations

from pathlib import Path

from desktop import make_novel, running
from fake_desk import FakeDesk

from writer.config import KeySettings, Settings
from writer.runtime.events import SettingsChanged
from writer.runtime.orders import DraftOrder


async def test_keys_change_while_text_streams_and_nothing_is_lost(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), desk := FakeDesk()) as desktop:
        await desktop.press("ctrl+g")
        desk.begin()
        desk.batch(0, " It went")
        keys = KeySettings(write="f11", takes="ctrl+g", save="alt+w")
        desk.report(SettingsChanged(Settings(editor=desktop.screen.filed, keys=keys), engine_too=False))
        desk.batch(1, " on.")
        await desktop.until(lambda: desktop.app.changed_keys)
        await desktop.until(lambda: desktop.page.editor.text.endswith("It went on."))
        await desktop.press("f11")
        await desktop.until(lambda: not desktop.screen.here.busy)
        assert len(desk.given(DraftOrder)) == 1
        await desktop.until(lambda: "Paused: F11 goes on" in desktop.status)
        await desktop.press("f1")
        await desktop.until(lambda: len(desktop.app.screen_stack) > 1)
        lines = str(desktop.app.screen.query_one("Static").render()).splitlines()
        assert any(line.startswith("f11 ") and "write on" in line for line in lines)
        assert any(line.startswith("ctrl+g ") and "takes" in line for line in lines)
        await desktop.press("escape", "ctrl+g")
        await desktop.until(lambda: type(desktop.app.screen).__name__ == "TakesSheet")


async def test_the_usual_keys_come_back(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), desk := FakeDesk()) as desktop:
        for keys in (KeySettings(write="f11"), KeySettings()):
            desk.report(SettingsChanged(Settings(editor=desktop.screen.filed, keys=keys), engine_too=False))
        await desktop.until(lambda: len(desktop.told) == 2)
        await desktop.press("f11")
        assert desk.given(DraftOrder) == []
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desk.given(DraftOrder))
