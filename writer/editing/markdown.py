"""What is Markdown in a paragraph: which kind it is, and where its marks stand. It knows no colours.

Kept to what novels and reports use, and bounded: one row costs the same in a paragraph of a million characters.
"""

from __future__ import annotations

import re
import string
import unicodedata
from enum import Enum, Flag, auto
from functools import lru_cache
from operator import itemgetter


class Kind(Enum):
    """What a whole paragraph is."""

    TEXT = auto()
    HEADING = auto()
    QUOTE = auto()
    LIST = auto()
    BREAK = auto()
    """A scene break: `***`, `---`, `* * *`, or `#` alone."""


class Mark(Flag):
    """What a run of characters is; several at once where they are nested."""

    MARKUP = auto()
    """The signs themselves, and the address of a link."""
    EMPHASIS = auto()
    STRONG = auto()
    CODE = auto()
    LINK = auto()


Run = tuple[int, int, Mark]
"""Columns [start, end) of the paragraph, and what they are."""

_REACH, _STEP, _LONGEST_ROW = 750, 250, 4000  # characters; the step lets neighbouring rows share one window
_HEAD = 64  # characters of a paragraph that tell its kind
_FIRST = frozenset("#>-+*_ \t\u3000⁂0123456789")
_BREAK = re.compile(r"[ \t\u3000]*(?:([-*_])[ \t]*(?:\1[ \t]*){2,}|#[ \t]*|⁂[ \t]*)\Z")
_PREFIX = re.compile(
    r" {0,3}(?:(?P<heading>#{1,6})(?=[ \t]|\Z)|(?P<quote>>(?:[ \t]?>)*))|[ \t]{0,12}(?P<list>[-+*]|\d{1,9}[.)])[ \t]"
)
_TOKEN = re.compile(
    r"(?=[\\`*_!\[\]h])(?:"  # passes over plain text five times as fast
    r"(?P<escape>\\)[!-/:-@\[-`{-~]|(?P<ticks>`+)|(?P<stars>\*+|_+)|(?P<open>!?\[)|(?P<close>\](?:\([^\s()]{0,300}\))?)"
    r"|(?P<address>https?://[\w/.:%#?&=+~@,;$!'-]+))",
    re.ASCII,
)
_PUNCTUATION = frozenset(string.punctuation)


def kind(text: str) -> Kind:
    """What this paragraph is. It reads a few characters of its beginning."""
    if not text or text[0] not in _FIRST:
        return Kind.TEXT
    if len(text) <= _HEAD and _BREAK.match(text):
        return Kind.BREAK
    prefix = _PREFIX.match(text)
    return Kind[(prefix.lastgroup or "text").upper()] if prefix else Kind.TEXT


