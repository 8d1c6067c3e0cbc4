"""Some rows below the text in which a thought goes by while the model thinks. They are no text of the chapter."""

from __future__ import annotations

from textual.containers import Vertical
from textual.widgets import Static

from writer.language import many
from writer.text.sanitise import one_line

_ROWS = 2


class ThoughtFold(Vertical):
    """How long the thought is by now, and its last words."""

    DEFAULT_CSS = """
    ThoughtFold { height: auto; padding: 0 1; border-top: solid $panel; background: $background; }
    ThoughtFold > Static { height: 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    ThoughtFold > #thought-words { height: 2; text-wrap: wrap; text-style: italic; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._head = Static("", markup=False)
        self._words = Static("", id="thought-words", markup=False)

    def compose(self):  # type: ignore[no-untyped-def]
        yield self._head
        yield self._words

    def show(self, tokens: int, said: str, hint: str) -> None:
        """Show this thought, which has so many tokens by now; `hint` says how it is read."""
        self._head.update(f"{thinking_words(tokens)} · {hint}")
        room = max(20, (self.app.size.width - 30) * _ROWS)
        words = one_line(said[-2 * room :], 2 * room)
        self._words.update(words if len(words) <= room else "…" + words[-room:].partition(" ")[2])


def thinking_words(tokens: int) -> str:
    """What is happening, in a few words."""
    return many("The model is thinking… {count:,} token", "The model is thinking… {count:,} tokens", tokens)
