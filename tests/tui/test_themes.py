"""The themes: readable by their numbers, changed while text streams, and a wrong name is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from contrasts import contrast, luminance
from desktop import make_novel, running
from fake_desk import FakeDesk
from textual.color import Color

from writer.config import EditorSettings, Settings
from writer.runtime.events import SettingsChanged
from writer.tui.app import WriterApp
from writer.tui.theme import OURS, PALETTES, THEIRS, themes


@pytest.mark.parametrize("name", OURS)
def test_text_can_be_read_on_every_ground(name: str) -> None:
    colours, least = PALETTES[name], 7.0 if name == "contrast" else 4.5
    for ground in (colours.background, colours.surface, colours.panel):
        for text in (colours.text, colours.muted, colours.lamp, colours.error, colours.blue):
            assert contrast(text, ground) >= (least if text == colours.text else min(least, 4.5) - 0.5), (text, ground)
    assert contrast(colours.on_marked, colours.marked) >= least
    assert contrast(colours.on_blue, colours.blue) >= 4.5
    assert contrast(colours.on_resting, colours.resting) >= least
    assert contrast(colours.link, colours.background) >= 4.5
    assert colours.dark == (luminance(Color.parse(colours.background)) < 0.5)


async def test_a_theme_changes_while_text_streams_and_nothing_is_lost(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), desk := FakeDesk()) as desktop:
        assert desktop.app.theme == "ink"
        await desktop.press("ctrl+g")
        desk.begin()
        for ordinal, name in enumerate((*OURS, THEIRS[0])):
            desk.batch(ordinal, f" {name}.")
            editor = replace(desktop.screen.filed, theme=name)
            desk.report(SettingsChanged(Settings(editor=editor), engine_too=False))
            await desktop.until(lambda name=name: desktop.app.theme == name)
        await desktop.until(lambda: desktop.page.editor.text.endswith("".join(f" {n}." for n in (*OURS, THEIRS[0]))))


async def test_a_wrong_name_is_told_with_the_nearest_and_the_colours_stay(tmp_path: Path) -> None:
    app = WriterApp(make_novel(tmp_path), FakeDesk(), EditorSettings(theme="papper"))
    async with app.run_test() as pilot:
        while not app._notifications:
            await pilot.pause(0.01)
        assert "Did you mean “paper”?" in next(iter(app._notifications)).message
        assert app.theme == "ink"


def test_all_of_textuals_themes_that_have_shades_may_be_named() -> None:
    assert "nord" in THEIRS
    assert not any(name.startswith("ansi") for name in THEIRS)
    assert len({theme.name for theme in themes()} | set(THEIRS)) == len(OURS) + len(THEIRS)
