"""An author who drives a ledger, with the text kept character by character beside it."""

from __future__ import annotations

from dataclasses import dataclass, field

from writer.editing.change import Change
from writer.editing.ledger import Ledger
from writer.editing.runs import Step


@dataclass
class Letter:
    """One character for ever, or a generation's place: shown while its step is in force and none that took it out."""

    character: str
    born: Step
    deaths: list[Step] = field(default_factory=list)

    @property
    def shown(self) -> bool:
        return bool(self.character) and self.born.done and not any(step.done for step in self.deaths)


class Author:
    """Drives a ledger as the sheet does: the ledger first, then the document (a plain string)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ledger = Ledger(len(text), lambda start, end: self.text[start:end])
        self.machine: Step | None = None
        self.generations = 0
        self.letters = [Letter(character, Step()) for character in text]

    def type(self, where: int, length: int, inserted: str, step: Step | None = None) -> None:
        at = where % (len(self.text) + 1)
        change = Change(at, min(length, len(self.text) - at), inserted)
        if not change.removed and not inserted:
            return
        step = step or Step()
        self.ledger.record(change, step)
        self._letters_typed(change, step)
        self.make(change)

    def _letters_typed(self, change: Change, step: Step) -> None:
        first = self._letter(change.at)
        for letter in [letter for letter in self.letters[first:] if letter.shown][: change.removed]:
            letter.deaths.append(step)
        self.letters[first:first] = [Letter(character, step) for character in change.inserted]

    def _letter(self, at: int) -> int:
        """Index behind `at` shown letters. What is hidden there comes after it."""
        shown = [index for index, letter in enumerate(self.letters) if letter.shown]
        return shown[at - 1] + 1 if at else 0

    def begin(self) -> None:
        if self.machine is None:
            self.generations += 1
            self.machine = Step(generation=f"g{self.generations}", open=True)
            self.ledger.place(self.machine.generation, len(self.text), len(self.text))
            self.letters.insert(self._letter(len(self.text)), Letter("", self.machine))

    def stream(self, text: str) -> None:
        self.begin()
        assert self.machine
        place = max(index for index, letter in enumerate(self.letters) if letter.born is self.machine) + 1
        self.letters[place:place] = [Letter(character, self.machine) for character in text]
        self.make(Change(self.ledger.append(self.machine.generation, len(text), self.machine), 0, text))

    def finish(self) -> None:
        if self.machine:
            self.machine.open = False
            self.machine = None

    def turn(self, turned: tuple[Step, list[Change]] | None) -> None:
        for change in turned[1] if turned else []:
            self.make(change)

    def make(self, change: Change) -> None:
        self.text = self.text[: change.at] + change.inserted + self.text[change.at + change.removed :]

    def do(self, operation: tuple[object, ...]) -> None:
        match operation:
            case ("type", int(where), int(length), str(inserted)):
                self.type(where, length, inserted)
            case ("stream", str(text)):
                self.stream(text)
            case ("undo",):
                self.turn(self.ledger.undo())
            case ("redo",):
                self.turn(self.ledger.redo())
            case ("finish",):
                self.finish()
            case ("begin",):
                self.begin()
