"""Commands for how still the screen is, for this run; the settings keep it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from writer.language import say
from writer.tui.calmed import CalmApp
from writer.tui.command import Command

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen


def calm_commands(screen: ManuscriptScreen) -> Iterator[Command]:
    """What the palette offers of it."""
    app = screen.app
    if isinstance(app, CalmApp):
        yield (
            say("Less motion"),
            say("Nothing blinks or glides, text comes a sentence at a time; again: stops"),
            lambda: _motion(screen, app),
        )
        yield (
            say("Screen reader"),
            say("News as whole sentences, the cursor at the caret, no decoration; again: stops"),
            lambda: _reader(screen, app),
        )


def _motion(screen: ManuscriptScreen, app: CalmApp[Any]) -> None:
    motion = "full" if app.calm.still else "reduced"
    app.be(replace(app.presented, motion=motion))
    screen.complain(
        say('To keep it, write motion = "{motion}" under [interface] in your settings.', motion=motion), "information"
    )


def _reader(screen: ManuscriptScreen, app: CalmApp[Any]) -> None:
    app.be(replace(app.presented, screen_reader=not app.calm.reader))
    value = str(app.calm.reader).lower()
    screen.show_state()
    screen.complain(
        say("To keep it, write screen_reader = {value} under [interface] in your settings.", value=value),
        "information",
    )
