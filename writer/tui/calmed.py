"""The app as calm as its user wants it, with the terminal's own cursor where it belongs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from textual import events
from textual.app import App
from textual.constants import TEXTUAL_ANIMATIONS
from textual.geometry import Offset
from textual.widget import Widget
from textual.widgets import Input

from writer.config import InterfaceSettings
from writer.tui.calm import Calm, calm_of
from writer.tui.caret import caret
from writer.tui.terminal import ForgivingDriver

READER = "-reader"
"""The class of the app for the style sheets, while a screen reader reads it."""


SLIM = [(0, "-slim"), (80, "-broad")]
LOW = [(0, "-low"), (20, "-high")]
"""Cells and rows from which on a screen has this class."""


_Answer = TypeVar("_Answer")


class CalmApp(App[_Answer]):
    """Knows how still it is to be. Screens ask it; see `calm_at`."""

    HORIZONTAL_BREAKPOINTS = SLIM
    VERTICAL_BREAKPOINTS = LOW
    calm = Calm()
    presented = InterfaceSettings()
    """What holds now: the settings, and what commands have changed for this run."""
    _filed = InterfaceSettings()
    _stored_cursor = Offset(0, 0)

    def present(self, settings: InterfaceSettings) -> None:
        """Take over these settings. What a command has changed for this run stays, unless they say it anew."""
        before, self._filed = self._filed, settings
        now = self.presented
        if settings.motion != before.motion:
            now = replace(now, motion=settings.motion)
        if settings.screen_reader != before.screen_reader:
            now = replace(now, screen_reader=settings.screen_reader)
        self.be(now)

    def be(self, settings: InterfaceSettings) -> None:
        """Look like this from now on."""
        self.presented = settings
        self.calm = calm_of(settings, TEXTUAL_ANIMATIONS)
        self.animation_level = "none" if self.calm.still else TEXTUAL_ANIMATIONS
        self.set_class(self.calm.reader, READER)
        self._show_cursor()
        if self.is_running:
            for screen in self.screen_stack:
                for field in screen.query(Input):
                    self._rest(field)

    def on_mount(self) -> None:
        self._show_cursor()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A field would begin to blink now."""
        self._rest(event.widget)

    def _rest(self, widget: object) -> None:
        if self.calm.still and isinstance(widget, Input):
            widget.cursor_blink = False

    def _show_cursor(self) -> None:
        if isinstance(self._driver, ForgivingDriver):
            self._driver.show_cursor(self.calm.reader)

    @property
    def cursor_position(self) -> Offset:
        """Where the terminal's cursor is put behind each frame."""
        found = caret(self.screen) if self.is_running and self.screen_stack else None
        return self._stored_cursor if found is None else found

    @cursor_position.setter
    def cursor_position(self, position: Offset) -> None:
        self._stored_cursor = position


def calm_at(app: App[Any]) -> Calm:
    """How still this app is to be."""
    return app.calm if isinstance(app, CalmApp) else Calm()


class Paced:
    """Draws what goes on: at once, or where motion is to be less, a few times in a while."""

    def __init__(self, widget: Widget, draw: Callable[[], None]) -> None:
        """`widget` is what `draw` draws; it is not drawn any more when that has gone."""
        self._widget, self._draw = widget, draw
        self._due = False

    def __call__(self) -> None:
        calm = calm_at(self._widget.app)
        if not calm.still:
            self._draw()
        elif not self._due:
            self._due = True
            self._widget.set_timer(calm.pace(calm.frame), self._now)

    def _now(self) -> None:
        self._due = False
        if self._widget.is_attached:
            self._draw()
