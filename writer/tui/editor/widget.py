"""The editor: one chapter's text, that the author types in while a generation streams into it.

The seam that the rest of the app writes through. A generation never moves the author's cursor or view (unless the
view was at the end: then it follows), is one undo step, and never mixes with the author's steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from writer.editing.change import Change
from writer.editing.provenance import AUTHOR
from writer.editing.turned import Turned
from writer.runtime.orders import Span
from writer.tui.editor.finding import Finding
from writer.tui.editor.keys import Typing
from writer.tui.editor.mouse import Pointing
from writer.tui.editor.painting import PAINTING_CSS


class _OfGeneration(Message):
    def __init__(
        self,
        editor: Editor,
        generation: str,
        *,
        other: str = "",
        removed: bool = False,
        place: tuple[int, int] = (0, 0),
    ) -> None:
        """For the rest see editing.turned."""
        super().__init__()
        self.editor = editor
        self.generation = generation
        self.other = other
        self.removed = removed
        self.place = place


class Editor(Finding, Typing, Pointing, can_focus=True):
    """Offsets are characters of `text`."""

    DEFAULT_CSS: ClassVar[str] = "Editor { overflow-x: hidden; overflow-y: scroll; }" + PAINTING_CSS

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+z", "undo", show=False, id="undo"),
        Binding("ctrl+y", "redo", show=False, id="redo"),
    ]

    class GenerationRemoved(_OfGeneration):
        """Undo, redo or discard took out all text of this generation."""

    class GenerationRestored(_OfGeneration):
        """Undo or redo put the text of this generation back."""

    class ChoiceTurned(_OfGeneration):
        """Undo has taken out what the author had put in from beside the chapter, or redo has put it back."""

    class GenerationTouched(_OfGeneration):
        """The author has edited inside text that is still being written."""

    # Text -----------------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The whole text."""
        return self.sheet.text

    @property
    def length(self) -> int:
        """Characters of the text."""
        return self.sheet.length

    @property
    def revision(self) -> int:
        """Grows with every change of the text."""
        return self.sheet.revision

    @property
    def authored(self) -> int:
        """The revision of the author's last change."""
        return self.sheet.authored

    @property
    def cursor(self) -> int:
        """Where the cursor stands."""
        return self.sheet.cursor

    def load(self, text: str) -> None:
        """Show this text from its beginning; what could be undone before is forgotten."""
        self.sheet.load(text)
        self.adopt()
        self.fit()
        self.jump(0)
        self.refresh()

    def change(self, changes: Sequence[Change], origin: str = AUTHOR) -> None:
        """Several changes at once, one undo step. The cursor stays with its text. Each holds after those before it.

        What comes are the words of `origin`: of a generation, where the author takes its rewriting.
        """
        self.sheet.replace(changes, origin)
        self.refresh()

    def put_in(self, change: Change, generation: str, former: str = "") -> None:
        """Text of a generation that the author has chosen, in place of the `former` one: one undo step, and tinted."""
        self.sheet.replace((change,), generation, former=former)
        self.sheet.tint.add(change.at, change.at + len(change.inserted))
        self.refresh()

    # Generated text -------------------------------------------------------------------------------------------

    def expect_generated(self, *, instead: bool = False) -> None:
        """An order was given for the text as it is now: `begin_generated` will speak of its offsets.

        `instead`: its text takes the place of what was discarded last, and the two are one step of undo.
        """
        self.sheet.expect_generated(instead=instead)

    def begin_generated(self, generation: str, start: int, end: int, covered: int | None = None) -> None:
        """Open the generation's span. Offsets hold for the text at `expect_generated`, else for the text now.

        If the editor knows the span, it knows it better: author's edits have moved it. `covered` is how many
        characters of the generation the span stands for, `end - start` if not given.
        """
        self.sheet.begin_generated(generation, start, end, covered)
        self.refresh()

    def append_generated(self, text: str) -> None:
        """Put committed text at the end of the span. The view follows if it showed the end of the chapter."""
        self.sheet.append_generated(text)

    def end_generated(self) -> None:
        """Nothing more comes for now. The span stays known, so the generation can go on there."""
        self.sheet.end_generated()

    def forget_generated(self) -> None:
        """The text stays as it is, and is no longer anyone's span."""
        self.sheet.forget_generated()

    def accept_generated(self) -> bool:
        """All generated text is the author's from now on. False if there was none to accept."""
        accepted = self.sheet.accept()
        if accepted:
            self.refresh()
        return accepted

    def generated_span(self) -> Span | None:
        """Where the latest generation stands; None if there is none, or all of it was taken out."""
        span = self.sheet.generated_span()
        return Span(*span) if span else None

    def discard_generated(self) -> None:
        """Take the span's text out: one step of the author's, to be undone like any other."""
        span = self.sheet.generated_span()
        if span is not None and (generation := self.sheet.discard_generated()) is not None:
            self.post_message(self.GenerationRemoved(self, generation, place=(span[1], span[1])))
            self.reveal()

    def touched(self) -> None:
        if (span := self.sheet.generated_span()) is not None:
            self.post_message(self.GenerationTouched(self, span[0]))

    # Undo -----------------------------------------------------------------------------------------------------

    def undo(self) -> None:
        """Take back the author's last step; a whole generation is one."""
        if not self.read_only:
            self._turned(self.sheet.undo())

    def redo(self) -> None:
        """Put it back."""
        if not self.read_only:
            self._turned(self.sheet.redo())

    def action_undo(self) -> None:
        self.undo()

    def action_redo(self) -> None:
        self.redo()

    def _turned(self, turned: Turned | None) -> None:
        if turned is None:
            return
        self.refresh()
        if turned.generation and not turned.chosen:
            ways = self.GenerationRemoved, self.GenerationRestored
            message, opposite = ways if turned.removed else ways[::-1]
            self.post_message(message(self, turned.generation, place=turned.place))
            if turned.other:
                self.post_message(opposite(self, turned.other))
            return
        if turned.chosen:
            made = {"other": turned.other, "removed": turned.removed, "place": turned.place}
            self.post_message(self.ChoiceTurned(self, turned.generation, **made))  # type: ignore[arg-type]
        self.reveal()

    # View -----------------------------------------------------------------------------------------------------

    def show_end(self) -> None:
        """Scroll to the end and stay there while text comes; the cursor stays where it is."""
        self.fit()
        self.jump(self.end_y)
        self.follow = True

    def go_to_end(self) -> None:
        """Put the cursor at the end of the text, in view."""
        self.move_to(self.length)
        self.show_end()

    def move_to(self, offset: int) -> None:
        """Put the cursor there, in view."""
        self.select(offset, offset)
        self.reveal()

    def scroll_to_offset(self, offset: int) -> None:
        """Show the row of that place at the top of the view."""
        y = self.sheet.layout.y_of(offset)  # this may correct the height
        self.fit()
        self.jump(y)

    def deselect(self) -> bool:
        """Let the selection go. False if there was none."""
        start, end = self.sheet.selected
        self.select(self.cursor, self.cursor)
        return start < end
