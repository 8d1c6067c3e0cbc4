"""P15: a bracketed paste of a million characters, as a terminal sends it."""

from __future__ import annotations

from functools import partial

from textual._xterm_parser import XTermParser

from benchmarks import texts
from benchmarks.editor.streaming import milliseconds
from benchmarks.meter import cpu, median, slices
from benchmarks.stage import Stage, perform
from benchmarks.targets import Plan, Reading, at_once
from benchmarks.turns import slowness

READ = 4096
"""Bytes that Textual's driver reads at once."""


def a_million(plan: Plan) -> list[Reading]:
    """P15. Parser and editor take turns, in a tenth of the repeats: a paste takes a second."""
    size = plan.big // 5
    paste = "\x1b[200~" + texts.novel(size).replace("\n", "\r") + "\x1b[201~"
    parser, whole, slowest, slow = perform(partial(_pasted, plan=plan, paste=paste), {"page": texts.novel(plan.big)})
    absolute = milliseconds(paste=median(whole), parser=median(parser))
    return [
        Reading(
            f"paste of {size:,} characters : Textual's parser", median(whole) / median(parser), 2.0, absolute=absolute
        ),
        at_once("longest slice of the event loop", median(slowest), 50, slow),
    ]


async def _pasted(stage: Stage, plan: Plan, paste: str) -> tuple[list[float], list[float], list[float], float]:
    editor = await stage.show("page")
    editor.move_to(editor.text.index("\n", editor.length // 2))
    await stage.quiet()
    parser, whole, slowest = [], [], []
    for number in range(1 + max(2, plan.repeats // 3)):
        alone = _parsed(paste)
        length = editor.length
        with slices() as longest:
            sent = stage.terminal.send
            spent = await stage.framed(lambda: sent(paste.encode()), lambda: editor.length > length)  # noqa: B023
        assert editor.length == length + len(paste) - 12
        if number:
            parser.append(alone)
            whole.append(spent)
            slowest.append(longest.milliseconds)
        editor.undo()
        await stage.quiet()
    return parser, whole, slowest, await slowness(stage, plan)


def _parsed(paste: str) -> float:
    """CPU milliseconds of Textual's parser alone."""
    parser = XTermParser()
    start = cpu()
    events = [event for at in range(0, len(paste), READ) for event in parser.feed(paste[at : at + READ])]
    spent = cpu() - start
    assert len(events) == 1
    return spent
