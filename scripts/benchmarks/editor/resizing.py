"""P8: what a new width of the terminal costs, in total and at once, and whether the reader keeps the place."""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks import texts
from benchmarks.editor.streaming import milliseconds
from benchmarks.meter import median, slices
from benchmarks.stage import Stage, perform
from benchmarks.targets import Plan, Reading, at_once
from benchmarks.terminal import COLUMNS, ROWS
from benchmarks.turns import slowness

NARROW = 90
"""Columns that leave the text fewer cells than it takes in a wide terminal."""
VISIT = 6
Sizes = dict[str, list[float]]


def at_any_size(plan: Plan) -> list[Reading]:
    """P8."""
    readings = []
    for kind, make in texts.KINDS.items():
        text = make(plan.big)
        start = (len(text) - plan.small) // 2
        pages = {"small": text[start : start + plan.small], "big": text}
        cost, slowest, moved, slow = perform(partial(_resized, plan=plan), pages)
        small, big = median(cost["small"]), median(cost["big"])
        what = f"resize, {kind}, long : short document"
        readings.append(Reading(what, big / small, 4.0, absolute=milliseconds(long=big, short=small)))
        readings.append(at_once(f"longest slice of six resizes, {kind}", median(slowest["big"]), 50, slow))
        readings.append(Reading(f"first text in view changed, {kind}", moved, 0, "times"))
    return readings


async def _resized(stage: Stage, plan: Plan) -> tuple[Sizes, Sizes, int, float]:
    cost: Sizes = {"small": [], "big": []}
    slowest: Sizes = {"small": [], "big": []}
    moved = 0
    for turn in range(1 if plan.quick else 1 + plan.repeats // VISIT):  # the first turn warms up
        for page in cost:
            editor = await stage.show(page)
            place = _paragraph(editor.text)
            editor.move_to(place)
            editor.scroll_to_offset(place)
            await stage.quiet()
            with slices() as longest:
                spent = []
                for columns in (NARROW, COLUMNS) * (VISIT // 2):
                    spent.append(await _resize(stage, editor, columns))
                    await stage.spend(lambda: None)
                    moved += not _first_in_view(editor, place)
                await stage.quiet()
            moved += not _first_in_view(editor, place)
            if turn > 0 or plan.quick:
                cost[page] += spent
                slowest[page].append(longest.milliseconds)
    return cost, slowest, moved, await slowness(stage, plan)


def _paragraph(text: str) -> int:
    """Where a paragraph begins, near the middle."""
    blank = "\n\n" if "\n\n" in text else "\n"
    return text.index(blank, len(text) // 2) + len(blank)


async def _resize(stage: Stage, editor: Any, columns: int) -> float:
    """CPU milliseconds to the first frame of the new width."""
    before = editor.sheet.layout.width
    return await stage.framed(lambda: stage.resize(columns, ROWS), lambda: editor.sheet.layout.width != before)


def _first_in_view(editor: Any, place: int) -> bool:
    row = editor.sheet.layout.row(editor.scroll_offset.y)
    return bool(row.offset == place)
