"""Stretches of text of one origin, and the steps they come and go with. What the ledger is made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from writer.editing.change import Change


@dataclass(slots=True, eq=False)
class Step:
    """One thing that is undone at once: a stretch of typing, a paste, a whole generation, a discard."""

    generation: str = ""  # whose text this step wrote (or took out, if `discard`)
    discard: bool = False
    open: bool = False  # still being written: the author's undo passes over it
    done: bool = True
    along: Step | None = None
    """What made room for it: undone and redone together with it."""
    taken: str = ""
    """The text from beside the chapter that came by it. `former`: the one that stood there before."""
    former: str = ""


ORIGINAL = Step()
"""What was there from the beginning, or can no longer be taken back."""


@dataclass(slots=True, eq=False)
class Run:
    """`length` characters that one step wrote. Their text is held only while they are hidden."""

    length: int
    born: Step
    mark: str = ""  # the generation in whose span it stands
    deaths: list[Step] = field(default_factory=list)
    shown: bool = True
    text: str = ""
    origin: str = ""
    """The generation whose words they are; "" for the author's. See provenance.py."""

    def in_force(self) -> bool:
        """Whether it is to be shown, by the steps that are in force."""
        return self.born.done and not any(step.done for step in self.deaths)

    def hide(self, text: str) -> None:
        """Its text is about to leave the document."""
        self.shown, self.text = False, text

    def show(self) -> str:
        """Its text goes back into the document: returns it."""
        text, self.text, self.shown = self.text, "", True
        return text

    def empty(self) -> None:
        """It can never be shown again."""
        self.length, self.text, self.deaths, self.shown = 0, "", [], False

    def continues(self, other: Run) -> bool:
        """Whether it is of one kind with the run before it."""
        return (
            self.born is other.born
            and (self.mark, self.origin) == (other.mark, other.origin)
            and self.shown == other.shown
            and self.deaths == other.deaths
            and bool(self.length and other.length)
        )

    def take(self, other: Run) -> None:
        """Become one with the run behind it."""
        self.length += other.length
        self.text += other.text


def traced(runs: list[Run], came: Sequence[tuple[int, str]]) -> list[Run] | None:
    """The runs, of which what was there from the beginning came in these stretches: characters, and whose words.

    None if that is a text of another length. What is known of a run already stays.
    """
    if sum(run.length for run in runs if run.born is ORIGINAL) != sum(length for length, _ in came):
        return None
    waiting, found = list(reversed(came)), list[Run]()
    for run in runs:
        if run.born is ORIGINAL and run.length:
            found += _parted(run, waiting)
        else:
            found.append(run)
    return found


def _parted(run: Run, waiting: list[tuple[int, str]]) -> Iterator[Run]:
    """The run in parts of one origin each; takes as much from the end of `waiting`."""
    at = 0
    while at < run.length:
        length, origin = waiting.pop()
        taken = min(length, run.length - at)
        if taken < length:
            waiting.append((length - taken, origin))
        text = run.text[at : at + taken]
        yield Run(taken, run.born, run.mark, list(run.deaths), run.shown, text, run.origin or origin)
        at += taken


def join(runs: list[Run], first: int, last: int) -> None:
    """Make one of neighbours of one kind in runs[first:last], in place."""
    for index in range(min(last, len(runs)) - 1, max(first, 0), -1):
        if runs[index].continues(runs[index - 1]):
            runs[index - 1].take(runs.pop(index))


def merged(runs: list[Run]) -> list[Run]:
    """The runs without what can never be shown, neighbours of one kind joined. A span keeps its last marker."""
    marks = {run.mark for run in runs if run.length}
    kept: list[Run] = []
    for run in runs:
        if not run.length:
            if not run.mark or run.mark in marks:
                continue
            marks.add(run.mark)
        if kept and run.continues(kept[-1]):
            kept[-1].take(run)
        else:
            kept.append(run)
    return kept


def joined(changes: list[Change]) -> list[Change]:
    """Neighbouring insertions, and neighbouring deletions, as one."""
    found: list[Change] = []
    for change in changes:
        last = found[-1] if found else None
        if last and last.removed and change.removed and last.at == change.at:
            found[-1] = Change(last.at, last.removed + change.removed, "")
        elif last and last.inserted and change.inserted and last.end == change.at:
            found[-1] = Change(last.at, 0, last.inserted + change.inserted)
        else:
            found.append(change)
    return found
