"""Who wrote which characters, and what can be taken back. Pure: it knows no widget and no screen.

The text is a list of runs. A run is never removed while it can come back: it is shown or hidden, as a function of
which steps are in force. So any step can be undone whatever came after it, exactly, and a generation's place is
found from its own runs instead of from offsets that every edit would have to move.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

STEPS_KEPT = 500
"""Author's steps that can be undone; older ones become part of the text."""


@dataclass(slots=True, eq=False)
class Step:
    """One thing that is undone at once: a stretch of typing, a paste, a whole generation, a discard."""

    generation: str = ""  # whose text this step wrote (or took out, if `discard`)
    discard: bool = False
    open: bool = False  # still being written: the author's undo passes over it
    done: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """At character `at`, `removed` characters went and `inserted` came. Of several, each holds after the last."""

    at: int
    removed: int
    inserted: str


_ORIGINAL = Step()


@dataclass(slots=True, eq=False)
class Run:
    text: str
    born: Step
    mark: str = ""  # the generation in whose span it stands
    deaths: list[Step] = field(default_factory=list)

    @property
    def shown(self) -> bool:
        return self.born.done and not any(step.done for step in self.deaths)

    def __len__(self) -> int:
        return len(self.text)


class Ledger:
    """The runs of one text, the steps that made them, and undo."""

    def __init__(self, text: str = "") -> None:
        self.runs: list[Run] = [Run(text, _ORIGINAL)] if text else []
        self.undoable: list[Step] = []
        self.redoable: list[Step] = []

    @property
    def text(self) -> str:
        """What is shown."""
        return "".join(run.text for run in self.runs if run.shown)

    # Recording ------------------------------------------------------------------------------------------------

    def record(self, change: Change, step: Step, mark: str = "") -> None:
        """Note an edit that the author has just made in the shown text.

        Text inserted at the edge of a span stays outside of it, unless `mark` names that span.
        """
        if step not in self.undoable:
            self._forget_redoable()
            self.undoable.append(step)
            self._forget_oldest()
        place = self._split(change.at)
        if change.removed:
            end = self._split(change.at + change.removed)
            for run in self.runs[place:end]:
                if run.shown:
                    run.deaths.append(step)
        if change.inserted:
            self._insert(place, Run(change.inserted, step, mark))

    def place(self, generation: str, start: int, end: int) -> None:
        """Declare that the shown text [start, end) belongs to this generation. An empty range marks a place."""
        for run in self.runs:
            run.mark = "" if run.mark == generation else run.mark
        first, last = self._split(start), self._split(end)
        for run in self.runs[first:last]:
            run.mark = generation
        if first == last:
            self.runs.insert(first, Run("", _ORIGINAL, generation))

    def append(self, generation: str, text: str, step: Step) -> int:
        """Add generated text at the end of its span. Returns the offset where it now stands."""
        if step not in self.undoable:
            self.undoable.append(step)
        last = max(i for i, run in enumerate(self.runs) if run.mark == generation)
        at = self._offset(last + 1)
        self._insert(last + 1, Run(text, step, generation))
        return at

    def span(self, generation: str) -> tuple[int, int] | None:
        """Where the generation's text stands, as (start, end); None if it was never placed."""
        marked = [i for i, run in enumerate(self.runs) if run.mark == generation]
        if not generation or not marked:
            return None
        return self._offset(marked[0]), self._offset(marked[-1] + 1)

    # Taking back ----------------------------------------------------------------------------------------------

    def undo(self) -> tuple[Step, list[Change]] | None:
        """Take back the author's last step (a closed generation counts as one). None if there is nothing."""
        step = next((step for step in reversed(self.undoable) if not step.open), None)
        if step is None:
            return None
        self.undoable.remove(step)
        self.redoable.append(step)
        return step, self._turn(step, done=False)

    def redo(self) -> tuple[Step, list[Change]] | None:
        """Put the last undone step into force again."""
        if not self.redoable:
            return None
        step = self.redoable.pop()
        self.undoable.append(step)
        return step, self._turn(step, done=True)

    def _turn(self, step: Step, *, done: bool) -> list[Change]:
        before = [run.shown for run in self.runs]
        step.done = done
        changes: list[Change] = []
        at = 0
        for was, run in zip(before, self.runs, strict=True):
            if was and not run.shown:
                changes.append(Change(at, len(run), ""))
            elif run.shown and not was and run.text:
                changes.append(Change(at, 0, run.text))
            at += len(run) if run.shown else 0
        return _joined(changes)

    # Runs -----------------------------------------------------------------------------------------------------

    def _split(self, at: int) -> int:
        """Index of the first run behind offset `at`. What is hidden at that place comes after it."""
        offset = 0
        for index, run in enumerate(self.runs):
            if offset == at:
                return index
            if not run.shown:
                continue
            if offset + len(run) > at:
                head = Run(run.text[: at - offset], run.born, run.mark, list(run.deaths))
                run.text = run.text[at - offset :]
                self.runs.insert(index, head)
                return index + 1
            offset += len(run)
        return len(self.runs)

    def _insert(self, index: int, run: Run) -> None:
        before = self.runs[index - 1] if index else None
        if before and before.born is run.born and before.mark == run.mark and not before.deaths:
            before.text += run.text
        else:
            self.runs.insert(index, run)

    def _offset(self, index: int) -> int:
        return sum(len(run) for run in self.runs[:index] if run.shown)

    # Forgetting -----------------------------------------------------------------------------------------------

    def _forget_redoable(self) -> None:
        """A new step makes undone ones unreachable: what they wrote is gone, what they took out stays."""
        gone = set(map(id, self.redoable))
        self.redoable.clear()
        if not gone:
            return
        for run in self.runs:
            run.deaths = [step for step in run.deaths if id(step) not in gone]
            if id(run.born) in gone:
                run.text = ""
        self.runs = list(_merged(self.runs))

    def _forget_oldest(self) -> None:
        if len(self.undoable) <= STEPS_KEPT + STEPS_KEPT // 5:
            return
        old = {id(step) for step in self.undoable[:-STEPS_KEPT] if not step.open}
        self.undoable = [step for step in self.undoable if id(step) not in old]
        for run in self.runs:
            if any(id(step) in old for step in run.deaths):
                run.text, run.deaths = "", []
            if id(run.born) in old:
                run.born = _ORIGINAL
        self.runs = list(_merged(self.runs))


def _merged(runs: list[Run]) -> Iterator[Run]:
    """The runs without what can never be shown, neighbours of one kind joined. A span keeps its last marker."""
    marks = {run.mark for run in runs if run.text}
    previous: Run | None = None
    for run in runs:
        if not run.text and (not run.mark or run.mark in marks):
            continue
        if (
            previous
            and run.text
            and previous.born is run.born
            and previous.mark == run.mark
            and previous.deaths == run.deaths
        ):
            previous.text += run.text
            continue
        if not run.text:
            marks.add(run.mark)
        previous = run
        yield run


def _joined(changes: list[Change]) -> list[Change]:
    """Neighbouring insertions, and neighbouring deletions, as one."""
    joined: list[Change] = []
    for change in changes:
        last = joined[-1] if joined else None
        if last and last.removed and change.removed and last.at == change.at:
            joined[-1] = Change(last.at, last.removed + change.removed, "")
        elif last and last.inserted and change.inserted and last.at + len(last.inserted) == change.at:
            joined[-1] = Change(last.at, 0, last.inserted + change.inserted)
        else:
            joined.append(change)
    return joined