def runs(text: str, start: int, end: int) -> list[Run]:
    """The marked runs in columns [start, end) of one paragraph: sorted, apart, cut at both ends.

    It looks at most 1,000 characters to either side. Marks that lie further apart are not seen as a pair.
    """
    end = min(end, start + _LONGEST_ROW, len(text))
    if end - start + 2 * _REACH >= len(text):
        low, window = 0, text
    else:
        low = max(0, (start - _REACH) // _STEP * _STEP)
        window = text[low : -(-(end + _REACH) // _STEP) * _STEP]
    prefixed = low == 0 and bool(window) and window[0] in _FIRST
    if not prefixed and not _marked(window):
        return []
    inside: list[Run] = []
    for a, b, mark in _parsed(window, prefixed):
        a, b = a + low, b + low
        if a < end and b > start:
            inside.append((a if a > start else start, b if b < end else end, mark))
    return inside


def _marked(text: str) -> bool:
    """Whether there is anything to parse: some fast searches, since most paragraphs have nothing."""
    return "*" in text or "_" in text or "`" in text or "[" in text or "\\" in text or "://" in text


@lru_cache(maxsize=256)
def _parsed(text: str, first: bool) -> tuple[Run, ...]:
    """All runs of the text, which is the paragraph's beginning if `first`."""
    spans: list[Run] = []
    at = 0
    if first:
        if len(text) <= _HEAD and _BREAK.match(text):
            return ()
        if prefix := _PREFIX.match(text):
            at = prefix.end(prefix.lastgroup or 0)
            spans.append((prefix.start(prefix.lastgroup or 0), at, Mark.MARKUP))
    if _marked(text):
        spans += _Inline(text).read(at)
    return _flat(spans)


def _flat(spans: list[Run]) -> tuple[Run, ...]:
    """Nested spans as runs side by side; each has the marks of all spans above it."""
    edges = [(a, 1, mark) for a, b, mark in spans if a < b] + [(b, -1, mark) for a, b, mark in spans if a < b]
    edges.sort(key=itemgetter(0))
    depth = dict.fromkeys(Mark, 0)
    flat: list[Run] = []
    at = 0
    for column, step, mark in edges:
        if column > at and (bits := sum(other.value for other, times in depth.items() if times)):
            flat.append((at, column, Mark(bits)))
        depth[mark] += step
        at = column
    return tuple(flat)


class _Inline:
    """One reading of a text from left to right. Its cost grows with the text alone, whatever the text is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: list[Run] = []
        self.openers: dict[str, list[list[int]]] = {"*": [], "_": []}
        """Runs of signs that may open something: [column behind what is left of the run, signs left, closes too]."""
        self.brackets: list[int] = []
        self.closing: dict[int, list[int]] = {}
        """Length of a run of backticks → where such runs begin, last first."""

    def read(self, at: int) -> list[Run]:
        text, spans = self.text, self.spans
        for ticks in reversed(list(re.finditer("`+", text))):
            self.closing.setdefault(len(ticks[0]), []).append(ticks.start())
        while token := _TOKEN.search(text, at):
            a, at = token.span()
            match token.lastgroup:
                case "ticks":
                    at = self._code(a, at)
                case "stars":
                    self._signs(a, at)
                case "open":
                    self.brackets.append(a)
                case "close":
                    self._link(a, at)
                case "address":
                    spans.append((a, at, Mark.LINK))
                case _:
                    spans.append((a, a + 1, Mark.MARKUP))
        return spans

    def _code(self, a: int, b: int) -> int:
        """A code span that begins with the backticks [a, b), if others close it. Returns where to read on."""
        same = self.closing.get(b - a, [])
        while same and same[-1] < b:
            same.pop()
        if not same:
            return b
        close = same.pop()
        end = close + b - a
        self.spans += [(a, b, Mark.MARKUP), (b, close, Mark.CODE), (close, end, Mark.MARKUP)]
        return end

    def _link(self, a: int, b: int) -> None:
        if not self.brackets:
            return
        opening = self.brackets.pop()
        if b - a > 1:
            inside = opening + (2 if self.text[opening] == "!" else 1)
            self.spans += [(opening, inside, Mark.MARKUP), (inside, a, Mark.LINK), (a, b, Mark.MARKUP)]

    def _signs(self, a: int, b: int) -> None:
        """A run of `*` or `_`: it closes what it can, and what is left of it may open something."""
        sign = self.text[a]
        opens, closes = _flanks(self.text, a, b)
        left = b - a
        while closes and left and (opener := self._opener(sign, left, opens)):
            used = 2 if left > 1 and opener[1] > 1 else 1
            inner, outer = opener[0], b - left
            self.spans += [
                (inner - used, inner, Mark.MARKUP),
                (inner, outer, Mark.STRONG if used == 2 else Mark.EMPHASIS),
                (outer, outer + used, Mark.MARKUP),
            ]
            left -= used
            opener[0] -= used
            opener[1] -= used
            self._drop(inner)
        if opens and left:
            self.openers[sign].append([b, left, closes])

    def _opener(self, sign: str, left: int, opens: bool) -> list[int] | None:
        """The nearest run that these signs may close; a run that could do both pairs only with its like."""
        for opener in reversed(self.openers[sign][-8:]):
            both = (opens or opener[2]) and (opener[1] + left) % 3 == 0 and (opener[1] % 3 or left % 3)
            if not both:
                return opener
        return None

    def _drop(self, inner: int) -> None:
        """Forget the runs that begin at or behind a column, since they would cross the pair there, and spent ones."""
        for openers in self.openers.values():
            while openers and (openers[-1][0] - openers[-1][1] >= inner or not openers[-1][1]):
                openers.pop()


def _flanks(text: str, a: int, b: int) -> tuple[bool, bool]:
    """Whether the run of signs [a, b) may open, and may close (CommonMark's left- and right-flanking).

    Unlike there, a sign between an ideograph and a quotation mark counts: Chinese has no spaces around words.
    """
    before = text[a - 1] if a else " "
    after = text[b] if b < len(text) else " "
    space_before, space_after = before.isspace(), after.isspace()
    left = not space_after and (not _punctuation(after) or space_before or _loose(before))
    right = not space_before and (not _punctuation(before) or space_after or _loose(after))
    if text[a] == "_":
        return left and (not right or _punctuation(before)), right and (not left or _punctuation(after))
    return left, right


def _punctuation(character: str) -> bool:
    return character in _PUNCTUATION or (character > "\x7f" and unicodedata.category(character)[0] in "PS")


def _loose(character: str) -> bool:
    return character > "\u2e7f" or _punctuation(character)
