"""The app's own colours can be read, and what has the focus is seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from contrasts import contrast
from desktop import make_novel, offer, running
from fake_desk import FakeDesk
from textual.widgets import Button

from writer.tui.editor.look import LAYERS, look
from writer.tui.screens.resume import ResumeCard
from writer.tui.theme import themes

INK = next(theme for theme in themes() if theme.name == "ink")
GROUNDS = (INK.background, INK.surface, INK.panel)


@pytest.mark.parametrize("ground", GROUNDS)
def test_text_has_more_contrast_than_long_reading_needs(ground: str) -> None:
    assert contrast(INK.foreground, ground) >= 7


@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("footer-foreground", "footer-background"),
        ("footer-key-foreground", "footer-background"),
        ("block-cursor-foreground", "block-cursor-background"),
        ("block-cursor-blurred-foreground", "block-cursor-blurred-background"),
        ("input-selection-foreground", "input-selection-background"),
    ],
)
def test_small_print_and_marked_text_can_be_read(text: str, ground: str) -> None:
    assert contrast(INK.variables[text], INK.variables[ground]) >= 4.5


@pytest.mark.parametrize("signal", [INK.error, INK.warning, INK.success, INK.primary, INK.accent])
def test_signals_can_be_read_on_every_ground(signal: str) -> None:
    assert min(contrast(signal, ground) for ground in GROUNDS) >= 4.5


async def test_the_editor_wears_it_and_every_layer_looks_different(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), FakeDesk()) as desktop:
        assert desktop.app.theme == INK.name
        seen = look(desktop.page.editor)
    layers = {str(getattr(seen, name)) for name in LAYERS}
    assert len(layers) == len(LAYERS)


async def test_only_the_button_that_enter_takes_stands_out(tmp_path: Path) -> None:
    novel = make_novel(tmp_path)
    async with running(novel, FakeDesk(offer(novel))) as desktop:
        await desktop.until(lambda: isinstance(desktop.app.screen, ResumeCard))
        for key in ("", "right", "right"):
            await desktop.press(*filter(None, [key]))
            await desktop.pilot.pause()
            buttons = list(desktop.app.screen.query(Button))
            focused = [each for each in buttons if each.has_focus]
            others = {each.styles.background for each in buttons if not each.has_focus}
            assert len(focused) == len(others) == 1
            assert focused[0].styles.background not in others
