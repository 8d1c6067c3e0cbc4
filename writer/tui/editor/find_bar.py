"""The bar for finding and replacing, at the bottom of a pane. It asks and shows; it never sees the text.

Whoever mounts it (once, when it is first wanted) hears its messages, does the work, and answers with `tell`.
Enter, F3 and down go to the next match, shift+F3 and up to the one before; in the lower line Enter replaces. Tab goes
round inside the bar, Escape leaves it.
"""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.highlighter import Highlighter
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Button, Input, Static

from writer.editing.find import Query
from writer.language import say
from writer.text.sanitise import one_line, visible

PAUSE = 0.1
"""Seconds without a key before a search, so that typing stays smooth in a long chapter."""
_NARROW = 70  # cells of the bar; in fewer, each line takes two rows
_TOGGLES, _BESIDE = 29, 22  # cells that the toggles take, and that are left beside them; a longer answer goes below
_LONGEST = 1000  # characters of a pattern
_PICTURES = {ord("\t"): "\u2409", ord("\n"): "\u240a"}


class FindBar(Widget):
    """Hidden until `open`. Its messages tell what is wanted."""

    DEFAULT_CSS = """
    FindBar {
        display: none; dock: bottom; width: 100%; height: auto; padding: 0 1; background: $panel;
        &.-open { display: block; }
        .row, .side { height: 1; }
        .side { width: 52; padding: 0 0 0 1; }
        .lower { display: none; }
        &.-replacing .lower { display: block; }
        Input { width: 1fr; }
        Toggle { width: auto; height: 1; margin: 0 1 0 0; }
        Toggle:focus { text-style: reverse; }
        Button { min-width: 0; width: auto; margin: 0 1 0 0; }
        .beside { width: 1fr; height: 1; text-align: right; }
        .below { display: none; width: 100%; height: auto; max-height: 3; }
        &.-long .below { display: block; }
        &.-narrow .row { height: 2; layout: vertical; }
        &.-narrow Input, &.-narrow .side { width: 100%; padding: 0; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", say("Close"), show=False),
        Binding("f3,down", "move(True)", say("Next"), show=False),
        Binding("shift+f3,up", "move(False)", say("Previous"), show=False),
        Binding("tab", "walk(1)", show=False),
        Binding("shift+tab", "walk(-1)", show=False),
    ]

    class Searched(Message):
        """Look for this and tell how often it is there. An empty pattern: show no matches any more."""

        def __init__(self, query: Query) -> None:
            super().__init__()
            self.query = query

    class Moved(Message):
        """Go to the next match, or to the one before."""

        def __init__(self, forward: bool) -> None:
            super().__init__()
            self.forward = forward

    class Replaced(Message):
        """Replace the match that is shown and go to the next, or replace all."""

        def __init__(self, all: bool, replacement: str) -> None:
            super().__init__()
            self.all = all
            self.replacement = replacement

    class Closed(Message):
        """The author is done: the focus belongs to the text again."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.told = ""
        self._pattern = Line(say("Find"))
        self._toggles = [Toggle(say("Case")), Toggle(say("Word")), Toggle(say("Regex"))]
        self._beside = Static("", markup=False, classes="beside")
        self._below = Static("", markup=False, classes="below")
        self._replacement = Line(say("Replace with"))
        self._one, self._all = Button(say("Replace"), compact=True), Button(say("Replace all"), compact=True)
        self._asked: Query | None = None
        self._waiting: Timer | None = None
        self._wanted: tuple[bool, str] | None = None
        self._ready = False

    def compose(self) -> ComposeResult:
        yield Horizontal(self._pattern, Horizontal(*self._toggles, self._beside, classes="side"), classes="row")
        yield self._below
        buttons = Horizontal(self._one, self._all, classes="side")
        yield Horizontal(self._replacement, buttons, classes="row lower")

    def on_mount(self) -> None:
        self._ready = True
        if self._wanted is not None:
            self.open(*self._wanted)

    @property
    def query_now(self) -> Query:
        """What is looked for as the bar stands."""
        case, word, regex = (toggle.on for toggle in self._toggles)
        return Query(self._pattern.value, case, word, regex)

    def open(self, replacing: bool, pattern: str = "") -> None:
        """Show the bar and search at once. No pattern, or one of several lines: the last one is offered again."""
        if not self._ready:  # mounted a moment ago
            self._wanted = replacing, pattern
            return
        if pattern and "\n" not in pattern and len(pattern) <= _LONGEST:
            self._pattern.value = pattern
        self.set_class(replacing, "-replacing")
        self.add_class("-open")
        self._pattern.focus()
        self._pattern.select_all()
        self._asked = None
        self._search()

    def close(self) -> None:
        """Hide the bar. What was looked for stays for the next time."""
        self._stop_waiting()
        self._wanted = None
        self.remove_class("-open")
        self.post_message(self.Closed())

    def tell(self, text: str) -> None:
        """Show the count ("3 of 17", "none") or a sentence."""
        self.told = one_line(text, 300)
        long = cell_len(self.told) > (_BESIDE if self.size.width >= _NARROW else self.size.width - _TOGGLES)
        self.set_class(long, "-long")
        self._beside.update("" if long else self.told)
        self._below.update(self.told if long else "")

    # What the author does -------------------------------------------------------------------------------------

    def action_close(self) -> None:
        self.close()

    def action_move(self, forward: bool) -> None:
        self._search()
        self.post_message(self.Moved(forward))

    def action_walk(self, step: int) -> None:
        lower: list[Widget] = [self._replacement] if self.has_class("-replacing") else []
        buttons: list[Widget] = [self._one, self._all] if lower else []
        stops = [self._pattern, *lower, *self._toggles, *buttons]
        at = next((number for number, stop in enumerate(stops) if stop.has_focus), -step)
        stops[(at + step) % len(stops)].focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.input is self._pattern and self.has_class("-open"):
            self._stop_waiting()
            self._waiting = self.set_timer(PAUSE, self._search)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input is self._pattern:
            self.action_move(True)
        else:
            self._replace(all=False)

    def on_toggle_switched(self, event: Toggle.Switched) -> None:
        event.stop()
        self._search()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        self._replace(all=event.button is self._all)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < _NARROW, "-narrow")
        self.tell(self.told)

    def _replace(self, *, all: bool) -> None:
        self._search()
        self.post_message(self.Replaced(all, self._replacement.value))

    def _search(self) -> None:
        """Ask, unless that was the last question. What waits is asked now, so that no move goes by an old answer."""
        self._stop_waiting()
        if (query := self.query_now) != self._asked:
            self._asked = query
            self.post_message(self.Searched(query))

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None


