"""Chapters that got another path while a front end has them open: what it saves under the old one goes there. Pure."""

from __future__ import annotations


class Renamed:
    """Old paths and where they lead, over any number of renames."""

    def __init__(self) -> None:
        self._now: dict[str, str] = {}

    def now(self, path: str) -> str:
        """The chapter's path as it is."""
        return self._now.get(path, path)

    def add(self, old: str, new: str) -> None:
        """A chapter has another path."""
        if old != new:
            self._now = {before: new if after == old else after for before, after in self._now.items()}
            self._now[old] = new

    def forget(self, path: str) -> None:
        """There is a chapter of that path again."""
        self._now.pop(path, None)
