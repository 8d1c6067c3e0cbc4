"""The very text that is sent next, to be read: nothing in it can be changed here."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from writer.config import EditorSettings
from writer.language import say
from writer.text.sanitise import visible
from writer.tui.editor.widget import Editor
from writer.tui.prompt.key_hint import KeyHint
from writer.tui.prompt.sheet_style import SHEET


class RequestSheet(ModalScreen[None]):
    """Scrolls; Escape goes back."""

    DEFAULT_CSS = SHEET
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f6", "dismiss(None)", say("Back"))]

    def __init__(self, title: str, request: str, part: str, settings: EditorSettings) -> None:
        """`part`: what of it is shown first."""
        super().__init__()
        self._title, self._request, self._part = title, visible(request), visible(part)
        self._settings = replace(settings, focus=False, typewriter=False)

    def compose(self) -> ComposeResult:
        with Vertical(classes="sheet"):
            yield Static(self._title, id="title", markup=False)
            yield Editor(settings=self._settings, id="request")
            yield KeyHint(
                ("pagedown", say("Arrows and pages scroll")),
                ("ctrl+c", say("Ctrl+C copies")),
                ("escape", say("Esc back")),
            )

    def on_mount(self) -> None:
        editor = self.query_one(Editor)
        editor.load(self._request)
        editor.read_only = True
        at = self._request.find(self._part[:400]) if self._part else -1
        editor.move_to(max(0, at))
        editor.focus()
