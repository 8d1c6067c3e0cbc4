"""The text that is being edited: document, rows, cursor, undo and generated text as one thing. No screen, no keys.

Whoever shows it is told of every single change, after it was made and with the cursor already where it belongs.
Only the author's own edits and his undo put the cursor anywhere: otherwise it stays with the characters it stood at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from writer.editing import cells
from writer.editing.batch import as_one, grouped, replaced
from writer.editing.change import Change
from writer.editing.document import Document
from writer.editing.layout import Damage, Layout
from writer.editing.ledger import Came, Ledger
from writer.editing.provenance import AUTHOR, Provenance
from writer.editing.runs import Step
from writer.editing.stream import Stream
from writer.editing.tint import Tint
from writer.editing.turned import Turned, turned
from writer.editing.typing import Typing


class Sheet:
    """One text. Offsets are characters of it."""

    def __init__(self, text: str = "", width: int = 80, clock: Callable[[], float] = time.monotonic) -> None:
        """`width` in cells, `clock` in seconds."""
        self.listener: Callable[[Change, Damage], None] = lambda change, damage: None
        """Called after each single change."""
        self.touched: Callable[[], None] = lambda: None
        """Called when the author has edited inside the text that is being written."""
        self.untinted: Callable[[], None] = lambda: None
        """Called when an edit takes the tint from whole paragraphs: more rows look different than it changes."""
        self.revision = 0
        """Grows with every change of the text."""
        self.authored = 0
        """The revision of the author's last change."""
        self._typing = Typing(clock)
        self._open(text, width, Provenance())

    def _open(self, text: str, width: int, origins: Provenance) -> None:
        self.document = Document(text)
        self.layout = Layout(self.document, width)
        self.tint = Tint()
        self.cursor = self.mark = 0
        self.upstream = False
        """Whether the cursor, at a row break, is shown at the end of the earlier row."""
        self._ledger = Ledger(len(text), self.document.slice, origins.came(len(text)) if origins.ranges else ())
        self._stream = Stream(self._ledger)
        self._typing.break_step()

    def load(self, text: str, origins: Provenance | None = None) -> None:
        """Begin with this text; what could be undone before is forgotten. `origins` tells who wrote what of it."""
        self._open(text, self.layout.width, origins or Provenance())
        self.revision += 1

    @property
    def text(self) -> str:
        return self.document.text

    @property
    def origins(self) -> Provenance:
        """Who wrote which passage: exact, whatever was undone. Costs a walk over all that was edited."""
        return Provenance.of(self._ledger.origins())

    def trace(self, origins: Provenance, length: int) -> bool:
        """Who wrote what of the text that was loaded, of that length, is known now. False if it was another one."""
        return self._ledger.trace(origins.came(length))

    @property
    def length(self) -> int:
        """Characters of the text."""
        return self.document.length

    # Selection ------------------------------------------------------------------------------------------------

    def select(self, mark: int, cursor: int, *, upstream: bool = False) -> None:
        """Put the cursor there, with the selection from the mark to it. What is typed next is a new undo step."""
        mark, cursor = (min(max(0, offset), self.length) for offset in (mark, cursor))
        if (mark, cursor) != (self.mark, self.cursor):
            self._typing.break_step()
        self.mark, self.cursor, self.upstream = mark, cursor, upstream

    @property
    def selected(self) -> tuple[int, int]:
        """The selection as (start, end); equal if there is none."""
        return min(self.mark, self.cursor), max(self.mark, self.cursor)

    def selected_text(self) -> str:
        return self.document.slice(*self.selected)

    # The author -----------------------------------------------------------------------------------------------

    def type(self, text: str, *, pasted: bool | None = None) -> None:
        """Put the author's text where the selection is, the cursor behind it.

        More than one character counts as pasted, which is an undo step of its own, unless told otherwise.
        """
        start, end = self.selected
        if not text and start == end:
            return
        if pasted is None:
            pasted = len(text) > 1 and cells.next_stop(text, 0) < len(text)
        whole = pasted or "\n" in text or self._breaks(start, end)
        step = self._typing.step(len(text), end - start, whole=whole)
        self._tell(self._edit([Change(start, end - start, text)], step, cursor=start + len(text)))

    def delete(self, start: int, end: int) -> None:
        """The author takes these characters out."""
        start, end = max(0, start), min(end, self.length)
        if start < end:
            step = self._typing.step(0, end - start, whole=self._breaks(start, end))
            self._tell(self._edit([Change(start, end - start, "")], step))

    def _breaks(self, start: int, end: int) -> bool:
        return start < end and self.document.span(start)[1] < end

    def replace(self, changes: Sequence[Change], origin: str = AUTHOR, *, former: str = "") -> None:
        """Several edits of the author's at once, one undo step. Offsets of each hold after those before it.

        Many rising ones are made in few pieces, so the listener hears of fewer and larger changes. What comes are the
        words of `origin`: of a generation, where he accepts its rewriting. `former` is the one that stood there, if
        he had put it there.
        """
        step = Step(taken=origin, former=former)
        self._typing.break_step()
        span = self._stream.span()
        groups = grouped(changes, span[1:3] if span else ())
        touched = [self._edit(group, step, replaces=True, origin=origin) for group in groups]
        self._tell(any(touched))

    def break_step(self) -> None:
        """The author's next edit begins a new undo step."""
        self._typing.break_step()

    def _edit(
        self,
        changes: Sequence[Change],
        step: Step,
        *,
        cursor: int | None = None,
        replaces: bool = False,
        origin: str = AUTHOR,
    ) -> bool:
        """Make an edit of the author's, as one change. Whether it was inside of what is being written."""
        change = as_one(changes, self.document.slice)
        touched = self._stream.touched(change)
        for start, end in replaced(changes):
            if self.tint.touches(start, end):
                self.tint.remove(self.document.span(start)[0], self.document.span(end)[1] + 1)
                self.untinted()
        came = self._came(change, changes, origin)
        self._ledger.record(change, step, self._stream.mark(change, replaces=replaces), came)
        self.upstream = False
        self._make(change, changes, author=True, cursor=cursor)
        if cursor is None:  # what he types may be half of a character, of which the other half is to come
            self._keep_whole((change,))
        return touched

    def _came(self, change: Change, parts: Sequence[Change], origin: str) -> tuple[Came, ...]:
        """Whose words come with a change that is made of these parts: what stands between them stays whose it was."""
        if len(parts) == 1:
            return ((len(change.inserted), origin),)
        return self.origins.moved(parts, origin).part(change.at, change.end).came(len(change.inserted))

    def _tell(self, touched: bool) -> None:
        if touched:
            self.touched()

    # All changes ----------------------------------------------------------------------------------------------

    def _make(self, change: Change, parts: Sequence[Change], *, author: bool, cursor: int | None = None) -> None:
        """Make a change that the ledger knows of. `parts` are the same, more finely, for what stands in the text."""
        damage = self.layout.replace(change.at, change.at + change.removed, change.inserted)
        self.revision += 1
        self.authored = self.revision if author else self.authored
        self._stream.changed(parts)
        self.tint.moved(parts)
        if cursor is None:
            for part in parts:  # of a selection the same characters stay selected
                low, high = self.cursor < self.mark, self.mark < self.cursor
                self.cursor, self.mark = part.moved(self.cursor, pushed=low), part.moved(self.mark, pushed=high)
        else:
            self.cursor = self.mark = cursor
        self.listener(change, damage)

    def _keep_whole(self, changes: Iterable[Change]) -> None:
        """These changes may not leave the cursor inside of a character: it stands behind what has become one."""
        places = {place for change in changes for place in (change.at, change.end)}
        self.cursor, self.mark = (self._whole(at) if at in places else at for at in (self.cursor, self.mark))

    def _whole(self, offset: int) -> int:
        start, end = self.document.span(offset)
        text, column = self.document.paragraph(self.document.locate(offset)).text, offset - start
        if offset in (start, end) or cells.stop(text, column) == column:
            return offset
        return start + cells.next_stop(text, column)

    # Generated text -------------------------------------------------------------------------------------------

    @property
    def writing(self) -> bool:
        """Whether a generation is open."""
        return self._stream.writing

    def expect_generated(self, *, instead: bool = False) -> None:
        """An order was given for the text as it is now: `begin_generated` will speak of its offsets.

        `instead`: its text takes the place of what was discarded last, and the two are one step of undo.
        """
        self._stream.expect(instead=instead)

    def begin_generated(self, generation: str, start: int, end: int, covered: int | None = None) -> None:
        """Open the generation's span. Offsets hold for the text at `expect_generated`, else for the text now.

        If the sheet knows the span, it knows it better: author's edits have moved it. `covered` is how many
        characters of the generation the span stands for, `end - start` if not given.
        """
        placed = self._stream.begin(generation, start, end, covered, self.length)
        if placed is not None:
            self.tint.add(*placed)
        self._typing.break_step()

    def append_generated(self, text: str) -> None:
        """Put text at the end of the span of the generation that was begun."""
        if text:
            change = self._stream.append(text)
            self._make(change, (change,), author=False)
            self.tint.add(change.at, change.end)
            self._keep_whole((change,))

    def end_generated(self) -> None:
        """Nothing more comes for now. The span stays known, so the generation can go on there."""
        self._stream.end()

    def forget_generated(self) -> None:
        """The text stays as it is, and is no longer anyone's span."""
        self._stream.forget()

    def generated_span(self) -> tuple[str, int, int, int] | None:
        """Generation, start, end, covered of the latest; None if there is none, or all of it was taken out."""
        return self._stream.span()

    def discard_generated(self) -> str | None:
        """Take the span's text out: one step of the author's. Returns the generation; None if nothing was done."""
        discard = self._stream.discard()
        if discard is None:
            return None
        change, step = discard
        self._ledger.record(change, step)
        self._typing.break_step()
        self._make(change, (change,), author=True)
        self._keep_whole((change,))
        return step.generation

    def accept(self) -> bool:
        """All generated text is the author's now. False if none was left to accept."""
        return self.tint.clear()

    # Undo -----------------------------------------------------------------------------------------------------

    def undo(self) -> Turned | None:
        """Take back the author's last step; a generation that is not being written counts as one."""
        return self._turn(self._ledger.undo)

    def redo(self) -> Turned | None:
        """Put back what was undone last."""
        return self._turn(self._ledger.redo)

    def _turn(self, turn: Callable[[], tuple[Step, list[Change]] | None]) -> Turned | None:
        before = self._stream.span()
        found = turn()
        if found is None:
            return None
        step, changes = found
        touched = self._stream.turned(before, changes)
        self._typing.break_step()
        for change in changes:
            self._make(change, (change,), author=True)
            if step.generation:
                self.tint.add(change.at, change.end)
        if changes and not step.generation:
            self.cursor = self.mark = changes[-1].end
            self.upstream = False
        self._keep_whole(changes)
        self._tell(touched)
        return turned(step, changes)
