"""Reads the tables of docs/cli.md that say what `--json` prints, and holds values against them.

T    string, integer, number, boolean, null, any, "a word", the name of a shape, one of them `or` another
[T]  a list of T
{name: T, other?: T}  an object: `other` may be missing, nothing else may be there
{*: T}  an object with any keys
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
HEADING = "## What `--json` prints"
_TOKEN = re.compile(r'\s*([\[\]{}:,*?]|"[^"]*"|\w+|.)')
_PLAIN: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "any": lambda value: True,
}


class Misfit(AssertionError):
    """A value is not what the page says, or the page cannot be read."""


@dataclass(frozen=True, slots=True)
class Word:
    """A plain type, a literal in quotes, or the name of a shape."""

    word: str


@dataclass(frozen=True, slots=True)
class Listed:
    each: Shape


@dataclass(frozen=True, slots=True)
class Fields:
    """`fields` by name, "*" for all others."""

    fields: dict[str, Shape]
    optional: frozenset[str]


@dataclass(frozen=True, slots=True)
class Either:
    shapes: tuple[Shape, ...]


Shape = Word | Listed | Fields | Either


def read(text: str) -> Shape:
    """A shape as the page writes it. Raises Misfit."""
    tokens = _TOKEN.findall(text)[::-1]
    try:
        found = _either(tokens)
    except IndexError:
        raise Misfit(f"ends too early: {text}") from None
    if tokens:
        raise Misfit(f"{tokens[-1]} was not expected: {text}")
    return found


def _either(tokens: list[str]) -> Shape:
    found = [_one(tokens)]
    while tokens and tokens[-1] == "or":
        tokens.pop()
        found.append(_one(tokens))
    return Either(tuple(found)) if found[1:] else found[0]


def _one(tokens: list[str]) -> Shape:
    token = tokens.pop()
    if token == "[":
        listed = Listed(_either(tokens))
        _want(tokens, "]")
        return listed
    if token != "{":
        return Word(token)
    fields: dict[str, Shape] = {}
    optional: set[str] = set()
    while not fields or _took(tokens, ","):
        name = tokens.pop()
        if _took(tokens, "?"):
            optional.add(name)
        _want(tokens, ":")
        fields[name] = _either(tokens)
    _want(tokens, "}")
    return Fields(fields, frozenset(optional))


def _took(tokens: list[str], wanted: str) -> bool:
    if tokens[-1] != wanted:
        return False
    tokens.pop()
    return True


def _want(tokens: list[str], wanted: str) -> None:
    if not _took(tokens, wanted):
        raise Misfit(f"{tokens[-1]} instead of {wanted}")


@dataclass(frozen=True, slots=True)
class Row:
    """What one command prints: one object, or any number of them in `lines`."""

    command: str
    lines: bool
    shape: Shape


@dataclass(slots=True)
class Page:
    """Both tables. `seen` collects what of the named shapes a value has had: "Name" and "Name.field"."""

    rows: list[Row]
    named: dict[str, Shape]
    seen: set[str] = field(default_factory=set)

    def check(self, shape: Shape, value: Any, where: str = "it", name: str = "") -> None:
        """Raises Misfit, which says where the value differs. `name`: of the shape, if it has one."""
        if isinstance(shape, Word):
            self._word(shape.word, value, where)
        elif isinstance(shape, Listed):
            if not isinstance(value, list):
                raise Misfit(f"{where} is {value!r:.60}, no list")
            for number, each in enumerate(value):
                self.check(shape.each, each, f"{where}[{number}]")
        elif isinstance(shape, Fields):
            self._fields(shape, value, where, name)
        else:
            self._either(shape, value, where)

    def _word(self, word: str, value: Any, where: str) -> None:
        if word in self.named:
            self.check(self.named[word], value, where, word)
            self.seen.add(word)
        elif word.startswith('"'):
            if value != word[1:-1]:
                raise Misfit(f"{where} is {value!r:.60}, not {word}")
        elif word not in _PLAIN:
            raise Misfit(f"the page names no shape {word}")
        elif not _PLAIN[word](value):
            raise Misfit(f"{where} is {value!r:.60}, no {word}")

    def _either(self, shape: Either, value: Any, where: str) -> None:
        misfits = []
        for each in shape.shapes:
            try:
                self.check(each, value, where)
                return
            except Misfit as misfit:
                misfits.append(str(misfit))
        raise Misfit("; or ".join(misfits))

    def _fields(self, shape: Fields, value: Any, where: str, name: str) -> None:
        if not isinstance(value, dict):
            raise Misfit(f"{where} is {value!r:.60}, no object")
        if missing := set(shape.fields) - shape.optional - set(value) - {"*"}:
            raise Misfit(f"{where} lacks {', '.join(sorted(missing))}")
        if unknown := set() if "*" in shape.fields else set(value) - set(shape.fields):
            raise Misfit(f"{where} has {', '.join(sorted(unknown))}, which the page does not name")
        for key, each in value.items():
            self.check(shape.fields.get(key, shape.fields.get("*", Word("any"))), each, f"{where}.{key}")
        self.seen |= {f"{name}.{key}" for key in value if name}


def page(text: str) -> Page:
    """The section of the page, read. Raises Misfit."""
    section = text.split(f"{HEADING}\n", 1)[1].split("\n## ", 1)[0]
    rows, named = [], {}
    for line in section.splitlines():
        if told := re.fullmatch(r"\| (`.*`) \| (one|lines) \| `(.*)` \|", line):
            rows += [Row(each, told[2] == "lines", read(told[3])) for each in re.findall(r"`([^`]+)`", told[1])]
        elif told := re.fullmatch(r"\| `(\w+)` \| `(.*)` \|", line):
            named[told[1]] = read(told[2])
        elif line.startswith("| `"):
            raise Misfit(f"cannot be read: {line}")
    return Page(rows, named)
