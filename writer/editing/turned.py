"""What undo or redo did, for whoever keeps the record of generated text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from writer.editing.change import Change
from writer.editing.runs import Step


@dataclass(frozen=True, slots=True)
class Turned:
    """`generation` is empty for a step of the author's; else its text went (`removed`) or came back."""

    generation: str = ""
    removed: bool = False
    other: str = ""
    """The generation that stands there when this one does not: it came as this one went, or went as it came."""
    chosen: bool = False
    """It is a text from beside the chapter, that the author had put in."""
    place: tuple[int, int] = (0, 0)
    """Of a text that went: what it would take the place of, in the text as it is now."""


def turned(step: Step, changes: Sequence[Change]) -> Turned:
    """What it was to turn this step, which has made these changes; each holds after the ones before it."""
    if not step.generation and not step.taken:
        return Turned()
    if step.generation:
        other, removed = step.along.generation if step.along else "", step.done == step.discard
    else:
        other, removed = step.former, not step.done
    return Turned(
        step.generation or step.taken, removed, other, bool(step.taken), _place(changes) if removed else (0, 0)
    )


def _place(changes: Sequence[Change]) -> tuple[int, int]:
    came = [change for change in changes if change.inserted]
    if len(came) == 1:
        return came[0].at, came[0].end
    return (changes[0].at, changes[0].at) if changes else (0, 0)
