"""Who wrote which characters, and what can be taken back. Pure: it knows no widget, no screen and no document.

The text is a list of runs. A run is never removed while it can come back: it is shown or hidden, as a function of
which steps are in force. So any step can be undone whatever came after it, exactly, and a generation's place is
found from its own runs instead of from offsets that every edit would have to move.

A run that is shown is only a length: its text stands in the document, and is read from there when it is hidden. So
the ledger must hear of a change before the document changes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from writer.editing.change import Change
from writer.editing.runs import ORIGINAL, Run, Step, join, joined, merged, traced

STEPS_KEPT = 500
"""Author's steps that can be undone; older ones become part of the text."""
HIDDEN_KEPT = 16_000_000
"""Characters of hidden text (64 MB at most). Beyond it the oldest steps become part of the text; the newest never."""

Came = tuple[int, str]
"""So many characters are the words of that generation, or of the author: ""."""

__all__ = ["HIDDEN_KEPT", "STEPS_KEPT", "Came", "Ledger", "Run", "Step"]


class Ledger:
    """The runs of one text, the steps that made them, and undo. Offsets count characters of the shown text."""

    def __init__(self, length: int, read: Callable[[int, int], str], came: Sequence[Came] = ()) -> None:
        """`read(start, end)` gives the text shown there, as it is before the change that is being noted.

        `came` tells whose words the text is made of at the beginning, if that is known.
        """
        self._traced = bool(came)
        self.runs: list[Run] = _runs(length, ORIGINAL, "", came)
        self.undoable: list[Step] = []
        self.redoable: list[Step] = []
        self._read = read

    @property
    def length(self) -> int:
        """Characters shown."""
        return sum(run.length for run in self.runs if run.shown)

    @property
    def hidden(self) -> int:
        """Characters kept that are not shown."""
        return sum(len(run.text) for run in self.runs)

    # Recording ------------------------------------------------------------------------------------------------

    def record(self, change: Change, step: Step, mark: str = "", came: Sequence[Came] = ()) -> None:
        """Note an edit that the author is about to make in the shown text.

        Text inserted at the edge of a span stays outside of it, unless `mark` names that span. `came` tells whose
        words it is made of: the author's if not given.
        """
        if step not in self.undoable:
            self._forget_redoable()
            self.undoable.append(step)
        first = last = self._split(change.at)
        if change.removed:
            last = self._split(change.at + change.removed)
            self._hide(self.runs[first:last], self._read(change.at, change.at + change.removed), step)
        fresh = _runs(len(change.inserted), step, mark, came)
        self.runs[first:first] = fresh
        join(self.runs, first - 1, last + 1 + len(fresh))
        self._forget_oldest(hidden=change.removed > 0)

    def _hide(self, runs: list[Run], text: str, step: Step) -> None:
        taken = 0
        for run in runs:
            if run.shown:
                run.hide(text[taken : taken + run.length])
                run.deaths.append(step)
                taken += run.length

    def place(self, generation: str, start: int, end: int) -> None:
        """Declare that the shown text [start, end) belongs to this generation, and nothing else to any.

        An empty range marks a place.
        """
        for run in self.runs:
            run.mark = ""
        self.runs = merged(self.runs)
        first, last = self._split(start), self._split(end)
        for run in self.runs[first:last]:
            run.mark = generation
            if run.born is ORIGINAL and not self._traced:  # it was written before this text was opened
                run.origin = generation
        if first == last:
            self.runs.insert(first, Run(0, ORIGINAL, generation))

    def append(self, generation: str, length: int, step: Step) -> int:
        """Generated text is about to be added at the end of its span. Returns the offset where it will stand.

        Raises ValueError if the generation was never placed.
        """
        if step not in self.undoable:
            self.undoable.append(step)
        last = at = -1
        shown = 0
        for index, run in enumerate(self.runs):
            shown += run.length if run.shown else 0
            if run.mark == generation:
                last, at = index, shown
        if last < 0:
            raise ValueError(f"{generation} has no place")
        self.runs.insert(last + 1, Run(length, step, generation, origin=generation))
        join(self.runs, last, last + 2)
        return at

    def span(self, generation: str) -> tuple[int, int] | None:
        """Where the generation's text stands, as (start, end); None if it was never placed."""
        start, end, shown = -1, -1, 0
        for run in self.runs:
            if run.mark == generation and start < 0:
                start = shown
            shown += run.length if run.shown else 0
            if run.mark == generation:
                end = shown
        return (start, end) if generation and start >= 0 else None

    def origins(self) -> list[tuple[int, int, str]]:
        """Whose words the shown text is made of: (start, end, generation) where they are not the author's."""
        found: list[tuple[int, int, str]] = []
        at = 0
        for run in self.runs:
            length = run.length if run.shown else 0
            if run.origin and length:
                found.append((at, at + length, run.origin))
            at += length
        return found

    def trace(self, came: Sequence[Came]) -> bool:
        """Whose words the text was made of at the beginning is known now. False if it was a text of another length."""
        found = traced(self.runs, came)
        if found is not None:
            self.runs, self._traced = found, True
        return found is not None

    # Taking back ----------------------------------------------------------------------------------------------

    def undo(self) -> tuple[Step, list[Change]] | None:
        """Take back the author's last step (a closed generation counts as one). None if there is nothing.

        The changes are still to be made in the document.
        """
        step = next((step for step in reversed(self.undoable) if not (step.open or self._awaited(step))), None)
        if step is None:
            return None
        steps = [each for each in (step.along, step) if each in self.undoable]
        self.undoable = [each for each in self.undoable if each not in steps]
        self.redoable.append(step)
        return step, self._turn(steps, done=False)

    def redo(self) -> tuple[Step, list[Change]] | None:
        """Put the last undone step into force again. The changes are still to be made in the document."""
        if not self.redoable:
            return None
        step = self.redoable.pop()
        steps = [*self._gone_along(step), step]
        self.undoable += steps
        return step, self._turn(steps, done=True)

    def _awaited(self, step: Step) -> bool:
        """Whether it concerns a text that has made room for one that is still being written."""
        made_room = (each.along.generation for each in self.undoable if each.open and each.along)
        return bool(step.generation) and step.generation in made_room

    def _gone_along(self, step: Step) -> list[Step]:
        """What was undone together with it."""
        return [step.along] if step.along and not step.along.done and step.along not in self.redoable else []

    def _turn(self, steps: list[Step], *, done: bool) -> list[Change]:
        for step in steps:
            step.done = done
        changes: list[Change] = []
        at = read = 0
        for run in self.runs:
            was = run.shown
            if run.born in steps or any(step in run.deaths for step in steps):
                shown = run.in_force()
                if was and not shown:
                    run.hide(self._read(read, read + run.length))
                    changes.append(Change(at, run.length, ""))
                elif shown and not was:
                    changes.append(Change(at, 0, run.show()))
            read += run.length if was else 0
            at += run.length if run.shown else 0
        self._forget_oldest(hidden=bool(changes))
        return joined(changes)

    # Runs -----------------------------------------------------------------------------------------------------

    def _split(self, at: int) -> int:
        """Index of the first run behind offset `at`. What is hidden at that place comes after it."""
        offset = 0
        for index, run in enumerate(self.runs):
            if offset == at:
                return index
            if not run.shown:
                continue
            if offset + run.length > at:
                self.runs.insert(index, Run(at - offset, run.born, run.mark, list(run.deaths), origin=run.origin))
                run.length -= at - offset
                return index + 1
            offset += run.length
        return len(self.runs)

    # Forgetting -----------------------------------------------------------------------------------------------

    def _forget_redoable(self) -> None:
        if self.redoable:
            self._unreachable(self.redoable)
            self.redoable = []

    def _unreachable(self, steps: list[Step]) -> None:
        """These undone steps cannot be redone any more: what they wrote is gone, what they took out stays."""
        gone = {id(each) for step in steps for each in (step, *self._gone_along(step))}
        for run in self.runs:
            run.deaths = [step for step in run.deaths if id(step) not in gone]
            if id(run.born) in gone:
                run.empty()
        self.runs = merged(self.runs)

    def _forget_oldest(self, *, hidden: bool) -> None:
        if len(self.undoable) > STEPS_KEPT + STEPS_KEPT // 5:
            self._settle(self.undoable[:-STEPS_KEPT])
        while hidden and self.hidden > HIDDEN_KEPT:
            oldest = [step for step in self.undoable[:-1] if not step.open][:1]
            if len(self.redoable) > 1:
                self._unreachable([self.redoable.pop(0)])
            elif oldest:
                self._settle(oldest)
            else:
                break

    def _settle(self, steps: list[Step]) -> None:
        """These steps cannot be undone any more: what they did is the text."""
        old = {id(step) for step in steps if not step.open}
        self.undoable = [step for step in self.undoable if id(step) not in old]
        for run in self.runs:
            if any(id(step) in old for step in run.deaths):
                run.empty()
            if id(run.born) in old:
                run.born = ORIGINAL
        self.runs = merged(self.runs)


def _runs(length: int, step: Step, mark: str, came: Sequence[Came]) -> list[Run]:
    parts = came if sum(part for part, _ in came) == length else [(length, "")]
    return [Run(part, step, mark, origin=origin) for part, origin in parts if part]
