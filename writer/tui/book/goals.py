"""Today's words against the goal of the day. What was written before this window opened comes from the history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from writer import locations
from writer.language import say
from writer.manuscript.chapter_facts import day_goal
from writer.manuscript.model import Manuscript
from writer.manuscript.word_history import Count, WordHistory, today


@dataclass(frozen=True, slots=True)
class Day:
    """A day as far as it was counted: its goal, and each chapter's count."""

    day: str
    goal: int
    """Words; 0 is none."""
    counts: Mapping[str, Count]

    def lacks(self, chapter: str) -> bool:
        """Whether there is a goal, and this chapter does not count towards it yet."""
        return bool(self.goal) and chapter not in self.counts

    def written(self, now: Mapping[str, int]) -> int:
        """Words written by now; `now` are the chapters that are open and counted."""
        return sum(now.get(path, count.words) - count.base for path, count in self.counts.items())

    def told(self, now: Mapping[str, int]) -> str:
        """For the status line; "" without a goal."""
        if not self.goal:
            return ""
        written = self.written(now)
        reached = " ✓" if written >= self.goal else ""
        return say("{written:,} of {goal:,} today", written=written, goal=self.goal) + reached


def read_day(manuscript: Manuscript) -> Day:
    """Today. Reads files. Raises ConfigError, StateFull, StateReadOnly."""
    goal, now = day_goal(manuscript.folder), today()
    if not goal:
        return Day(now, 0, {})
    history = WordHistory(_folder(manuscript))
    return Day(now, goal, {count.chapter: count for count in history.counts() if count.day == now})


def read_days(manuscript: Manuscript) -> dict[str, int]:
    """Words written on each day, in its order. Reads files. Raises StateFull, StateReadOnly."""
    return WordHistory(_folder(manuscript)).days()


def _folder(manuscript: Manuscript) -> Path:
    return locations.state_dir(manuscript.id)
