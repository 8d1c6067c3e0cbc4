"""Where in a settings file a key stands: for sentences that name its line, and for telling where a value comes from.

TOML has many spellings for one key. Lines are looked for as people write them; where a key is not found so, no line is
named. Pure.
"""

from __future__ import annotations

import re
from pathlib import Path

from writer.language import say

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(#.*)?")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[A-Za-z0-9_.-]+)\s*=""")
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([^.\s]+)""")


def parts(dotted: str) -> tuple[str, ...]:
    """The names in a dotted key: `settings.chapter."a.b"` has three."""
    return tuple(next(filter(None, found), "") for found in _PART.findall(dotted))


def line_of(text: str, table: tuple[str, ...], key: str = "") -> int:
    """The line, from 1, where `key` of `table` is set, or where the table begins if no key is given; 0: not found."""
    here: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.fullmatch(line):
            here = parts(header[1])
            if not key and here == table:
                return number
        elif key and (found := _KEY.match(line)) and (*here, *parts(found[1])) == (*table, key):
            return number
    return 0


def place(source: Path, table: tuple[str, ...], key: str = "") -> str:
    """The file, and the line if it is found, as a sentence begins with it. Reads the file."""
    try:
        line = line_of(source.read_text(encoding="utf-8-sig"), table, key)
    except (OSError, ValueError):
        line = 0
    return say("{source}, line {line}", source=source, line=line) if line else str(source)
