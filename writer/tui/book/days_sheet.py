"""The words of each day as a small chart, against the goal."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from writer.errors import WriterError
from writer.language import many, say
from writer.tui.book.goals import Day, read_day, read_days
from writer.tui.book.sheet import Sheet
from writer.tui.working import work_anew

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen

_DAYS = 28
_DAYS_OF_A_WEEK = (say("Mon"), say("Tue"), say("Wed"), say("Thu"), say("Fri"), say("Sat"), say("Sun"))
_BAR = "█"


class DaysSheet(Sheet[None]):
    """Shows; the goal is asked for by a key."""

    KEYS: ClassVar[str] = say("g goal of the day · Esc back")
    DEFAULT_CSS = "DaysSheet #chart { padding: 1 2; height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("g", "goal", say("Goal"))]

    def __init__(self, screen: ManuscriptScreen) -> None:
        super().__init__(say("Words of each day"))
        self._screen = screen
        self._chart = Static("", markup=False, id="chart")
        self._read: tuple[Day, dict[str, int]] | None = None

    def body(self) -> Widget:
        return VerticalScroll(self._chart, classes="body")

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self.refresh_rows()

    def refresh_rows(self) -> None:
        """Read the history and the goal again."""
        work_anew(self, "read", self._look)

    async def _look(self) -> None:
        manuscript = self._screen.manuscript
        try:
            self._read = await asyncio.to_thread(read_day, manuscript), await asyncio.to_thread(read_days, manuscript)
        except WriterError as error:
            self._screen.complain(error.sentence, "warning")
        self._show()

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        if self._read is not None:
            day, days = self._read
            self.entitle(
                say("Words of each day, the goal is {goal:,}", goal=day.goal)
                if day.goal
                else say("Words of each day; there is no goal yet")
            )
            lines = chart(days, day.day, day.goal, self.size.width - 6)
            self._chart.update("\n".join(lines) or say("Nothing was counted yet. Words are counted as they are saved."))

    def action_goal(self) -> None:
        self._screen.arranging.day_goal()


def chart(days: Mapping[str, int], today: str, goal: int, width: int) -> Iterator[str]:
    """A line for each of the last days, the newest first. Days without a count have none written."""
    if not days:
        return
    last, first = datetime.date.fromisoformat(today), datetime.date.fromisoformat(min(days))
    count = max(1, min(_DAYS, (last - first).days + 1))
    shown = [last - datetime.timedelta(days=back) for back in range(count)]
    most = max(1, goal, *(days.get(day.isoformat(), 0) for day in shown))
    room = max(1, width - 24 - cell_len(_DAYS_OF_A_WEEK[0]))
    for day in shown:
        written = days.get(day.isoformat(), 0)
        bar = _BAR * (max(1, room * written // most) if written > 0 else 0)
        reached = "✓" if goal and written >= goal else " "
        yield f"{_DAYS_OF_A_WEEK[day.weekday()]} {day:%Y-%m-%d}  {written:>8,} {reached} {bar}".rstrip()
    total = sum(days.get(day.isoformat(), 0) for day in shown)
    yield ""
    yield many(
        "{total:,} words in {count} day, {mean:,} a day.",
        "{total:,} words in {count} days, {mean:,} a day.",
        count,
        total=total,
        mean=round(total / count),
    )
