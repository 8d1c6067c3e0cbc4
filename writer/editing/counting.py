"""The words of a text that is being edited, counted in slices of time and only where it changed.

Each paragraph and block keeps its number; an edit forgets those it touches. A very long paragraph is counted in parts
that add up, and an edit late in it leaves the parts before it counted.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_left

from writer.editing.document import Block, Document, Paragraph
from writer.text.count import words

PART = 16384
"""Characters of a paragraph that are counted at once."""

# Between two words, or between two characters that are words: nothing that counts lies across. Behind it must not be
# a number, which would look like one of a list at the start of a part.
_SEAM = re.compile(
    r"(?<=\s)(?=[^\W\d_])|(?<=[\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff])(?=[\u3041-\u30fa\u4e00-\u9fff])"
)
_PARENTHESIS = re.compile(r"[()]")


class Counter:
    """Counts one document, which may be edited between the calls."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._long = _Long(Paragraph(""))

    def characters(self) -> int:
        """Characters of the text without its line breaks."""
        return self._document.length - self._document.line_count + 1

    def count(self, seconds: float) -> tuple[int, bool]:
        """Words counted so far, and whether that is all of them. Counts on for about so long, at least one part."""
        deadline = time.monotonic() + seconds
        total, whole = 0, True
        for block in self._document.blocks:
            if block.words >= 0:
                total += block.words
            elif whole:
                number, whole = self._count_block(block, deadline)
                total += number
        return total, whole

    def _count_block(self, block: Block, deadline: float) -> tuple[int, bool]:
        whole = late = False
        total = 0
        for paragraph in block.paragraphs:
            if paragraph.words < 0 and not late:
                total += self._count_paragraph(paragraph, deadline)
                late = time.monotonic() >= deadline
            else:
                total += max(0, paragraph.words)
        whole = all(paragraph.words >= 0 for paragraph in block.paragraphs) if late else True
        if whole:
            block.words = total
        return total, whole and not late

    def _count_paragraph(self, paragraph: Paragraph, deadline: float) -> int:
        """Words of it, all or so far."""
        if len(paragraph.text) <= PART:
            paragraph.words = words(paragraph.text)
            return paragraph.words
        if self._long.paragraph is not paragraph:
            self._long = _Long(paragraph)
        return self._long.count(deadline)


class _Long:
    """A paragraph of many parts. `seams` are the columns between its counted parts, `sums` the words before each."""

    def __init__(self, paragraph: Paragraph) -> None:
        self.paragraph = paragraph
        self.text = paragraph.text
        self.seams: list[int] = []
        self.sums: list[int] = []

    def count(self, deadline: float) -> int:
        self._keep_what_is_unchanged()
        while True:
            start = self.seams[-1] if self.seams else 0
            number = self.sums[-1] if self.sums else 0
            end = _seam(self.text, start)
            number += words(self.text[start:end])
            if end == len(self.text):
                self.paragraph.words = number
                return number
            self.seams.append(end)
            self.sums.append(number)
            if time.monotonic() >= deadline:
                return number

    def _keep_what_is_unchanged(self) -> None:
        old, text = self.text, self.paragraph.text
        if old is text:
            return
        kept = bisect_left(self.seams, True, key=lambda seam: not text.startswith(old[: seam + 1]))
        del self.seams[kept:], self.sums[kept:]
        self.text = text


def _seam(text: str, start: int) -> int:
    """The next column where the text may be parted without changing its count, not inside a link's target."""
    at = start + PART
    while match := _SEAM.search(text, at):
        at = match.start()
        link = text.rfind("](", start, at)
        closed = _PARENTHESIS.search(text, link + 2) if link >= 0 else None
        if link < 0 or (closed and closed.start() < at):
            return at
        if closed is None:
            break
        at = closed.end()
    return len(text)