class Toggle(Static, can_focus=True):
    """A choice that is on or off, and says so without colour."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space,enter", "switch", show=False)]

    class Switched(Message):
        """It was switched by the author."""

    def __init__(self, label: str) -> None:
        super().__init__(f"[ ] {label}", markup=False)
        self._label = label
        self.on = False

    def action_switch(self) -> None:
        self.on = not self.on
        self.update(f"[{'x' if self.on else ' '}] {self._label}")
        self.post_message(self.Switched())

    def on_click(self) -> None:
        self.action_switch()


class Line(Input):
    """A line of text that may hold any character, and paints none that a terminal would obey."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+shift+a,ctrl+f", "select_all", say("Select all"), show=False)
    ]

    def __init__(self, placeholder: str) -> None:
        super().__init__(placeholder=placeholder, highlighter=_Visible(), max_length=_LONGEST, compact=True)
        self.cursor_blink = False  # it would repaint all the time

    def on_key(self, event: events.Key) -> None:
        """Take what Input drops, since Python does not call it printable: the Chinese indent, ZWJ, new letters."""
        character = event.character
        if character and not event.is_printable and visible(character) == character and character not in "\n\t":
            event.stop()
            event.prevent_default()
            self.replace(character, *sorted(self.selection))


class _Visible(Highlighter):
    """Control characters as marks, one for one."""

    def __call__(self, text: str | Text) -> Text:
        plain = text if isinstance(text, str) else text.plain
        return Text(visible(plain).translate(_PICTURES), no_wrap=True, overflow="ignore", end="")

    def highlight(self, text: Text) -> None:
        """Nothing is coloured."""
