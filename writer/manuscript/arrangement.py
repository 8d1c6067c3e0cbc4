"""A change of several files of a manuscript as a value: planned whole, written down, then done step by step. Pure.

The steps stand in such an order that after each of them every word is in at least one file, so that a change that
ends in the middle has lost nothing. What is only made comes first, what is only removed comes last.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from writer.manuscript.edits import Edit
from writer.manuscript.encoding import digest, encode
from writer.manuscript.model import ChapterText

_FORM = 1


class Kind(StrEnum):
    """What a step does."""

    MAKE = "make"  # a file that is not there yet
    NAME = "name"  # a file gets another name, which no file has
    WRITE = "write"  # a file gets another text
    DROP = "drop"  # a file goes, whose words are elsewhere


@dataclass(frozen=True, slots=True)
class Step:
    """One file. Paths are from the manuscript's folder."""

    kind: Kind
    path: str
    before: str = ""
    """SHA-256 of what the file holds before; "" if it is not there."""
    text: str = ""
    """What it is to hold."""
    crlf: bool = False
    bom: bool = False
    to: str = ""
    """The other name."""

    @property
    def data(self) -> bytes:
        """The bytes that a file which is made or written is to hold."""
        return encode(self.text, ChapterText("", "", crlf=self.crlf, bom=self.bom))

    @property
    def after(self) -> str:
        """SHA-256 of what the file holds afterwards; "" if it is gone."""
        if self.kind is Kind.NAME:
            return self.before
        return "" if self.kind is Kind.DROP else digest(self.data)


@dataclass(frozen=True, slots=True)
class Carried:
    """What becomes of a chapter's text: for all that knows it by its path, and places in it by their offsets."""

    old: str
    new: str
    before: str
    """SHA-256 of the file's bytes."""
    after: str
    edits: tuple[Edit, ...] = ()
    """From the text before to the text that holds it afterwards; each holds after those before it."""
    beyond: int = -1
    """0 or more: a split. Only what ends behind this character is in `new`; another value tells of the rest."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """All steps of one change, in their order, and what the state has to carry along."""

    steps: tuple[Step, ...]
    carried: tuple[Carried, ...] = ()
    told: tuple[str, ...] = ()
    """Sentences for the author, once it is done."""

    @property
    def renames(self) -> tuple[tuple[str, str], ...]:
        """Chapters with another path than before, old and new; two may become one."""
        return tuple((each.old, each.new) for each in self.whole if each.old != each.new)

    @property
    def whole(self) -> tuple[Carried, ...]:
        """What became of each chapter as a whole; for one that is split, of its first part."""
        return tuple(each for each in self.carried if each.beyond < 0)


def make(path: str, text: str, style: ChapterText | None = None) -> Step:
    """A new file, with the line ends and the byte order mark of `style`."""
    return Step(Kind.MAKE, path, text=text, crlf=bool(style and style.crlf), bom=bool(style and style.bom))


def write(path: str, before: ChapterText, text: str) -> Step:
    """Another text for a file."""
    return Step(Kind.WRITE, path, before.sha256, text, before.crlf, before.bom)


def name(path: str, before: ChapterText, to: str) -> Step:
    """Another name for a file."""
    return Step(Kind.NAME, path, before.sha256, to=to)


def drop(path: str, before: ChapterText) -> Step:
    """No such file any more."""
    return Step(Kind.DROP, path, before.sha256)


def dumped(arrangement: Arrangement) -> bytes:
    """The written form: one line of JSON behind its checksum."""
    body = json.dumps({"form": _FORM, **asdict(arrangement)}).encode()
    return b"%08x\n" % zlib.crc32(body) + body


def parsed(data: bytes) -> Arrangement:
    """What was written. Raises ValueError if it is damaged or of another form."""
    crc, _, body = data.partition(b"\n")
    if crc != b"%08x" % zlib.crc32(body):
        raise ValueError("the checksum does not hold")
    try:
        values = json.loads(body)
        if values["form"] != _FORM:
            raise ValueError("another form")
        return Arrangement(
            tuple(_step(one) for one in values["steps"]),
            tuple(_carried(one) for one in values["carried"]),
            tuple(map(str, values.get("told", ()))),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(str(error)) from error


def _step(values: dict[str, Any]) -> Step:
    return replace(Step(**values), kind=Kind(values["kind"]))


def _carried(values: dict[str, Any]) -> Carried:
    return replace(Carried(**values), edits=tuple((at, removed, text) for at, removed, text in values["edits"]))
