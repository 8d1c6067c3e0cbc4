"""What typed quotes, hyphens and full stops become. Pure: it sees the paragraph before the cursor, and no screen.

The editor first takes what was typed as it is, then makes the change as a step of its own, so that one undo gives
back what was typed. What was given back so is not changed again. Text that is no prose keeps its characters: code
spans, HTML tags and comments, link targets, rows of a table, rules ("---"), and what follows a backslash.
Not seen from here: front matter (see `front_matter`) and fenced code blocks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LONGEST = 64  # characters of one typing; more than this was not typed
_NARROW = "\u202f"


@dataclass(frozen=True, slots=True)
class Typeset:
    """`removed` characters before the cursor, the typed ones among them, become `inserted`."""

    removed: int
    inserted: str


@dataclass(frozen=True, slots=True)
class _Marks:
    """A language's marks."""

    opening: str
    closing: str
    inner: str = "‘"
    inner_end: str = "’"
    single: bool = True
    """Whether "'" opens an inner quote. If not it is an apostrophe, and '"' inside a quote opens an inner one."""
    dash: str = "–"
    first: str = "—"
    """A dash at the start of a paragraph, where speech begins."""
    ellipsis: str = "…"
    clipped: str = ""
    """Words that begin with an apostrophe, parted by spaces."""


_ENGLISH = _Marks("“", "”", dash="—", clipped="em tis twas til twill twere n")
_LOW = _Marks("„", "“", "‚", "‘", first="–")
_POINTED = _Marks("«", "»", "“", "”", single=False)
_EAST_SLAVIC = _Marks("«", "»", "„", "“", single=False)
_NORDIC = _Marks("”", "”", "’", "’")
_FULL_WIDTH = _Marks("", "", dash="——", first="——", ellipsis="……")  # an input method types the quotes itself
_LANGUAGES = {
    "en": _ENGLISH,
    "de": _LOW,
    "de-ch": _Marks("«", "»", "‹", "›", first="–"),
    "cs": _LOW,
    "sk": _LOW,
    "fr": _Marks("«" + _NARROW, _NARROW + "»", "“", "”", single=False),
    "es": _POINTED,
    "ca": _POINTED,
    "it": _POINTED,
    "el": _POINTED,
    "pt": _Marks("“", "”"),
    "nl": _Marks("“", "”", clipped="s t n k m r"),
    "tr": _Marks("“", "”"),
    "pl": _Marks("„", "”", "«", "»", single=False),
    "ro": _Marks("„", "”", "«", "»", single=False),
    "ru": _EAST_SLAVIC,
    "uk": _EAST_SLAVIC,
    "sv": _NORDIC,
    "fi": _NORDIC,
    "da": _NORDIC,
    "nb": _Marks("«", "»"),
    "nn": _Marks("«", "»"),
    "no": _Marks("«", "»"),
    "zh": _FULL_WIDTH,
    "ja": _FULL_WIDTH,
}

_OPENERS = frozenset("([{/=¿¡")  # behind these, or a space, a quote opens
_EITHER = frozenset("-–—―>")  # behind these it closes if one is open: “But—”
_MARKUP = "*_~\"'"  # of Markdown, and quotes left as they were typed: what is before them decides
_SEEN = 4000  # characters before the cursor that are looked at

_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_NO_PROSE = re.compile(
    r"`|<!--(?!.*-->)|<[A-Za-z/!][^<>]{0,200}$|\]\([^()]{0,400}$|[A-Za-z]://\S*$|(?<!\\)(?:\\\\)*\\$"
)
_RULE = re.compile(r"[ \t>*-]*$|[ \t]*\|[ \t|:-]*$|.*<!-$")  # of a paragraph, a list, a table; a comment's start
_YEAR = re.compile(r"\d\d$")
_KEY = re.compile(r"[\w.-]+\s*[:=](?:\s|$)|\s+\S|- |#|[\]}]")


def typed(before: str, text: str, language: str) -> Typeset | None:
    """What typing `text` behind `before` becomes; None if it stays as it is.

    `before`: the paragraph up to the cursor; of several, the last counts. `language` is like "en" or "de-CH"; one that
    is not known gets English marks.
    """
    if len(text) > _LONGEST:
        return None
    before = before[-_SEEN:]
    now = before = before[before.rfind("\n") + 1 :]
    same = len(now)
    marks = _marks(language)
    for character in text:
        removed, inserted = _turned(now, character, marks) or (0, character)
        if inserted != character and not _no_prose(now):
            same = min(same, len(now) - removed)
            now = now[: len(now) - removed] + inserted
        else:
            now += character
    plain = before + text
    if now == plain:
        return None
    while plain[same : same + 1] == now[same : same + 1]:
        same += 1
    return Typeset(len(plain) - same, now[same:])


