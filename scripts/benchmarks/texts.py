"""Seeded documents and streams of four kinds. The same arguments give the same text on every machine."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

WORDS = """the of and to in a was that he his it with had her as she for not at but on is be they by from said which
this there all him were so when one out up what their who no would been an if more then into some could them now about
time little great man very over upon only like made know down old light river window morning silence remembered between
forgotten lantern mountain whispering corridor afternoon conversation extraordinary understanding""".split()  # noqa: SIM905
SIGNS = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事"
    "成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此"
    "已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代"
)


def novel(size: int, seed: int = 1) -> str:
    """English: a paragraph is one line of 300 to 3000 characters, with a blank line behind it."""
    source = random.Random(seed)
    return _joined(size, lambda: _english(source, source.randint(300, 3000)) + "\n\n")


def cjk(size: int, seed: int = 1) -> str:
    """Chinese: paragraphs of 80 to 600 characters, with a blank line between."""
    source = random.Random(seed)
    return _joined(size, lambda: "".join(_chinese(source, source.randint(80, 600))) + "\n\n")


def short(size: int, seed: int = 1) -> str:
    """Hard-wrapped English lines of 20 to 75 characters: 5 million characters are about 100,000 lines."""
    source = random.Random(seed)
    return _joined(size, lambda: _english(source, source.randint(20, 75)) + "\n")


def line(size: int, seed: int = 1) -> str:
    """One English line."""
    return _english(random.Random(seed), size)[:size]


def cjk_line(size: int, seed: int = 1) -> str:
    """One Chinese line."""
    return "".join(_chinese(random.Random(seed), size))


Maker = Callable[[int], str]
KINDS: dict[str, Maker] = {"novel": novel, "cjk": cjk, "short": short}
"""The documents with many lines."""


def batches(kind: str, size: int, seed: int = 9) -> Iterator[str]:
    """An endless stream of batches that fill `size` cells. Each 40th ends a paragraph, except in a "line"."""
    source = random.Random(seed)
    number = 0
    while True:
        number += 1
        text = (
            "".join(_chinese(source, size // 2))
            if kind.startswith("cjk")
            else " " + _english(source, size - 1)[: size - 1]
        )
        yield text + ("\n\n" if number % 40 == 0 and not kind.endswith("line") else "")


def _joined(size: int, paragraph: Callable[[], str]) -> str:
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(paragraph())
        length += len(parts[-1])
    return "".join(parts)[:size]


def _english(source: random.Random, size: int) -> str:
    words: list[str] = []
    length = 0
    while length <= size:
        words.append(source.choice(WORDS) + source.choices(("", ",", "."), (89, 6, 5))[0])
        length += len(words[-1]) + 1
    return " ".join(words)


def _chinese(source: random.Random, size: int) -> list[str]:
    marks = source.choices(("", "，", "。"), (89, 7, 4), k=size)
    signs = source.choices(SIGNS, k=size)
    return [mark or sign for mark, sign in zip(marks, signs, strict=True)]
