"""What a front end's text of a chapter has grown out of, what the file holds, and what lies between. Pure.

The front end and the disk are two branches. Another program's change is on the disk first; the front end is told of
it by number, and until it has taken it over, all that it hands over is merged with it once more.
"""

from __future__ import annotations

from writer.manuscript.edits import Edit, at_once, in_turn
from writer.manuscript.merge import Merged, merge
from writer.manuscript.model import ChapterText

_MOST = 6  # changes that a front end may leave aside before they count as one


class Lineage:
    """One chapter. `disk` is what its file held last, as far as we know."""

    def __init__(self, loaded: ChapterText) -> None:
        self.disk = loaded
        self._steps = [(0, loaded.text)]
        """(number, text): the front end's newest text, then what becomes of it with each change not yet taken over."""
        self._seen = loaded.text
        """What another program has had in hand for certain. It may know nothing of what we have written since."""

    @property
    def handed(self) -> str:
        """The newest text of the front end that the file holds."""
        return self._steps[0][1]

    @property
    def taken_over(self) -> int:
        """The number of the last change that the front end has taken over."""
        return self._steps[0][0]

    @property
    def number(self) -> int:
        """The number of the last change of another program."""
        return self._steps[-1][0]

    @property
    def behind(self) -> bool:
        """Whether the front end lacks something that the file holds."""
        return self.taken_over != self.number

    def confirm(self, number: int) -> None:
        """The front end's next text has the changes up to this number in it."""
        numbers = [found for found, _ in self._steps]
        if number in numbers:
            self._steps = self._steps[numbers.index(number) :]
        elif number > self.taken_over:  # one that is no longer told apart from the others
            self._steps[0] = (number, self.handed)

    def completed(self, text: str) -> Merged | None:
        """A new text of the front end with all that it lacks; None if that overlaps."""
        return merge(self.handed, text, self.disk.text) if self.behind else Merged(text, (), False)

    def joined(self, text: str, theirs: str) -> Merged | None:
        """Our complete `text` with the change of another program, which made `theirs` of the file. None: an overlap.

        A program that has not looked at the file since overwrites what we have written meanwhile. That is no change
        of its own: its text is then compared with what it has had in hand.
        """
        merged = merge(self.disk.text, text, theirs)
        if merged is None or not _takes(merged.edits, text, self._seen):
            return merged
        return merge(self._seen, text, theirs)

    def saved(self, text: str, disk: ChapterText) -> None:
        """The file holds this text of the front end, completed."""
        between = [(number, merge(self.handed, text, step)) for number, step in self._steps[1:-1]]
        steps = [(self.taken_over, text), *((number, merged.text) for number, merged in between if merged)]
        self._steps = [*steps, (self.number, disk.text)] if self.behind else [(self.number, disk.text)]
        self.disk = disk

    def changed(self, number: int, text: str, complete: str, theirs: str, disk: ChapterText) -> None:
        """As `saved` with the text `complete`, and then the file got a change of another program, too."""
        self.saved(text, ChapterText(complete, ""))
        self._steps = [*self._steps[:_MOST], (number, disk.text)]
        self.disk, self._seen = disk, theirs

    def overruled(self, text: str, theirs: str, disk: ChapterText) -> None:
        """As `saved`; the text of another program was kept elsewhere."""
        self.saved(text, disk)
        self._seen = theirs

    def begun_anew(self, text: str, disk: ChapterText) -> None:
        """The file holds this text of the front end, and nothing else; what it lacked was kept elsewhere."""
        self._steps, self.disk = [(self.taken_over, text)], disk


def _takes(edits: tuple[Edit, ...], text: str, seen: str) -> bool:
    """Whether these edits of a text take out words that are new in it, compared with what was `seen`."""
    gone = [(at, at + removed) for at, removed, _ in at_once(edits) if text[at : at + removed].strip()]
    if not gone:
        return False
    new = merge(seen, seen, text)
    come = [(at, at + len(inserted)) for at, _, inserted in new.edits] if new else [(0, len(text))]
    return any(start < end_of_new and end > at for start, end in gone for at, end_of_new in come)


def difference(old: str, new: str) -> tuple[Edit, ...]:
    """What makes the new text out of the old one."""
    merged = merge(old, old, new)
    return merged.edits if merged else in_turn([(0, len(old), new)])
