"""Find and replace in the editor. What matches is the finder's business; here it is shown, kept true and changed."""

from __future__ import annotations

from writer.editing.change import Change
from writer.editing.find import Finder, Matches
from writer.editing.layout import Damage
from writer.tui.editor.surface import Surface


class Finding(Surface):
    """Keeps what was found in line with the text."""

    _finder: Finder | None = None
    _stale = False

    def find(self, finder: Finder | None) -> int:
        """Mark all that it finds; how many that is. The match at or behind the cursor becomes the current one.

        Raises BadPattern if that takes too long.
        """
        self._finder, self._stale = finder, False
        self.matches, self.match = Matches(), -1
        self.refresh()
        if finder:
            self.matches = finder.all(self.sheet.text)
        self._current(Finder.next(self.matches, self.sheet.selected[0]))
        return len(self.matches)

    def _current(self, match: int | None) -> None:
        self.match = -1 if match is None else match

    def find_next(self, forward: bool = True) -> None:
        """Go to the next match, around the end if need be, and select it. Raises BadPattern."""
        self._freshen()
        start, end = self.sheet.selected
        self._current(Finder.next(self.matches, end) if forward else Finder.previous(self.matches, start))
        self.show_match()

    def show_match(self) -> None:
        """Select the current match, in view."""
        if 0 <= self.match < len(self.matches):
            found = self.matches[self.match]
            self.select(found.start, found.end)
            self.reveal()

    def replace_match(self, replacement: str) -> None:
        """Replace the current match if it is selected, then go to the next one. Raises BadPattern."""
        self._freshen()
        found = next((m for m in self.matches if (m.start, m.end) == self.sheet.selected), None)
        if found is not None and self._finder and not self.read_only:
            self.sheet.replace(self._finder.changes(self.sheet.text, [found], replacement))
            self._freshen()
        self.find_next()

    def replace_all(self, replacement: str) -> int:
        """Replace every match, as one step; how many there were. Raises BadPattern."""
        self._freshen()
        count = len(self.matches)
        if count and self._finder and not self.read_only:
            self.sheet.replace(self._finder.changes(self.sheet.text, self.matches, replacement))
            self._freshen()
        return count

    def _freshen(self) -> None:
        if self._stale:
            self.find(self._finder)

    def adopt(self) -> None:
        super().adopt()
        self.matches, self.match, self._stale = Matches(), -1, self._finder is not None

    def changed(self, change: Change, damage: Damage) -> None:
        super().changed(change, damage)
        if self.matches and self.matches[-1].end > change.at:
            self.matches, self.match = Matches(), -1  # their places are not true any more
            self.refresh()
        self._stale = self._finder is not None
