"""The facts at the head of a note: TOML between two `+++` lines, or plain `key: value` lines between two `---` lines.

    ---
    title: Mara Holm
    keys: Mara, the captain, /Holms?/
    always: no
    priority: 70
    ---

The second form is the small part of YAML that everyone writes. It is read strictly: what is not understood is told by
file and line, never guessed. YAML itself would need a reader that a stranger's file can make work for minutes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from writer.errors import ManuscriptError
from writer.language import say
from writer.text.sanitise import one_line

_KEY = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")
_NUMBER = re.compile(r"-?[0-9]{1,9}")
_WORDS: Mapping[str, bool] = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_MOST, _LONGEST = 200, 4000  # lines of a head, characters of each


@dataclass(frozen=True, slots=True)
class Facts:
    """What stands at the head of the file `path`, asked for by kind. Every method raises ManuscriptError."""

    path: str
    values: Mapping[str, Any]
    lines: Mapping[str, int]
    """Line of each key in the file, from 1; 0 if it is not known."""

    def text(self, key: str, default: str = "") -> str:
        """The text, as one safe line."""
        value = self.values.get(key, default)
        if isinstance(value, bool | list) or not isinstance(value, str | int):
            raise self._wrong(key, say("text"))
        return one_line(str(value), 200)

    def number(self, key: str, default: int, low: int, high: int) -> int:
        """The whole number."""
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self._wrong(key, say("a whole number from {low} to {high}", low=low, high=high))
        return value

    def flag(self, key: str, default: bool) -> bool:
        """Yes or no."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, say("yes or no"))
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """The list; a single text is parted at its commas."""
        value = self.values.get(key, [])
        if isinstance(value, str):
            value = _parted(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            value = [str(value)]
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._wrong(key, say("words, parted by commas"))
        return tuple(item.strip() for item in value if item.strip())

    def only(self, *known: str) -> None:
        """Refuse every other key."""
        for key in self.values:
            if key not in known:
                raise ManuscriptError(
                    say(
                        '{where}: "{key}" is not known here. Valid are: {known}.',
                        where=self._where(key),
                        key=one_line(key, 40),
                        known=", ".join(known),
                    )
                )

    def _wrong(self, key: str, wanted: str) -> ManuscriptError:
        return ManuscriptError(
            say(
                '{where}: "{key}" must be {wanted}. Correct that line.',
                where=self._where(key),
                key=one_line(key, 40),
                wanted=wanted,
            )
        )

    def _where(self, key: str) -> str:
        line = self.lines.get(key, 0)
        return (
            say("{path}, line {line}", path=one_line(self.path, 120), line=line) if line else one_line(self.path, 120)
        )


def parted(text: str, path: str) -> tuple[Facts, str]:
    """The facts, and the text below them. A file without a head has none. Raises ManuscriptError."""
    for mark, read in (("---", _plain), ("+++", _toml)):
        if text.startswith(mark + "\n"):
            lines = text.split("\n", _MOST + 2)[: _MOST + 2]
            end = next((n for n, line in enumerate(lines[1:], start=1) if line.rstrip() == mark), 0)
            if mark == "---" and (not lines[1].strip() or not (end or _KEY.fullmatch(lines[1].rstrip()))):
                break  # a ruled line at the top of a text without a head
            if not end:
                shown = one_line(path, 120)
                raise ManuscriptError(
                    say(
                        "{shown}, line 1: the closing {mark} is missing. Add a line {mark} below.",
                        shown=shown,
                        mark=mark,
                    )
                )
            body = text.split("\n", end + 1)[end + 1 :]
            return read(lines[1:end], path), "".join(body)
    return Facts(path, {}, {}), text


def written(values: Mapping[str, str | int | bool], text: str) -> str:
    """A file with this head in the plain form; the values hold no line break."""
    head = [f"{key}: {_shown(value)}".rstrip() for key, value in values.items()]
    return "\n".join(["---", *head, "---", "", text.strip("\n"), ""])


def _shown(value: str | int | bool) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _plain(lines: list[str], path: str) -> Facts:
    values: dict[str, Any] = {}
    places: dict[str, int] = {}
    last = ""
    for number, line in enumerate(lines, start=2):
        line = line.rstrip()
        if len(line) > _LONGEST:
            raise ManuscriptError(
                say(
                    "{path}, line {number}: this line is too long. Make it shorter.",
                    path=one_line(path, 120),
                    number=number,
                )
            )
        if not line or line.lstrip().startswith("#"):
            continue
        item, pair = _ITEM.fullmatch(line), _KEY.fullmatch(line)
        if item and last and isinstance(values[last], list):
            values[last].append(_unquoted(item[1]))
        elif pair and pair[1] not in values:
            last = pair[1]
            values[last], places[last] = _value(pair[2] or "") if pair[2] else [], number
        else:
            why = (
                say('"{pair}" stands there twice', pair=pair[1])
                if pair
                else say('this is not a line like "title: Mara"')
            )
            raise ManuscriptError(
                say(
                    "{path}, line {number}: {why}. Correct that line.", path=one_line(path, 120), number=number, why=why
                )
            )
    return Facts(
        path, {key: value or "" if isinstance(value, list) else value for key, value in values.items()}, places
    )


def _value(said: str) -> Any:
    said = said.strip()
    if said.lower() in _WORDS:
        return _WORDS[said.lower()]
    if _NUMBER.fullmatch(said):
        return int(said)
    if said.startswith("[") and said.endswith("]"):
        return _parted(said[1:-1])
    return _unquoted(said)


def _parted(said: str) -> list[str]:
    """The items between commas; none is parted inside of quotes or of a /pattern/."""
    items = re.findall(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|/(?:[^/\\]|\\.)+/i?(?=\s*(?:,|$))|[^,]*)\s*(?:,|$)""", said)
    return [_unquoted(item.strip()) for item in items if item.strip()]


def _unquoted(said: str) -> str:
    said = said.strip()
    if len(said) > 1 and said[0] == said[-1] and said[0] in "\"'":
        return said[1:-1]
    return said


def _toml(lines: list[str], path: str) -> Facts:
    try:
        values = tomllib.loads("\n".join(lines) + "\n")
    except (ValueError, RecursionError) as error:
        said = re.sub(r"line (\d+)", lambda found: f"line {int(found[1]) + 1}", str(error))
        raise ManuscriptError(
            say("{path}: {said}. Correct that line.", path=one_line(path, 120), said=one_line(said))
        ) from None
    at = {key: n for n, line in enumerate(lines, start=2) if (key := line.split("=")[0].strip().strip("\"'"))}
    return Facts(path, values, {key: at.get(key, 0) for key in values})
