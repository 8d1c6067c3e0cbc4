"""What ctrl+c says where there is nothing to copy: Textual's hint, in the user's language."""

from __future__ import annotations

from typing import Any

from textual.app import App

from writer.language import say


def hint_at_quitting(app: App[Any]) -> None:
    """Name the key that leaves the app, if it has one now."""
    for key, active in app.active_bindings.items():
        if active.binding.action in ("quit", "app.quit"):
            asked = say("Do you want to quit?")
            app.notify(say("Press {key} to quit the app", key=key), title=asked, markup=False)
            return
