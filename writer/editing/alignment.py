"""Which words of two texts are the same words, in the same order. Pure. [door: rapidfuzz]

Sentences that are equal are found first, then the words between them; a sign of a script that writes no spaces is a
word of its own. The longest common row of words is found in C++, a few thousandths of a second for 5,000 words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from writer.text.sentences import sentences

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_TOKEN = (
    rf"(?P<sign>[{_UNSPACED}]\p{{M}}*+)"
    rf"|(?P<word>[[\p{{L}}\p{{M}}\p{{N}}_]--[{_UNSPACED}]]++(?:['’‑-][[\p{{L}}\p{{M}}\p{{N}}_]--[{_UNSPACED}]]++)*+)"
    r"|(?!\s)\X"
)
_MOST_PAIRS = 400_000_000  # of words against words, 50 MB of work: 20,000 words that are all new
_WEIGHTS = {"word": 1.0, "sign": 0.5, None: 0.0}  # a Chinese word has about two signs


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a sign or a mark of punctuation. `weight` counts words."""

    start: int
    end: int
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class Run:
    """[start, end) of the original against [at, to) of the rewriting; equal means the same characters."""

    equal: bool
    start: int
    end: int
    at: int
    to: int
    weight: float  # words in it, of the side that has more


def tokens(text: str) -> list[Token]:
    """All but the white space. None of them reaches over the end of a sentence."""
    return [
        Token(found.start(), found.end(), found.group(), _WEIGHTS[found.lastgroup])
        for start, end in sentences(text)
        for found in _pattern().finditer(text, start, end)
    ]


@cache
def _pattern() -> Any:
    import regex  # type: ignore[import-untyped]  # 20 ms, only when something is rewritten

    return regex.compile(_TOKEN, regex.V1)


def runs(original: str, rewriting: str) -> list[Run]:
    """Both texts from start to end, in turns equal and changed."""
    old, new = tokens(original), tokens(rewriting)
    found: list[Run] = []
    end = to = 0  # of what is dealt with: characters of both texts
    i = j = 0  # and tokens
    for p, q in [*_pairs(original, rewriting, old, new), (len(old), len(new))]:
        start, at = (old[p].start, new[q].start) if p < len(old) else (len(original), len(rewriting))
        between = max(_weight(old[i:p]), _weight(new[j:q]))
        _add(found, Run(original[end:start] == rewriting[to:at], end, start, to, at, between))
        if p < len(old):
            end, to, i, j = old[p].end, new[q].end, p + 1, q + 1
            _add(found, Run(True, start, end, at, to, old[p].weight))
    return found


def _add(found: list[Run], run: Run) -> None:
    if run.start == run.end and run.at == run.to:
        return
    if found and found[-1].equal == run.equal:
        last = found.pop()
        run = Run(run.equal, last.start, run.end, last.at, run.to, last.weight + run.weight)
    found.append(run)


def _pairs(original: str, rewriting: str, old: list[Token], new: list[Token]) -> list[tuple[int, int]]:
    """Indices of tokens that are the same, rising on both sides."""
    left, right = _by_sentence(original, old), _by_sentence(rewriting, new)
    keys: dict[str, int] = {}
    found: list[tuple[int, int]] = []
    i = j = 0
    equal = _equal([text for text, _ in left], [text for text, _ in right], keys)
    for p, q in [*equal, (len(left), len(right))]:
        low, high = _tokens_before(left, i, p), _tokens_before(right, j, q)
        words = _equal([old[k].text for k in low], [new[k].text for k in high], keys)
        found += [(low[a], high[b]) for a, b in words]
        if p < len(left):
            found += zip(left[p][1], right[q][1], strict=True)
            i, j = p + 1, q + 1
    return found


def _by_sentence(text: str, parts: list[Token]) -> list[tuple[str, range]]:
    """Each sentence without the blanks around it, and its tokens' indices. One without any token is none."""
    found = []
    index = 0
    for start, end in sentences(text):
        first = index
        while index < len(parts) and parts[index].start < end:
            index += 1
        if first < index:
            found.append((text[start:end].strip(), range(first, index)))
    return found


def _tokens_before(parts: list[tuple[str, range]], first: int, last: int) -> range:
    return range(parts[first][1].start, parts[last - 1][1].stop) if first < last else range(0)


def _equal(old: Sequence[str], new: Sequence[str], keys: dict[str, int]) -> list[tuple[int, int]]:
    """Index pairs of the longest common row; none if it would cost too much.

    Numbers, not strings, are compared: a hash is not an identity.
    """
    if len(old) * len(new) > _MOST_PAIRS:
        return []
    from rapidfuzz.distance import LCSseq  # 20 ms, only when something is rewritten

    left, right = ([keys.setdefault(text, len(keys)) for text in side] for side in (old, new))
    return [
        (step.src_start + number, step.dest_start + number)
        for step in LCSseq.opcodes(left, right)
        if step.tag == "equal"
        for number in range(step.src_end - step.src_start)
    ]


def _weight(parts: Sequence[Token]) -> float:
    return sum(part.weight for part in parts)
