"""Counting and quoting prose in any script: words, the last sentence, how long ago. Pure, linear, no I/O.

A word processor's count: each Chinese character or kana is a word, Korean goes by its spaces, Markdown's marks are
none.
"""

from __future__ import annotations

import re

from writer.language import many, say
from writer.text import sanitise

# Ideographs with 々 and 〇, kana with their small and half-width forms, bopomofo.
_CJK = "\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff"
_CJK += "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
# What parts two words without a space: dashes, ellipsis, slash, and the punctuation of Chinese and Japanese.
_BREAKS = "\u2013\u2014\u2015\u2026/\u3000-\u3004\u3006\u3008-\u3020\u30fb\uff01-\uff0f\uff1a-\uff20\uff5b-\uff65"

_CJK_RUN = re.compile(f"[{_CJK}]+")
_WORD = re.compile(rf"[^\W_{_BREAKS}][^\s{_BREAKS}]*")
_LINK_TARGET = re.compile(r"\]\([^()\n]*\)")
_LIST_NUMBER = re.compile(r"^[ \t]*\d{1,3}[.)][ \t]", re.MULTILINE)

_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’»)\]*_]*\s+|[。！？…]+[”’」』）》\"]*\s*")
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|[A-Z])\.\s+$")
_TAIL = 4000  # characters in which the last sentence is looked for

_UNITS = ((60, "minute"), (3600, "hour"), (86400, "day"), (604800, "week"), (2629800, "month"), (31557600, "year"))


def words(text: str) -> int:
    """Number of words, as word processors count them."""
    text = _LIST_NUMBER.sub("", _LINK_TARGET.sub("] ", text)).replace("--", " ")
    rest, runs = _CJK_RUN.subn(" ", text)
    characters = len(text) - len(rest) + runs
    return characters + len(_WORD.findall(rest))


def last_sentence(text: str, limit: int = 160) -> str:
    """The last sentence, finished or not, as one safe line of at most `limit` characters. A long one keeps its end."""
    paragraphs = [line for line in text[-_TAIL:].splitlines() if any(map(str.isalnum, line))]
    if not paragraphs:
        return ""
    paragraph = paragraphs[-1].strip().lstrip("#> ")
    line = sanitise.one_line(paragraph[_sentence_start(paragraph) :], _TAIL)
    return line if len(line) <= limit else "…" + line[len(line) - limit + 1 :]


def _sentence_start(paragraph: str) -> int:
    start = 0
    for end in _SENTENCE_END.finditer(paragraph):
        rest = paragraph[end.end() : end.end() + 1]
        if not rest:  # the paragraph ends here: this is the end of the last sentence, not the start of another
            break
        if rest.islower() or _ABBREVIATION.search(paragraph[max(0, end.start() - 6) : end.end()]):
            continue
        start = end.end()
    return start


def ago(seconds: float) -> str:
    """A length of time before now, in plain words: "just now", "4 minutes ago", "yesterday"."""
    if seconds < 45:
        return say("just now")
    if 86400 <= seconds < 2 * 86400:
        return say("yesterday")
    size, unit = next((u for u in reversed(_UNITS) if seconds >= u[0]), _UNITS[0])
    count = max(1, int(seconds // size))
    return {
        "minute": many("a minute ago", "{count} minutes ago", count),
        "hour": many("an hour ago", "{count} hours ago", count),
        "day": many("a day ago", "{count} days ago", count),
        "week": many("a week ago", "{count} weeks ago", count),
        "month": many("a month ago", "{count} months ago", count),
    }.get(unit) or many("a year ago", "{count} years ago", count)
