"""The generation that writes in a sheet: its span, its step, and how much of it the span stands for.

It tells where its text goes and what was edited of it; the sheet makes the changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from writer.editing.change import Change
from writer.editing.ledger import Ledger
from writer.editing.runs import Step


class Stream:
    """The latest generation, if there is one. Offsets are characters of the shown text."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._step: Step | None = None
        self._covered = 0
        self._former: tuple[Step, int] | None = None
        """The one that has made room for it, and how much that one covered: undo brings it back."""
        self._discard: Step | None = None
        """The last one."""
        self._room: Step | None = None
        """What has made room for the text that was ordered."""
        self._since_order: list[Change] | None = None

    @property
    def writing(self) -> bool:
        """Whether more of it is to come."""
        return self._step is not None and self._step.open

    def span(self) -> tuple[str, int, int, int] | None:
        """Generation, start, end, covered; None if there is none, or all of it was taken out."""
        step, covered = self._latest()
        place = self._place(step.generation) if step is not None and step.done else None
        return (step.generation, *place, covered) if step is not None and place else None

    def _place(self, generation: str) -> tuple[int, int] | None:
        """Where its text stands; also of one that another has made forget its place."""
        if (place := self._ledger.span(generation)) is not None or self._former is None:
            return place
        words = [(start, end) for start, end, origin in self._ledger.origins() if origin == generation]
        return (words[0][0], words[-1][1]) if words else None

    def _latest(self) -> tuple[Step | None, int]:
        """The one that was begun last; once undo has taken it out, the one that stands there again."""
        if self._step is not None and not self._step.done and not self._step.open and self._former is not None:
            return self._former
        return self._step, self._covered

    def expect(self, *, instead: bool = False) -> None:
        """An order was given for the text as it is now. `instead`: of the text that was discarded last."""
        self._since_order = []
        self._room = self._discard if instead else None

    def changed(self, changes: Iterable[Change]) -> None:
        """The text has changed; an order that is under way speaks of it as it was before."""
        if self._since_order is not None:
            self._since_order += changes

    def begin(self, generation: str, start: int, end: int, covered: int | None, length: int) -> tuple[int, int] | None:
        """Open the span in a text of that length. Returns where it was placed; None if it was known already."""
        placed, before = None, (self._step, self._covered)
        self._step, self._covered = self._latest()
        if self._step is None or self._step.generation != generation or not self._step.done:
            start, end = (min(max(0, self._today(offset)), length) for offset in (start, end))
            placed = start, max(start, end)
            self._ledger.place(generation, *placed)
            self._covered = placed[1] - placed[0] if covered is None else covered
            self._former = (before[0], before[1]) if self._room is not None and before[0] is not None else None
            self._step, self._room = Step(generation=generation, along=self._room), None
        elif self._ledger.span(generation) is None and (known := self._place(generation)):
            self._ledger.place(generation, *known)
        self._step.open = True
        self._since_order = None
        return placed

    def _today(self, offset: int) -> int:
        for change in self._since_order or ():
            offset = change.moved(offset, pushed=True)
        return offset

    def append(self, text: str) -> Change:
        """More of it has come: the change that puts it at the end of the span."""
        assert self._step is not None
        self._covered += len(text)
        return Change(self._ledger.append(self._step.generation, len(text), self._step), 0, text)

    def end(self) -> None:
        """Nothing more comes for now. The span stays known."""
        if self._step is not None:
            self._step.open = False

    def forget(self) -> None:
        """The text is no longer anyone's span."""
        self.end()
        self._step = self._former = None

    def discard(self) -> tuple[Change, Step] | None:
        """What takes the span out, as a step of the author's; None if there is none, or it is being written."""
        span = self.span()
        if span is None or self.writing:
            return None
        generation, start, end, _ = span
        self._discard = Step(generation=generation, discard=True)
        return Change(start, end - start, ""), self._discard

    # The author's edits ---------------------------------------------------------------------------------------

    def mark(self, change: Change, *, replaces: bool = False) -> str:
        """The span that the author's new text belongs to; empty: none.

        At the end of paused text he writes on in it. A word that replaces one of the span belongs to the span.
        """
        span = self.span()
        if span is None:
            return ""
        generation, start, end, _ = span
        if replaces:
            inside = change.removed > 0 and start <= change.at and change.at + change.removed <= end
        else:
            inside = not self.writing and change.at == end
        return generation if inside else ""

    def touched(self, change: Change) -> bool:
        """Whether the change, not yet made, inserts inside the open span or takes some of it out."""
        span = self.span() if self.writing else None
        if span is None:
            return False
        _, start, end, _ = span
        if change.removed and change.at < end and change.at + change.removed > start:
            return True
        return bool(change.inserted) and start < change.at < end

    def turned(self, before: tuple[str, int, int, int] | None, changes: Iterable[Change]) -> bool:
        """Whether undo or redo changes the open span, which was `before`. Each change holds after the last."""
        span = self.span() if self.writing else None
        if span is None or before is None:
            return False
        _, start, end, _ = span
        return end - start != before[2] - before[1] or any(start < change.at < end for change in changes)
