"""The keys of a note: which texts mention it. A key is a plain word or more, a /pattern/, or such terms with AND, NOT.

    Mara                      whole words, upper and lower case alike; in Chinese, Japanese and Thai any place
    /Holms?|captain/          a regular expression; /…/i takes upper and lower case alike
    Mara AND NOT harbour      every term must hold

Patterns may be a stranger's: their size is bounded and so is the time of each search.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

from writer.errors import ManuscriptError
from writer.language import say
from writer.text.sanitise import one_line

SECONDS = 0.2  # of one pattern in one text
MOST_KEYS, LONGEST = 50, 500  # of one note; characters of one key
_UNROLLED = 5000  # `a{n}` is unrolled when it is compiled; a nested one would fill the memory
_COUNT = re.compile(r"\{\s*(\d{1,12})?\s*,?\s*(\d{1,12})?")
_WORD = re.compile(r"/(?:[^/\\]|\\.)+/i?(?=\s|$)|\S+")
_NO_SPACES = [(0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007), (0x3040, 0x30FF)]
_NO_SPACES += [(0x3400, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9D), (0x20000, 0x3FFFF)]


@dataclass(frozen=True, slots=True)
class Searched:
    """A text made ready: its own form for patterns, a folded one for plain words."""

    text: str
    folded: str


def searched(text: str) -> Searched:
    """Make a text ready for any number of keys."""
    return Searched(text, fold(text))


@dataclass(frozen=True, slots=True)
class Key:
    """One key, made ready."""

    said: str
    terms: tuple[tuple[bool, Callable[[Searched], bool]], ...]
    """Whether each term is wanted, and whether it stands in a text."""
    slow: bool = False
    """It holds a pattern."""

    def holds(self, text: Searched) -> bool:
        """Whether the text mentions it. Raises ManuscriptError if a pattern takes too long."""
        return all(found(text) == wanted for wanted, found in self.terms)


@lru_cache(maxsize=4096)
def compiled(said: str) -> Key:
    """Make a key ready. Raises ManuscriptError with the reason, without a next step."""
    shown = one_line(said, 60)
    if len(said) > LONGEST:
        raise ManuscriptError(say("the key {shown} is longer than {longest} characters", shown=shown, longest=LONGEST))
    terms = []
    for words in _groups(_WORD.findall(said)):
        wanted = words[:1] != ["NOT"]
        words = words if wanted else words[1:]
        if not words or words[0] == "NOT":
            raise ManuscriptError(
                say("the key {shown} is not understood: a word is missing beside AND or NOT", shown=shown)
            )
        terms.append((wanted, _finder(words)))
    if not any(wanted for wanted, _ in terms):
        raise ManuscriptError(say("the key {shown} only says what must not be there, so it says nothing", shown=shown))
    return Key(said, tuple(terms), slow="/" in said)


def fold(text: str) -> str:
    """Letters as they are compared: composed, without case."""
    return (
        text.lower() if text.isascii() else unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    )


def _groups(words: list[str]) -> list[list[str]]:
    """The words between the ANDs."""
    groups: list[list[str]] = [[]]
    for word in words:
        if word == "AND":
            groups.append([])
        else:
            groups[-1].append(word)
    return groups


def _finder(words: list[str]) -> Callable[[Searched], bool]:
    first = words[0]
    if len(words) == 1 and len(first) > 2 and first[0] == "/" and first.endswith(("/", "/i")):
        pattern = _pattern(first[1 : first.rindex("/")], ignore_case=first.endswith("i"))
        return lambda text: _searches(pattern, text.text)
    word = fold(" ".join(words))
    return lambda text: _stands(word, text.folded)


def _stands(word: str, text: str) -> bool:
    """Whether the word stands in the text as a whole one."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if _is_edge(text, at) and _is_edge(text, end):
            return True
        at = text.find(word, at + 1)
    return False


def _is_edge(text: str, at: int) -> bool:
    """Whether no word goes on over this place."""
    return at in (0, len(text)) or not (_in_word(text[at - 1]) and _in_word(text[at]))


def _in_word(character: str) -> bool:
    """Of a script that parts its words by spaces."""
    if character.isascii():
        return character.isalnum()
    code = ord(character)
    joins = character.isalnum() or unicodedata.category(character)[0] == "M"
    return joins and not any(low <= code <= high for low, high in _NO_SPACES)


def _pattern(said: str, *, ignore_case: bool) -> Any:
    regex = _regex()
    unrolled = prod(max(1, *(int(n or 1) for n in counts)) for counts in _COUNT.findall(said))
    if unrolled > _UNROLLED:
        raise ManuscriptError(say("the pattern /{said}/ is too large", said=one_line(said, 60)))
    try:
        return regex.compile(said, regex.MULTILINE | (regex.IGNORECASE if ignore_case else 0))
    except (regex.error, IndexError, KeyError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        why = one_line(str(getattr(error, "msg", error)), 80)
        raise ManuscriptError(
            say("the pattern /{said}/ is not right: {why}", said=one_line(said, 60), why=why)
        ) from None


def _searches(pattern: Any, text: str) -> bool:
    try:
        return pattern.search(text, timeout=SECONDS) is not None
    except (TimeoutError, MemoryError):
        raise ManuscriptError(
            say("the pattern /{pattern}/ takes too long in this text", pattern=one_line(pattern.pattern, 60))
        ) from None


def _regex() -> Any:
    """The library, loaded at the first pattern: it can be stopped, which the standard one cannot."""
    import regex  # type: ignore[import-untyped]

    return regex
