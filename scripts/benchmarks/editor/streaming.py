"""P1 to P4 and P11: what a batch of a stream costs, wherever it goes and however long the text is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks import texts
from benchmarks.meter import median
from benchmarks.stage import Stage, perform
from benchmarks.targets import Plan, Reading
from benchmarks.turns import Side, costs, update

BATCH = 20
"""Cells of a batch at 100 tokens and 30 batches a second: as many English letters, or half as many Chinese signs."""
LONG_BATCH = 64
LINES = "\n".join(["A short line to fill the view with."] * 45) + "\n"


def append(stage: Stage, page: str, kind: str, size: int) -> Callable[[], None]:
    """Appends the next batch of a stream of its own to the page's generation."""
    editor, stream = stage.pages[page], texts.batches(kind, size)
    return lambda: editor.append_generated(next(stream))


def begin(stage: Stage, *pages: str) -> None:
    """Open a generation at the end of these pages."""
    for page in pages:
        editor = stage.pages[page]
        editor.begin_generated(f"of {page}", editor.length, editor.length)


def show_end(editor: Any) -> None:
    """Follow the stream."""
    editor.show_end()


def milliseconds(**costs: float) -> str:
    """For the table."""
    return ", ".join(f"{name} {value:.2f} ms" for name, value in costs.items())


def at_any_size(plan: Plan) -> list[Reading]:
    """P1."""
    readings = []
    for kind, make in texts.KINDS.items():
        text = make(plan.big)
        cost = perform(partial(_appends, plan=plan, kind=kind), {"small": text[-plan.small :], "big": text})
        for size in (BATCH, LONG_BATCH):
            small, big = cost[f"small {size}"], cost[f"big {size}"]
            what = f"append {size} cells, {kind}, long : short document"
            readings.append(Reading(what, big / small, 1.5, absolute=milliseconds(long=big, short=small)))
    return readings


async def _appends(stage: Stage, plan: Plan, kind: str) -> dict[str, float]:
    begin(stage, "small", "big")
    sides = {
        f"{page} {size}": Side(page, append(stage, page, kind, size), show_end)
        for size in (BATCH, LONG_BATCH)
        for page in ("small", "big")
    }
    return await costs(stage, plan, sides)


def against_one_line(plan: Plan) -> list[Reading]:
    """P2."""
    readings = []
    for kind, make in texts.KINDS.items():
        cost = perform(partial(_against, plan=plan, kind=kind), {"page": make(plan.big)})
        line, batch, long = cost["line"], cost["batch"], cost["long"]
        absolute = milliseconds(append=batch, update=line)
        readings.append(Reading(f"append {BATCH} cells, {kind} : Static.update", batch / line, 2.5, absolute=absolute))
        what = f"append {LONG_BATCH} cells, mostly scrolling, {kind} : Static.update"
        readings.append(Reading(what, long / line, absolute=milliseconds(append=long, update=line)))
    return readings


async def _against(stage: Stage, plan: Plan, kind: str) -> dict[str, float]:
    begin(stage, "page")
    sides = {
        "line": Side("page", update(stage)),
        "batch": Side("page", append(stage, "page", kind, BATCH), show_end),
        "long": Side("page", append(stage, "page", kind, LONG_BATCH), show_end),
    }
    return await costs(stage, plan, sides)


def at_the_end_of_one_line(plan: Plan) -> list[Reading]:
    """P3."""
    long, longest = (plan.big // 50, plan.big // 5)
    readings = []
    for kind, make in {"line": texts.line, "cjk line": texts.cjk_line}.items():
        sizes = {"short": 1000, "long": long, "longest": longest}
        pages = {name: LINES + make(size) for name, size in sizes.items()}
        cost = perform(partial(_lines, plan=plan, kind=kind), pages)
        for name, goal in (("long", 1.5), ("longest", 2.0)):
            what = f"append to a {kind} of {sizes[name]:,} : 1,000 characters"
            absolute = milliseconds(long=cost[name], short=cost["short"])
            readings.append(Reading(what, cost[name] / cost["short"], goal, absolute=absolute))
    return readings


async def _lines(stage: Stage, plan: Plan, kind: str) -> dict[str, float]:
    begin(stage, *stage.pages)
    sides = {page: Side(page, append(stage, page, kind, BATCH), show_end) for page in stage.pages}
    return await costs(stage, plan, sides)


def below_the_view(plan: Plan) -> list[Reading]:
    """P4."""
    text = texts.novel(plan.big)
    pages = {"seen": text, "unseen": text, "short": text[-plan.small :]}
    cost, written, moved = perform(partial(_unseen, plan=plan), pages)
    absolute = milliseconds(unseen=cost["unseen"], seen=cost["seen"])
    return [
        Reading("append below : in the view", cost["unseen"] / cost["seen"], 0.5, absolute=absolute),
        Reading("all appends below the view, long document", written["unseen"], 0, "bytes"),
        Reading(
            "all appends below the view, short document", written["short"], None, "bytes", "the scroll bar shrinks"
        ),
        Reading("view, cursor or selection moved", moved, 0, "times"),
    ]


async def _unseen(stage: Stage, plan: Plan) -> tuple[dict[str, float], dict[str, int], int]:
    begin(stage, *stage.pages)
    sides = {
        "seen": Side("seen", append(stage, "seen", "novel", BATCH), show_end),
        "unseen": Side("unseen", append(stage, "unseen", "novel", BATCH), lambda editor: editor.move_to(200)),
    }
    cost = await costs(stage, plan, sides)
    written, moved = {}, 0
    for page in ("unseen", "short"):
        editor = await stage.show(page)
        editor.move_to(200)
        await stage.quiet()
        act, before = append(stage, page, "novel", BATCH), _place(editor)
        stage.terminal.listening = True
        for _ in range(plan.repeats):
            await stage.spend(act)
            moved += _place(editor) != before
        written[page] = stage.terminal.taken()
        stage.terminal.listening = False
    return cost, written, moved


def _place(editor: Any) -> tuple[object, ...]:
    return editor.scroll_offset, editor.sheet.cursor, editor.sheet.mark


def bytes_to_the_terminal(plan: Plan) -> list[Reading]:
    """P11."""
    readings = []
    for kind in ("novel", "cjk"):
        pages = {"page": texts.KINDS[kind](plan.big)}
        still, every = perform(partial(_bytes, plan=plan, kind=kind), pages)
        readings.append(Reading(f"append without scrolling, {kind}", median(still), 400, "bytes"))
        readings.append(Reading(f"append on average, {kind}", sum(every) / len(every), 3000, "bytes"))
    return readings


async def _bytes(stage: Stage, plan: Plan, kind: str) -> tuple[list[int], list[int]]:
    begin(stage, "page")
    editor = await stage.show("page")
    editor.show_end()
    await stage.quiet()
    act = append(stage, "page", kind, BATCH)
    still, every = [], []
    stage.terminal.listening = True
    for _ in range(4 * plan.repeats):
        before = editor.scroll_offset
        await stage.spend(act)
        every.append(stage.terminal.taken())
        if editor.scroll_offset == before:
            still.append(every[-1])
    stage.terminal.listening = False
    return still, every
