"""The card of a rewriting: the passage, and beside it what is written; then the difference, change by change."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from writer.language import say
from writer.text.sanitise import one_line, visible
from writer.tui.prompt.key_hint import KeyHint
from writer.tui.rewriting.answers import Answer, Answers
from writer.tui.rewriting.drawing import difference, told

ACCEPT, AGAIN, REJECT, ASIDE, GO_ON = "accept", "again", "reject", "aside", "go on"
_WIDE = 90  # columns from which on the two stand side by side
_KEYS = (
    ("enter", say("Enter take")),
    ("space", say("Space yes/no")),
    ("down", say("↓↑ change")),
    ("a", say("A again")),
    ("g", say("G go on")),
    ("right", say("←→ answers")),
    ("f12", say("F12 text")),
    ("escape", say("Esc reject")),
)


class RewriteCard(ModalScreen[None]):
    """Shows answers. What the author decides is told to `decided`."""

    DEFAULT_CSS = """
    RewriteCard { align: left top; background: $background; }
    RewriteCard .title { height: 1; width: 100%; padding: 0 1; background: $panel; text-style: bold; }
    RewriteCard #sides { height: 1fr; }
    RewriteCard #sides.-narrow { layout: vertical; }
    RewriteCard VerticalScroll { width: 1fr; height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
    RewriteCard #original { color: $foreground 75%; }
    RewriteCard #sides.-narrow #original { max-height: 30%; border-bottom: solid $panel; }
    RewriteCard .told { height: auto; max-height: 3; padding: 0 1; color: $warning; }
    RewriteCard KeyHint { height: auto; max-height: 2; text-wrap: wrap; padding: 0 1; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "decide('accept')", show=False),
        Binding("space", "turn", show=False),
        Binding("down,tab,n", "step(True)", show=False, priority=True),
        Binding("up,shift+tab,p", "step(False)", show=False, priority=True),
        Binding("right", "answer(True)", show=False, priority=True),
        Binding("left", "answer(False)", show=False, priority=True),
        Binding("a", "decide('again')", show=False),
        Binding("g", "decide('go on')", show=False),
        Binding("f12", "decide('aside')", show=False),
        Binding("escape", "decide('reject')", show=False),
    ]

    def __init__(self, answers: Answers, decided: Callable[[str], None]) -> None:
        super().__init__()
        self._answers, self._decided = answers, decided
        self._title = Static("", markup=False, classes="title")
        self._original, self._answer = Static("", markup=False), Static("", markup=False)
        self._told = Static("", markup=False, classes="told")

    def compose(self) -> ComposeResult:
        yield self._title
        with Horizontal(id="sides"):
            with VerticalScroll(id="original"):
                yield self._original
            with VerticalScroll(id="answer"):
                yield self._answer
        yield self._told
        yield KeyHint(*_KEYS)

    def on_mount(self) -> None:
        self.query_one("#answer").focus()
        self.draw()

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#sides").set_class(event.size.width < _WIDE, "-narrow")
        self.call_after_refresh(self.draw)

    # Showing --------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        """Show it as it is now."""
        if not self.is_attached or not self._answers.all:
            return
        answer, count = self._answers.shown, len(self._answers.all)
        which = f" {say('{number} of {count}', number=self._answers.at + 1, count=count)}" if count > 1 else ""
        self._title.update(f"{one_line(self._answers.wish.name, 60)}{which} · {told(answer)}")
        self._original.update(visible(answer.original) or say("(text is inserted here)"))
        self._told.update(one_line(answer.sentence, 400))
        self._draw_answer(answer)

    def _draw_answer(self, answer: Answer) -> None:
        room = self.query_one("#answer", VerticalScroll)
        if not answer.usable:
            self._answer.update(Content(visible(answer.raw.strip())))
            if not answer.ended:
                room.scroll_end(animate=False)
            return
        content, at = difference(answer)
        self._answer.update(content)
        width = max(1, room.scrollable_content_region.width)
        row = len(content[:at].wrap(width)) - 1 if at else 0
        room.scroll_to(y=max(0, row - room.size.height // 3), animate=False)

    # Deciding -------------------------------------------------------------------------------------------------

    def action_turn(self) -> None:
        self._answers.shown.turn()
        self.draw()

    def action_step(self, forward: bool) -> None:
        self._answers.shown.step(forward)
        self.draw()

    def action_answer(self, forward: bool) -> None:
        self._answers.step(forward)
        self.draw()

    def action_decide(self, what: str) -> None:
        self._decided(what)
