"""What writer.toml says of single chapters: status, part, how many words it is to have. Reads, never writes.

    [chapter."chapters/03-the-harbour.md"]
    status = "draft"
    part = "Part One"
    goal = 3000

    [goals]
    day = 1000

Why there and not in the outline: decision 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from writer import config
from writer.errors import ConfigError
from writer.language import say
from writer.text.sanitise import one_line

IDEA = "idea"
STATUSES = (IDEA, "draft", "revised", "done")
TABLE, GOALS = "chapter", "goals"
_MOST = 10_000_000  # words


@dataclass(frozen=True, slots=True)
class ChapterFacts:
    """One chapter's table. Empty values mean that nothing is said."""

    status: str = ""
    """One of STATUSES, or ""."""
    part: str = ""
    goal: int = 0
    """Words; 0 is none."""


def read_facts(folder: Path) -> dict[str, ChapterFacts]:
    """By chapter path, for the manuscript in `folder`. Raises ConfigError."""
    tables = _table(folder, config.read_toml(folder / "writer.toml"), TABLE)
    return {str(PurePosixPath(path)): _facts(folder, path, table) for path, table in tables.items()}


def day_goal(folder: Path) -> int:
    """Words that the author wants to write in a day; 0 is none. Raises ConfigError."""
    table = _table(folder, config.read_toml(folder / "writer.toml"), GOALS)
    return _number(table.get("day", 0), say('{folder}: "day" in [{goals}]', folder=folder / "writer.toml", goals=GOALS))


def _facts(folder: Path, path: str, table: object) -> ChapterFacts:
    where = f'{folder / "writer.toml"}: [{TABLE}."{one_line(path, 80)}"]'
    if not isinstance(table, Mapping):
        raise ConfigError(say("{where} must be a table. Correct it.", where=where))
    for key in table:
        if key not in ("status", "part", "goal"):
            raise ConfigError(
                say(
                    "{where} knows status, part and goal, not {key}. Correct that line.",
                    where=where,
                    key=one_line(str(key), 40),
                )
            )
    status, part = table.get("status", ""), table.get("part", "")
    if status not in ("", *STATUSES):
        raise ConfigError(
            say(
                "{where}: the status is one of {statuses}. Correct that line.",
                where=where,
                statuses=", ".join(STATUSES),
            )
        )
    if not isinstance(part, str):
        raise ConfigError(say('{where}: "part" must be text in quotes. Correct that line.', where=where))
    return ChapterFacts(status, one_line(part, 200), _number(table.get("goal", 0), say('{where}: "goal"', where=where)))


def _table(folder: Path, tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = tables.get(name, {})
    if not isinstance(found, Mapping):
        raise ConfigError(
            say('{folder}: "{name}" must be a table. Correct it.', folder=folder / "writer.toml", name=name)
        )
    return found


def _number(value: object, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        raise ConfigError(say("{what} must be a whole number of words. Correct that line.", what=what))
    return value
