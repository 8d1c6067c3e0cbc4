"""What a front end's text of a chapter has grown out of, what the file holds, and what lies between. Pure.

The front end and the disk are two branches. Another program's change is on the disk first; the front end is told of
it by number, and until it has taken it over, all that it hands over is merged with it once more.
"""

from __future__ import annotations

from writer.manuscript.merge import Merged, merge
from writer.manuscript.model import ChapterText
from writer.runtime.ancestors import Ancestors, difference

_MOST = 6  # changes that a front end may leave aside before they count as one


class Lineage:
    """One chapter. `disk` is what its file held last, as far as we know."""

    def __init__(self, loaded: ChapterText) -> None:
        self.disk = loaded
        self._steps = [(0, loaded.text)]
        """(number, text): the front end's newest text, then what becomes of it with each change not yet taken over."""
        self._ancestors = Ancestors(loaded.text)

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
        """Our complete `text` with the change of another program, which made `theirs` of the file. None: an overlap."""
        base = self._ancestors.nearest(theirs)
        if base is None:
            return None
        if base == self.disk.text:
            return merge(base, text, theirs)
        merged = merge(base, text, theirs, apart=False)
        return None if merged is None or merged.fine or _repeats(merged, text, base) else merged

    def saved(self, text: str, disk: ChapterText) -> None:
        """The file holds this text of the front end, completed."""
        between = [(number, merge(self.handed, text, step)) for number, step in self._steps[1:-1]]
        steps = [(self.taken_over, text), *((number, merged.text) for number, merged in between if merged)]
        self._steps = [*steps, (self.number, disk.text)] if self.behind else [(self.number, disk.text)]
        self.disk = disk
        self._ancestors.add(disk.text)

    def changed(self, number: int, text: str, complete: str, theirs: str, disk: ChapterText) -> None:
        """As `saved` with the text `complete`, and then the file got a change of another program, too."""
        self.saved(text, ChapterText(complete, ""))
        self._steps = [*self._steps[:_MOST], (number, disk.text)]
        self.disk = disk
        self._ancestors.add(theirs)
        self._ancestors.add(disk.text)

    def overruled(self, text: str, theirs: str, disk: ChapterText) -> None:
        """As `saved`; the text of another program was kept elsewhere."""
        self._ancestors.add(theirs)
        self.saved(text, disk)

    def begun_anew(self, text: str, disk: ChapterText) -> None:
        """The file holds this text of the front end, and nothing else; what it lacked was kept elsewhere."""
        self._steps, self.disk = [(self.taken_over, text)], disk
        self._ancestors.add(disk.text)


def _repeats(merged: Merged, text: str, base: str) -> bool:
    """Whether a merge brings lines that are new in the text, too: then their text was not made out of this base."""
    new = [(at, at + len(inserted)) for at, _, inserted in difference(base, text)]
    come = {line.strip() for _, _, inserted in merged.edits for line in inserted.split("\n")} - {""}
    return any(line in text[at:end] for line in come for at, end in new)
