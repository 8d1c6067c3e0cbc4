"""Words that a dictionary does not know, offline. Quiet rather than complete: names, numbers and markup are left out.

A dictionary takes a quarter of a second or more to read, so whoever wants one makes it in a thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from writer.editing.dictionary import Dictionary, plain
from writer.editing.markdown import Mark, runs

_LONGEST, _LONGEST_ROW, _MOST_NAMES = 64, 4000, 10_000  # characters of a word, and of a row that is looked at
_SCRIPTS = {
    "latin": r"A-Za-zÀ-ÖØ-öø-ɏ\u1e00-\u1eff\u0300-\u036f\u00ad",
    "cyrillic": r"\u0400-\u052f\u0300-\u036f\u00ad",
    "arabic": r"\u0620-\u065f\u066e-\u06d3\u06d5\u06fa-\u06ff\ufb50-\ufdff\ufe70-\ufefc\u200c",
}
_SCRIPT_OF = {"ar": "arabic", "fa": "arabic", "ru": "cyrillic"}
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_JOINED = frozenset("@#/\\")
_BETWEEN = " \t\u3000*_#>|-–—"
"""What may stand between a word and the sentence before it."""
_ENDS, _OPENINGS = frozenset(".!?…。！？"), frozenset("“„«‘「『")
_TITLE = re.compile(r"(?<!\w)[A-Z]\w{0,2}\.\Z")
"""The end of "Mr.", "Dr." or an initial, which ends no sentence."""


class Spelling:
    """One language's dictionary, and what the author taught it. Slow to make; safe to make in another thread."""

    def __init__(self, language: str) -> None:
        """The dictionary of "en", "en-GB", "de", … Raises ConfigError for a language that there is none for."""
        self.dictionary = Dictionary(language)
        letters = _SCRIPTS[_SCRIPT_OF.get(self.dictionary.language, "latin")]
        self._pattern = re.compile(f"[{letters}]+(?:['’][{letters}]+)*")
        self.revision = 0
        """Grows with every word that is learnt, and every name that is seen: what was unknown may not be any more."""
        self._names: set[str] = set()
        self._cached = lru_cache(maxsize=512)(self._find)

    def unknown(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        """Columns of the unknown words in [start, end) of one paragraph: sorted, cut at both ends.

        It looks at most 64 characters to either side. A word that is still being typed is for the caller to leave out.
        """
        end = min(end, start + _LONGEST_ROW, len(text))
        if start >= end:
            return []
        low, high = max(0, start - _LONGEST), min(len(text), end + _LONGEST)
        marked = [(a - low, b - low) for a, b, mark in runs(text, low, high) if mark & (Mark.CODE | Mark.MARKUP)]
        found = self._cached(text[low:high], tuple(marked), low == 0, high == len(text))
        return [(max(start, a + low), min(end, b + low)) for a, b in found if a + low < end and b + low > start]

    def learn(self, word: str) -> None:
        """From now on, and until the program ends, this word is known."""
        self.dictionary.learn(plain(word))
        self._changed()

    def near(self, word: str, limit: int = 5) -> list[str]:
        """At most `limit` known words one letter away, the commonest first, written as the word is. Milliseconds."""
        if not 0 < len(word) <= _LONGEST:
            return []
        return [_like(word, other) for other in self.dictionary.near(plain(word), limit)]

    def _find(
        self, text: str, marked: tuple[tuple[int, int], ...], first: bool, last: bool
    ) -> tuple[tuple[int, int], ...]:
        """Unknown words of a window, which is the paragraph's beginning or end if `first` or `last`."""
        skipped = list(marked)
        if "://" in text or "www." in text:
            skipped += [address.span() for address in _ADDRESS.finditer(text)]
        return tuple(
            (a, b)
            for a, b in self._candidates(text, first, last)
            if not any(a < y and x < b for x, y in skipped) and not self._right(text, a, b)
        )

    def _candidates(self, text: str, first: bool, last: bool) -> Iterator[tuple[int, int]]:
        """Where whole words stand that are made of this language's letters alone."""
        for word in self._pattern.finditer(text):
            a, b = word.span()
            cut = (a == 0 and not first) or (b == len(text) and not last)
            if not cut and b - a <= _LONGEST and _apart(text, a, b):
                yield a, b

    def _right(self, text: str, a: int, b: int) -> bool:
        """Whether the word is known, or not of a sort that a dictionary can judge."""
        word = text[a:b]
        small = plain(word)
        if self.dictionary.knows(small) or word[1:] != word[1:].lower():
            return True
        if word[0].isupper() and not _opens_sentence(text, a):
            self._name(small)
            return True
        if word[0].isupper() and small.removesuffix("'s") in self._names:
            return True
        before, after = text[a - 1 : a], text[b : b + 1]
        return (len(small) <= 3 and "-" in (before, after)) or (
            before in ("'", "’", "‘") and small in self.dictionary.pieces
        )

    def _name(self, small: str) -> None:
        """Where a sentence begins, it is a name as well: from now on it counts as known there."""
        name = small.removesuffix("'s")
        if name not in self._names and len(self._names) < _MOST_NAMES:
            self._names.add(name)
            self._changed()

    def _changed(self) -> None:
        self.revision += 1
        self._cached.cache_clear()


def _apart(text: str, a: int, b: int) -> bool:
    """Whether the letters [a, b) are a word and no part of a name, a path, a number or an identifier."""
    before, after = text[a - 1 : a], text[b : b + 1]
    if before.isdigit() or after.isdigit() or before in _JOINED or after in _JOINED:
        return False
    behind, ahead = a > 1 and text[a - 2].isalnum(), text[b + 1 : b + 2].isalnum()
    return not ((before in ("_", ".") and behind) or (after in ("_", ".") and ahead))


def _opens_sentence(text: str, at: int) -> bool:
    """Whether a sentence, or direct speech, may begin at a column. Behind closing quotation marks a name may stand."""
    before = text[:at].rstrip(_BETWEEN)
    if not before or before[-1] in _OPENINGS or (before[-1] in "\"'" and len(before) == at):
        return True
    return before[-1] in _ENDS and not _TITLE.search(before, max(0, len(before) - 5))


def _like(word: str, other: str) -> str:
    """Another word with this one's capitals and apostrophe."""
    if "’" in word:
        other = other.replace("'", "’")
    return other.upper() if word.isupper() and len(word) > 1 else other.capitalize() if word[:1].isupper() else other
