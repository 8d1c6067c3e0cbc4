"""Finding and replacing in a text. Pure: it is given the text, and knows no cursor and no screen.

What is found is exact: a match may begin or end inside a grapheme cluster ("e" is found in "e" + U+0301), since a
search that widened it would replace more than was asked for. Letters are compared with full case folding ("strasse"
finds "Straße"), and only whole letters match ("s" does not find "ß"). A straight quote finds curly ones as well.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

from writer.editing.change import Change
from writer.errors import WriterError
from writer.language import say
from writer.text.sanitise import one_line

MOST = 100_000
"""Matches that are listed of one text."""
SECONDS, LONGEST = 1.0, 10_000  # of a regular expression: its search in one text, and its characters
_REPLACING = 5.0  # seconds: the author asked for it and waits
_UNROLLED = 50_000  # `a{n}` is unrolled when it is compiled; a nested one would fill the memory
_COUNT = re.compile(r"\{\s*(\d{1,12})")
# A letter or digit, of a script that parts words by spaces. "_" is Markdown's: "_Anna_" holds the word "Anna".
_IN_WORD = r"[^\W_\p{Han}\p{scx=Hiragana}\p{scx=Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_EDGE = rf"(?:(?<!{_IN_WORD})|(?!{_IN_WORD}))"
_ALIKE = {"'": "['’‘]", '"': '["“”„]'}  # typed quotes find printed ones
_TOO_LONG = say("This pattern takes too long in this text. Make it simpler.")


class BadPattern(WriterError):
    """A regular expression that is not one, takes too long, or a replacement that names no group of it."""


class Match(NamedTuple):
    """Characters [start, end) of the text. A plain tuple, as there may be a hundred thousand."""

    start: int
    end: int


class Matches(list[Match]):
    """Matches from the first to the last. None overlaps another, none is empty."""

    more = False
    """Whether there are more than MOST, which are not listed."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for."""

    pattern: str
    case: bool = False
    """Upper and lower case differ."""
    word: bool = False
    """Whole words only. Scripts that put no spaces between words have no whole words: any place will do."""
    regex: bool = False
    """The pattern is a regular expression: `^` and `$` match at each line, "." any character but a line break."""


class Finder:
    """A query made ready. May be used for any number of texts."""

    def __init__(self, query: Query, pattern: Any) -> None:
        """`pattern`: the compiled one, or None to find nothing. Use `compile`."""
        self.query = query
        self._pattern = pattern

    def all(self, text: str) -> Matches:
        """Every match, MOST at most. Raises BadPattern if a regular expression takes too long."""
        found = Matches()
        if self._pattern is None:
            return found
        try:
            for hit in self._pattern.finditer(text, timeout=SECONDS if self.query.regex else None):
                span = hit.span()
                if span[0] == span[1]:
                    continue
                if len(found) == MOST:
                    found.more = True
                    break
                found.append(Match._make(span))
        except (TimeoutError, MemoryError):
            raise BadPattern(_TOO_LONG) from None
        if len(found) > 1 and found[0] > found[-1]:  # "(?r)" searches from the end
            found.reverse()
        return found

    @staticmethod
    def next(matches: Sequence[Match], offset: int) -> int | None:
        """Index of the first match that begins at `offset` or behind it, else of the first; None if there is none."""
        return bisect_left(matches, offset, key=_start) % len(matches) if matches else None

    @staticmethod
    def previous(matches: Sequence[Match], offset: int) -> int | None:
        """Index of the last match that begins before `offset`, else of the last; None if there is none."""
        return (bisect_left(matches, offset, key=_start) - 1) % len(matches) if matches else None

    def changes(self, text: str, matches: Sequence[Match], replacement: str) -> list[Change]:
        """The changes that replace `matches`, which this finder found in this very text, from the first to the last.

        With a regular expression, the replacement may hold `\\1`, `\\g<name>`, `\\n`, `\\t` and `\\\\`; otherwise it is
        taken as it is. A match that reads like its replacement is left alone. Raises BadPattern.
        """
        new = self._expanded(text, matches, replacement) if self.query.regex else [replacement] * len(matches)
        changes, shift = [], 0
        for (start, end), inserted in zip(matches, new, strict=True):
            if text[start:end] != inserted:
                changes.append(Change(start + shift, end - start, inserted))
                shift += len(inserted) - (end - start)
        return changes

    def _expanded(self, text: str, matches: Sequence[Match], replacement: str) -> list[str]:
        """Searches again: a pattern that looks around itself cannot be matched in a part of the text."""
        wanted, new = set(matches), {}
        try:
            for hit in self._pattern.finditer(text, timeout=_REPLACING) if wanted else ():
                if (span := hit.span()) in wanted:
                    new[span] = hit.expand(replacement)
                    if len(new) == len(wanted):
                        break
        except (TimeoutError, MemoryError):
            raise BadPattern(_TOO_LONG) from None
        except (_regex().error, IndexError, ValueError, OverflowError) as error:
            raise BadPattern(
                say("The replacement is not right: {error}. Correct it, or turn Regex off.", error=_reason(error))
            ) from None
        return [new.get(match, text[match.start : match.end]) for match in matches]


def compile(query: Query) -> Finder:
    """Make a query ready. An empty one finds nothing. Raises BadPattern."""
    if not query.pattern:
        return Finder(query, None)
    regex = _regex()
    flags = regex.MULTILINE | (0 if query.case else regex.IGNORECASE | regex.FULLCASE)
    if not query.regex:
        return Finder(query, regex.compile(_literal(query), flags))
    _check_size(query.pattern)
    try:
        pattern = regex.compile(query.pattern, flags)
        if query.word:
            end = "\n)" if pattern.flags & regex.VERBOSE else ")"  # a comment may end the pattern
            pattern = regex.compile(f"{_EDGE}(?:{query.pattern}{end}{_EDGE}", flags)
    except (RecursionError, MemoryError):
        raise BadPattern(say("This pattern is too large. Make it simpler.")) from None
    except (regex.error, IndexError, KeyError, ValueError, OverflowError) as error:
        raise BadPattern(
            say("The pattern is not right: {error}. Correct it, or turn Regex off.", error=_reason(error))
        ) from None
    return Finder(query, pattern)


def _literal(query: Query) -> str:
    """The pattern for a plain search. Only the edges that could lie inside a word are checked, which costs least."""
    regex = _regex()
    pattern = "".join(_ALIKE.get(character) or regex.escape(character) for character in query.pattern)
    if query.word and regex.match(_IN_WORD, query.pattern[0]):
        pattern = f"(?<!{_IN_WORD}){pattern}"
    if query.word and regex.match(_IN_WORD, query.pattern[-1]):
        pattern = f"{pattern}(?!{_IN_WORD})"
    return pattern


def _check_size(pattern: str) -> None:
    if len(pattern) > LONGEST or prod(max(1, int(count)) for count in _COUNT.findall(pattern)) > _UNROLLED:
        raise BadPattern(say("This pattern is too large. Make it simpler."))


def _reason(error: Exception) -> str:
    """ "missing ), at character 1". Positions are counted from 1."""
    position = getattr(error, "pos", None)
    reason = one_line(str(getattr(error, "msg", error)), 80)
    return reason if position is None else say("{reason}, at character {place}", reason=reason, place=max(1, position))


def _start(match: Match) -> int:
    return match.start


def _regex() -> Any:
    """The library, loaded at the first search. It knows all of Unicode, and can be stopped."""
    import regex  # type: ignore[import-untyped]

    return regex
