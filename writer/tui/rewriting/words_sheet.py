"""The alternatives of one word, with their probabilities as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from writer.engine.base import Alternative
from writer.language import say
from writer.text.sanitise import one_line
from writer.tui.prompt.key_hint import KeyHint

_BAR = 20  # cells
_KEYS = (("enter", say("Enter goes on from this word")), ("escape", say("Esc back")))


class WordsSheet(ModalScreen[int | None]):
    """Returns the number of the alternative, from 0, or None."""

    DEFAULT_CSS = """
    WordsSheet { align: center bottom; }
    WordsSheet > Vertical { width: 62; max-width: 100%; height: auto; max-height: 100%; padding: 0 1;
        border: round $primary; background: $surface; }
    WordsSheet .asked { height: auto; max-height: 2; text-style: bold; }
    WordsSheet OptionList { height: auto; max-height: 12; border: none; padding: 0; background: $surface;
        scrollbar-size-vertical: 1; }
    WordsSheet OptionList:focus { border: none; background-tint: $foreground 0%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(self, word: str, alternatives: Sequence[Alternative]) -> None:
        """`word` is the one that stands there."""
        super().__init__()
        self._word, self._alternatives = word, alternatives

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(say("Instead of “{word}”", word=one_line(self._word, 40)), markup=False, classes="asked")
            yield OptionList(*(self._option(number, each) for number, each in enumerate(self._alternatives)))
            yield KeyHint(*_KEYS)

    def _option(self, number: int, each: Alternative) -> Option:
        there = each.text.strip() == self._word.strip()
        note = f"  {say('stands there')}" if there else ""
        name = (
            one_line(each.text, 30) if each.text.strip() else say("the text ends") if not each.text else say("(blank)")
        )
        row = Content.assemble(
            f"{each.probability:>6.1%} ", (bar(each.probability), "$text-accent"), f" {name}", (note, "$text-muted")
        )
        return Option(row, id=str(number), disabled=there or not each.text)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(int(event.option.id or 0))


def bar(probability: float) -> str:
    """As many cells as it is likely; a sliver at least."""
    eighths = max(1, round(min(1.0, probability) * _BAR * 8))
    full, rest = divmod(eighths, 8)
    return ("█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else "")).ljust(_BAR)
