"""What writer.toml says of the book as such, for title pages and for the catalogue in a file. Reads, never writes.

[book]
author = "Mara Holm"
contact = "12 Harbour Lane\\nmara@example.org"
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from writer import config
from writer.errors import ConfigError
from writer.language import say
from writer.text.sanitise import one_line, visible

TABLE = "book"
PAPERS = ("a4", "letter")
STYLES = ("manuscript", "report")
_LONGEST, _LINES = 2000, 12  # characters, lines of an address
_CODES = [*range(0x20), *range(0x7F, 0xA0), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)]
_UNPRINTED = dict.fromkeys(code for code in _CODES if chr(code) not in "\n\t")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class About:
    """The table [book]; "" where nothing is said."""

    author: str = ""
    """As it stands on the cover."""
    subtitle: str = ""
    legal_name: str = ""
    """Of whoever is paid, if the author writes under another name."""
    contact: str = ""
    """Address, e-mail, telephone: the lines at the top of the title page."""
    short_title: str = ""
    """For the running head."""
    date: str = ""
    publisher: str = ""
    rights: str = ""
    font: str = ""
    """For Word and PDF; Times New Roman, or what is like it here."""
    paper: str = ""
    """One of PAPERS; letter for English, A4 for all else."""
    style: str = ""
    """How it looks if an export does not say: one of STYLES."""

    @property
    def surname(self) -> str:
        """For the running head: the last word of the author's name; all of a name without spaces."""
        name = self.author or self.legal_name
        return name if _WIDE.search(name) else (name.split() or [""])[-1]


def read_about(folder: Path) -> About:
    """For the manuscript in `folder`. Raises ConfigError that names the file and the key."""
    source = folder / "writer.toml"
    table = config.read_toml(source).get(TABLE, {})
    if not isinstance(table, Mapping):
        raise ConfigError(say('{source}: "{table}" must be a table, written as [{table}].', source=source, table=TABLE))
    known = [field.name for field in fields(About)]
    said = {}
    for key, value in table.items():
        what = say('{source}: "{key}" in [{table}]', source=source, key=one_line(str(key), 40), table=TABLE)
        if key not in known:
            near = difflib.get_close_matches(str(key), known, n=1)
            hint = (
                say('Did you mean "{near}"?', near=near[0])
                if near
                else say("Known are: {known}.", known=", ".join(known))
            )
            raise ConfigError(say("{what} is not known. {hint}", what=what, hint=hint))
        said[key] = _checked(key, value, what)
    return About(**said)


def _checked(key: str, value: object, what: str) -> str:
    if key == "contact" and isinstance(value, list) and all(isinstance(line, str) for line in value):
        value = "\n".join(value)
    if not isinstance(value, str):
        raise ConfigError(say("{what} must be text in quotes. Correct that line.", what=what))
    if len(value) > _LONGEST or value.count("\n") > _LINES:
        raise ConfigError(say("{what} is longer than a title page. Shorten it.", what=what))
    for limited, values in (("paper", PAPERS), ("style", STYLES)):
        if key == limited and value not in ("", *values):
            raise ConfigError(
                say(
                    '{what} is "{one}" or "{other}", not "{value}".',
                    what=what,
                    one=values[0],
                    other=values[1],
                    value=one_line(value, 40),
                )
            )
    value = printable(value)
    if key == "contact":
        return "\n".join(one_line(line) for line in value.strip().splitlines())
    return one_line(visible(value))


def printable(text: str) -> str:
    """The text without codes that no file for others may hold."""
    return text.translate(_UNPRINTED)


def rounded(count: int) -> int:
    """The count as publishers want it: to the next hundred, of a novel to the next thousand."""
    step = 1000 if count >= 20_000 else 100
    return max(step, round(count / step) * step) if count else 0
