"""What can be done with a passage: a list, each entry with a letter. The passage is named above it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from writer.language import say
from writer.text.sanitise import one_line
from writer.tui.prompt.key_hint import KeyHint

KINDS = (
    ("rewrite", say("R  Rewrite: the same in better prose")),
    ("shorten", say("S  Shorten: about half as long")),
    ("expand", say("E  Expand: about twice as long")),
    ("tense", say("T  Another tense…")),
    ("view", say("V  Another point of view…")),
    ("free", say("W  In your words: say what to change…")),
    ("insert", say("I  Insert at the cursor…")),
)
RECIPE = "recipe "
_KEYS = (("enter", say("Enter choose")), ("tab", say("Tab sentence or paragraph")), ("escape", say("Esc back")))


class RewriteMenu(ModalScreen[str | None]):
    """Returns a kind of rewriting, RECIPE and the name of the author's own prompt, or None."""

    DEFAULT_CSS = """
    RewriteMenu { align: center bottom; }
    RewriteMenu > Vertical { width: 62; max-width: 100%; height: auto; max-height: 100%; padding: 0 1;
        border: round $primary; background: $surface; }
    RewriteMenu .passage { height: auto; max-height: 2; color: $text-muted; }
    RewriteMenu OptionList { height: auto; max-height: 12; border: none; padding: 0; background: $surface;
        scrollbar-size-vertical: 1; }
    RewriteMenu OptionList:focus { border: none; background-tint: $foreground 0%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f12", "dismiss(None)", show=False),
        Binding("tab", "widen", show=False, priority=True),
        *(Binding(label[0].lower(), f"dismiss('{kind}')", show=False) for kind, label in KINDS),
    ]

    def __init__(self, passage: str, widen: Callable[[], str]) -> None:
        """`passage` is its text; `widen` takes another one, and gives its text."""
        super().__init__()
        self._passage, self._widen = passage, widen

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(_quoted(self._passage), markup=False, classes="passage")
            yield OptionList(*(Option(label, id=kind) for kind, label in KINDS))
            yield KeyHint(*_KEYS)

    def add_recipes(self, recipes: Sequence[tuple[str, str]]) -> None:
        """The author's own prompts, as (name, title)."""
        options = [Option(Content(f"   {one_line(title, 50)}"), id=f"{RECIPE}{name}") for name, title in recipes]
        self.query_one(OptionList).add_options(options)

    def action_widen(self) -> None:
        self._passage = self._widen()
        self.query_one(".passage", Static).update(_quoted(self._passage))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id)


def _quoted(passage: str) -> str:
    return f"“{one_line(passage, 110)}”" if passage.strip() else say("Nothing is selected: only an insertion.")
