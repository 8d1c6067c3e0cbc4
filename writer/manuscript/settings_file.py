"""Changes of writer.toml as a text: the list of chapters and what it says of each. Comments and all else stay. Pure.

A path that stands in the list in another spelling ("./chapters/01.md") is known all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from writer.errors import ConfigError
from writer.language import say
from writer.manuscript.chapter_facts import GOALS, TABLE


class SettingsText:
    """writer.toml, being changed; `str()` is the text."""

    def __init__(self, text: str) -> None:
        """Raises ConfigError."""
        try:
            self._document = tomlkit.parse(text)
        except TOMLKitError as error:
            raise ConfigError(
                say("writer.toml is not valid TOML: {error}. Correct that line, then try again.", error=error)
            ) from None

    def __str__(self) -> str:
        return tomlkit.dumps(self._document)

    def complete(self, paths: Sequence[str]) -> None:
        """List those of `paths` that are not listed, each behind the one that it follows."""
        for number, path in enumerate(paths):
            if path not in self._known():
                self.insert(path, after=paths[number - 1] if number else "")

    def insert(self, path: str, *, after: str = "") -> None:
        """List a chapter behind another one; "" is at the beginning."""
        self._list().insert(self._known().index(after) + 1 if after else 0, path)

    def move(self, path: str, *, after: str = "") -> None:
        """Another place in the list."""
        del self._list()[self._known().index(path)]
        self.insert(path, after=after)

    def rename(self, old: str, new: str) -> None:
        """Another path for a chapter, wherever its old one stands."""
        self._list()[self._known().index(old)] = new
        for tables in self._by_path():
            for key in [key for key in tables if str(PurePosixPath(key)) == old]:
                tables[new] = tables.pop(key)

    def remove(self, path: str) -> None:
        """The chapter is no more."""
        del self._list()[self._known().index(path)]
        for tables in self._by_path():
            for key in [key for key in tables if str(PurePosixPath(key)) == path]:
                del tables[key]

    def say(self, path: str, **facts: str | int) -> None:
        """Set what is said of a chapter; "" and 0 take it out."""
        tables = self._document.setdefault(TABLE, tomlkit.table(is_super_table=True))
        key = next((key for key in tables if str(PurePosixPath(key)) == path), path)
        table = tables.setdefault(key, tomlkit.table())
        for fact, value in facts.items():
            table.pop(fact, None)
            if value:
                table[fact] = value
        if not table:
            del tables[key]
        if not tables:
            del self._document[TABLE]

    def say_day_goal(self, words: int) -> None:
        """Set the words of a day; 0 takes it out."""
        table = self._document.setdefault(GOALS, tomlkit.table())
        table.pop("day", None)
        if words:
            table["day"] = words

    def _by_path(self) -> list[Any]:
        """All tables whose keys are paths of chapters."""
        settings = self._document.get("settings", {})
        found = (self._document.get(TABLE), settings.get(TABLE) if hasattr(settings, "get") else None)
        return [tables for tables in found if hasattr(tables, "keys")]

    def _list(self) -> Any:
        return self._document.setdefault("chapters", tomlkit.array().multiline(True))

    def _known(self) -> list[str]:
        return [str(PurePosixPath(entry)) for entry in self._list()]
