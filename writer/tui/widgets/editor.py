"""The editor: a TextArea that text can be streamed into while the author types.

`append_generated` is the seam that the rest of the app writes through. A generation never moves the author's cursor
or view (unless the view was at the end: then it follows), is one undo step, and never mixes with the author's steps.
What is typed at the edge of generated text stands outside of it, except at its end while writing is paused: that is
where the author's own sentence is to be continued.
"""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.document._document_navigator import DocumentNavigator
from textual.message import Message
from textual.widgets import TextArea
from textual.widgets.text_area import Edit

from writer.runtime.orders import Span
from writer.tui.widgets.generated_edit import QuietEdit
from writer.tui.widgets.ledger import Change, Ledger, Step
from writer.tui.widgets.plain_document import FlatWrappedDocument, PlainDocument
from writer.tui.widgets.typing_history import TypingHistory


class Editor(TextArea):
    """One chapter's text. Offsets are characters of `text`."""

    DEFAULT_CSS: ClassVar[str] = "Editor { overflow-y: scroll; }"

    class GenerationRemoved(Message):
        """Undo, redo or discard took out all text of this generation."""

        def __init__(self, editor: Editor, generation: str) -> None:
            super().__init__()
            self.editor = editor
            self.generation = generation

    class GenerationRestored(Message):
        """Undo or redo put the text of this generation back."""

        def __init__(self, editor: Editor, generation: str) -> None:
            super().__init__()
            self.editor = editor
            self.generation = generation

    def __init__(self, text: str = "", *, id: str | None = None) -> None:
        self.ledger = Ledger(text)
        self.revision = 0
        """Grows with every change of the text."""
        self.authored = 0
        """The revision of the author's last change."""
        self._step: Step | None = None
        self._covered = 0
        self._ordered_at: list[Change] | None = None
        self._following = False
        super().__init__(text, id=id, soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False)
        self.match_cursor_bracket = False
        self.cursor_blink = False
        self.history = TypingHistory(self._record)

    # Text -----------------------------------------------------------------------------------------------------

    def _set_document(self, text: str, language: str | None) -> None:
        self.document = PlainDocument(text)
        self.wrapped_document = FlatWrappedDocument(self.document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._build_highlight_map()
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    @property
    def plain(self) -> PlainDocument:
        assert isinstance(self.document, PlainDocument)
        return self.document

    def load(self, text: str) -> None:
        """Show this text; what could be undone before is forgotten."""
        self.ledger = Ledger(text)
        self._step, self._covered, self._ordered_at = None, 0, None
        self.load_text(text)
        self.revision += 1

    def _record(self, edit: Edit, step: Step) -> None:
        """The author has made this edit."""
        assert edit._edit_result is not None
        at = self.plain.get_index_from_location(edit.top)
        change = Change(at, len(edit._edit_result.replaced_text), edit.text)
        self._changed(change)
        self.authored = self.revision
        span = self.generated_span()
        paused = span is not None and self._step is not None and not self._step.open
        self.ledger.record(change, step, span.generation if span and paused and at == span.end else "")

    def _changed(self, change: Change) -> None:
        self.revision += 1
        if self._ordered_at is not None:
            self._ordered_at.append(change)

    def _apply(self, changes: list[Change]) -> None:
        for change in changes:
            locate = self.plain.get_location_from_index
            start, end = locate(change.at), locate(change.at + change.removed)
            super().edit(QuietEdit(change.inserted, start, end))
            self._changed(change)
        self.authored = self.revision

    # Generated text -------------------------------------------------------------------------------------------

    def expect_generated(self) -> None:
        """An order was given for the text as it is now: `begin_generated` will speak of its offsets."""
        self._ordered_at = []

    def begin_generated(self, generation: str, start: int, end: int, covered: int | None = None) -> None:
        """Open the generation's span. Offsets hold for the text at `expect_generated`, else for the text now.

        If the editor knows the span, it knows it better: author's edits have moved it. `covered` is how many
        characters of the generation the span stands for, `end - start` if not given.
        """
        if self._step is None or self._step.generation != generation or not self._step.done:
            start, end = self._today(start), self._today(end)
            self.ledger.place(generation, start, max(start, end))
            self._covered = max(start, end) - start if covered is None else covered
            self._step = Step(generation=generation)
        self._step.open = True
        self._ordered_at = None
        self.history.checkpoint()

    def _today(self, offset: int) -> int:
        for change in self._ordered_at or ():
            if offset >= change.at + change.removed:
                offset += len(change.inserted) - change.removed
            elif offset > change.at:
                offset = change.at
        return min(offset, self.length)

    @property
    def length(self) -> int:
        """Characters of the text."""
        return self.plain.get_index_from_location(self.plain.end)

    def append_generated(self, text: str) -> None:
        """Put committed text at the end of the span. The view follows if it showed the end of the chapter."""
        assert self._step is not None
        at_end = self.at_end
        self._covered += len(text)
        at = self.ledger.append(self._step.generation, text, self._step)
        location = self.plain.get_location_from_index(at)
        top = self.scroll_offset.y
        above = self.is_attached and self.wrapped_document.location_to_offset(location).y < top
        height = self.wrapped_document.height
        super().edit(QuietEdit(text, location, location))
        self._changed(Change(at, 0, text))
        if at_end:
            self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True, force=True)
        elif above:
            self.scroll_to(y=top + self.wrapped_document.height - height, animate=False, immediate=True, force=True)

    def end_generated(self) -> None:
        """Nothing more comes for now. The span stays known, so the generation can go on there."""
        if self._step is not None:
            self._step.open = False

    def forget_generated(self) -> None:
        """The text stays as it is, and is no longer anyone's span."""
        self.end_generated()
        self._step = None

    def generated_span(self) -> Span | None:
        """Where the latest generation stands; None if there is none, or all of it was taken out."""
        if self._step is None or not self._step.done:
            return None
        place = self.ledger.span(self._step.generation)
        return Span(self._step.generation, *place, self._covered) if place else None

    def discard_generated(self) -> None:
        """Take the span's text out: one step of the author's, to be undone like any other."""
        span = self.generated_span()
        if span is None or self._step is None or self._step.open:
            return
        change = Change(span.start, span.end - span.start, "")
        self.ledger.record(change, Step(generation=span.generation, discard=True))
        self.history.checkpoint()
        self._apply([change])
        self.post_message(self.GenerationRemoved(self, span.generation))

    # Undo -----------------------------------------------------------------------------------------------------

    def undo(self) -> None:
        if not self.read_only:
            self._turn(self.ledger.undo())

    def redo(self) -> None:
        if not self.read_only:
            self._turn(self.ledger.redo())

    def _turn(self, turned: tuple[Step, list[Change]] | None) -> None:
        if turned is None:
            return
        step, changes = turned
        self.history.checkpoint()
        self._apply(changes)
        if step.generation:
            removed = step.done == step.discard
            message = self.GenerationRemoved if removed else self.GenerationRestored
            self.post_message(message(self, step.generation))
        elif changes:
            last = changes[-1]
            self.move_cursor(self.plain.get_location_from_index(last.at + len(last.inserted)))

    # View -----------------------------------------------------------------------------------------------------

    @property
    def at_end(self) -> bool:
        """Whether the view shows the end of the chapter."""
        return self.scroll_offset.y >= self.max_scroll_y

    def go_to_end(self) -> None:
        """Put the cursor at the end of the chapter, in view."""
        self.move_cursor(self.plain.end)
        self.show_end()

    def type_in(self, text: str) -> None:
        """Insert at the cursor what the author has typed."""
        self._replace_via_keyboard(text, *self.selection)

    def show_end(self) -> None:
        """Scroll to the end; the cursor stays where it is."""
        self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._following = self.at_end

    def _on_resize(self) -> None:
        """A view that showed the end still does."""
        following = self._following
        super()._on_resize()
        if following:
            self.scroll_to(y=self.max_scroll_y, animate=False, immediate=True, force=True)

    # Keys -----------------------------------------------------------------------------------------------------

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Every character that is not a control character is typing, unlike in Textual (`str.isprintable`)."""
        return not self.read_only and typed(character)

    async def _on_key(self, event: events.Key) -> None:
        """Textual's own handler, which follows, takes the printable ones."""
        if not event.is_printable and typed(event.character) and not self.read_only:
            event.stop()
            event.prevent_default()
            self.type_in(event.character or "")

    async def _on_paste(self, event: events.Paste) -> None:
        """Terminals send "\\r" for a line break."""
        event.stop()
        event.prevent_default()
        text = event.text.replace("\r\n", "\n").replace("\r", "\n")
        await super()._on_paste(events.Paste(text))


def typed(character: str | None) -> bool:
    """Whether a key's character is text: anything but a control character."""
    return bool(character) and len(character or "") == 1 and not _control(ord(character or " "))


def _control(code: int) -> bool:
    return code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code < 0xE000
