"""What the screen does when the author has changed a settings file: it looks so at once, and writing goes on."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from textual.app import App

from writer.config import EditorSettings, Settings
from writer.language import say, spoken, together, wanted
from writer.runtime.events import SettingsChanged
from writer.tui.theme import dress

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen


_BEGUN = ("starting", "ready", "asleep")
"""States of an engine that goes on as it was; any other one begins by the new settings."""


def take_over(screen: ManuscriptScreen, event: SettingsChanged) -> None:
    """Bring the screen in line. What keys have changed for this run stays, unless the file now says it anew."""
    changed = _changed(screen.filed, event.settings.editor)
    screen.filed = event.settings.editor
    screen.editing = replace(screen.editing, **changed)  # type: ignore[arg-type]
    if changed:
        screen.look_again()
    if "theme" in changed and (why := dress(screen.app, screen.editing.theme)):
        screen.complain(why, "warning")
    _remap(screen.app, event.settings)
    screen.refresh_bindings()
    if "autosave" in changed:
        screen.keeping.save_every(screen.editing.autosave)
    if "spelling" in changed:
        screen.spell_again()
    screen.plan_again()
    told = say("The settings were read again.")
    if event.engine_too and screen.opening.unasked.held:
        return  # the first steps have set it, and say so
    if event.engine_too and screen.engine is not None and screen.engine.state in _BEGUN:
        told = together(told, say("The engine goes on as it was begun: its settings hold from its next start."))
    if wanted(os.environ, event.settings.interface.language) != spoken():
        told = together(told, say("writer speaks the other language from its next start."))
    screen.complain(told, "information")


def _remap(app: App[Any], settings: Settings) -> None:
    from writer.tui.app import WriterApp

    if isinstance(app, WriterApp):
        app.remap(settings.keys)
        app.present(settings.interface)


def _changed(before: EditorSettings, now: EditorSettings) -> dict[str, object]:
    old = asdict(before)
    return {name: value for name, value in asdict(now).items() if value != old[name]}
