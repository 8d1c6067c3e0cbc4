"""The editor's document: lines end at "\\n" and nowhere else, and every other character is kept as it is.

It holds each line twice, as written and as shown. Both have the same length, so a column means the same in either;
what is shown has no control character in it. Lines without one (nearly all) are one string, not two.
"""

from __future__ import annotations

from textual.document._document import Document, EditResult, Location
from textual.document._wrapped_document import WrappedDocument

from writer.text.sanitise import visible


def shown(line: str) -> str:
    """The line as it may be painted."""
    return line if line.isprintable() else visible(line)


class PlainDocument(Document):
    """Textual's Document without `str.splitlines`, which would eat form feeds, U+2028, lone "\\r" and others."""

    def __init__(self, text: str) -> None:
        self._newline = "\n"
        self._raw = text.split("\n")
        self._lines = [shown(line) for line in self._raw]
        self._joined: str | None = text

    @property
    def text(self) -> str:
        """The text as written. Kept until the next edit: Textual asks for it once per painted row."""
        if self._joined is None:
            self._joined = "\n".join(self._raw)
        return self._joined

    @property
    def end(self) -> Location:
        return len(self._raw) - 1, len(self._raw[-1])

    def replace_range(self, start: Location, end: Location, text: str) -> EditResult:
        """Replace the text at [start, end). Locations behind the end count as the end."""
        (top_row, top), (row, column) = sorted((self.clamped(start), self.clamped(end)))
        replaced = self.get_text_range((top_row, top), (row, column))
        new = text.split("\n")
        new[0] = self._raw[top_row][:top] + new[0]
        end_column = len(new[-1])
        new[-1] += self._raw[row][column:]
        self._joined = None
        self._raw[top_row : row + 1] = new
        self._lines[top_row : row + 1] = [shown(line) for line in new]
        return EditResult((top_row + len(new) - 1, end_column), replaced)

    def get_text_range(self, start: Location, end: Location) -> str:
        """The text in [start, end) as written."""
        (top_row, top), (row, column) = sorted((self.clamped(start), self.clamped(end)))
        if top_row == row:
            return self._raw[row][top:column]
        return "\n".join([self._raw[top_row][top:], *self._raw[top_row + 1 : row], self._raw[row][:column]])

    def clamped(self, location: Location) -> Location:
        """The nearest location that exists; a row behind the last means the end of the text."""
        row, column = location
        if row >= len(self._raw):
            return self.end
        return max(row, 0), min(max(column, 0), len(self._raw[row]))

    def get_index_from_location(self, location: Location) -> int:
        row, column = self.clamped(location)
        return sum(map(len, self._raw[:row])) + row + column

    def get_location_from_index(self, index: int) -> Location:
        """Row and column of the character at `index`; the end if there is none."""
        for row, line in enumerate(self._raw):
            if index <= len(line):
                return row, max(index, 0)
            index -= len(line) + 1
        return self.end


class FlatWrappedDocument(WrappedDocument):
    """Textual's WrappedDocument, which adds up the height of every line for each row it paints."""

    @property
    def height(self) -> int:
        return len(self._offset_to_line_info)