def front_matter(head: str) -> int:
    """Characters of front matter at the start of a chapter; 0 if it has none. `head` holds at least all of it.

    Front matter that is still being typed has no end yet: it goes as far as its lines look like "key: value".
    """
    lines = head.split("\n")
    fence = lines[0].rstrip()
    if fence not in ("---", "+++") or len(lines) < 2 or not _KEY.match(lines[1]):
        return 0
    closers = (fence, "...") if fence == "---" else (fence,)
    rest = lines[1:]
    count = next((n for n, line in enumerate(rest, 1) if line.rstrip() in closers), 0)
    count = count or next((n for n, line in enumerate(rest) if not _KEY.match(line)), len(rest))
    return len("\n".join(lines[: count + 1]))


def _marks(language: str) -> _Marks:
    tag = language.lower().replace("_", "-")
    return _LANGUAGES.get(tag) or _LANGUAGES.get(tag.split("-")[0], _ENGLISH)


def _turned(before: str, character: str, marks: _Marks) -> tuple[int, str] | None:
    """How many characters of `before` go, and what comes for them and the typed one; None for no change."""
    if character == '"' and marks.opening:
        return 0, _double(before, marks)
    if character == "'" and marks.opening:
        return _clipped(before, character, marks) or (0, _single(before, marks))
    if character == ".":
        return (2, marks.ellipsis) if before.endswith("..") and not before.endswith("...") else None
    if character == "-":
        return _dash(before, marks)
    if before.endswith("--") and character != ">" and not before[:-2].strip(" \t>"):
        return 2, marks.first + character  # only now it is clear that this is no rule
    if character == " " and marks.opening.endswith(_NARROW) and before.endswith(marks.opening):
        return 0, ""  # the space is there already
    return _clipped(before, character, marks) or _apostrophe(before, character, marks)


def _double(before: str, marks: _Marks) -> str:
    inside = _inside(before, marks.opening[0], marks.closing[-1])
    opens = _opens(before, inside, marks)
    if marks.single or not inside:
        return marks.opening if opens else marks.closing
    if opens:
        return marks.inner
    inner = _inside(before[before.rfind(marks.opening[0]) :], marks.inner, marks.inner_end)
    return marks.inner_end if inner else marks.closing


def _single(before: str, marks: _Marks) -> str:
    if not marks.single:
        return "’"
    inside = _inside(before, marks.inner, marks.inner_end)
    if _opens(before, inside, marks):
        return marks.inner
    return marks.inner_end if inside else "’"


def _opens(before: str, inside: bool, marks: _Marks) -> bool:
    """Whether a quote typed here opens. `inside`: whether one is open."""
    last = before[-_LONGEST:].rstrip(_MARKUP)[-1:]
    if not last or last.isspace() or last in _OPENERS:
        return True
    if last in _EITHER:
        return not inside
    return last in marks.opening + marks.inner and last not in marks.closing + marks.inner_end


def _inside(before: str, opening: str, closing: str) -> bool:
    """Whether the last `opening` is still open. A closing mark inside a word is an apostrophe."""
    at = before.rfind(opening)
    return at >= 0 and opening != closing and not re.search(rf"{closing}(?!\w)", before[at + 1 :])


def _dash(before: str, marks: _Marks) -> tuple[int, str] | None:
    if before.endswith("–") and marks.opening:
        return 1, "—"  # the third hyphen
    if not before.endswith("-") or before.endswith("--") or _RULE.match(before):
        return None
    spaced = before[-2].isspace()
    return 1, "–" if spaced and marks.dash == "—" else marks.dash


def _clipped(before: str, character: str, marks: _Marks) -> tuple[int, str] | None:
    """An opening quote turns out to be an apostrophe: ’em, ’90s. Known when the word has ended."""
    at = before.rfind(marks.inner, -6) if marks.single and marks.opening else -1
    if at < 0 or marks.inner == "’":
        return None
    word = before[at + 1 :]
    if _YEAR.match(word):
        known = not character.isdigit() and character != "'"
    else:
        known = word.lower() in marks.clipped.split() and not character.isalnum() and (character != "'" or word == "n")
    return (len(word) + 1, "’" + word + ("’" if character == "'" else character)) if known else None


def _apostrophe(before: str, character: str, marks: _Marks) -> tuple[int, str] | None:
    """A closing inner quote turns out to be an apostrophe: „Wie geht’s?“"""
    if marks.inner_end == "’" or not marks.single or not character.isalpha() or before[-1:] != marks.inner_end:
        return None
    return (1, "’" + character) if before[-2:-1].isalpha() else None


def _no_prose(before: str) -> bool:
    return _NO_PROSE.search(_CODE_SPAN.sub("", before)) is not None
