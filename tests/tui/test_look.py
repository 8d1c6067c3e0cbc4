"""Every theme gives each thing in a text a look of its own; without colours, attributes do."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.widget import Widget

from writer.tui.editor.look import COMPONENTS, LAYERS, PAINTING_CSS, look


class Editor(Widget):
    """The style sheet speaks of it by this name."""

    COMPONENT_CLASSES = COMPONENTS
    DEFAULT_CSS = "Editor { color: $foreground; background: $background; }" + PAINTING_CSS


class Desk(App[None]):
    def compose(self) -> ComposeResult:
        yield Editor()


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "nord", "solarized-light"])
async def test_each_theme_gives_every_layer_a_look_of_its_own(theme: str) -> None:
    async with Desk().run_test() as pilot:
        pilot.app.theme = theme
        await pilot.pause()
        seen = look(pilot.app.query_one(Editor))
    assert seen.text.color != seen.text.bgcolor
    layers = [getattr(seen, name) for name in LAYERS]
    assert all(layers)
    assert len({str(layer) for layer in layers}) == len(layers)
    assert seen.cursor.reverse
    assert seen.emphasis.italic
    assert seen.emphasis.color is seen.emphasis.bgcolor is None
    assert seen.tint.color is None
    assert (
        len({seen.text.bgcolor, seen.tint.bgcolor, seen.selected.bgcolor, seen.found.bgcolor, seen.current.bgcolor})
        == 5
    )


async def test_without_colours_the_selection_and_the_tint_are_still_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with Desk().run_test() as pilot:
        seen = look(pilot.app.query_one(Editor))
    assert seen.selected.reverse
    assert seen.tint.dim
    assert seen.current.reverse
