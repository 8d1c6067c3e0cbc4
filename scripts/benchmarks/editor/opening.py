"""P7 and P10: what it costs to open a long text, in time to the first paint and in memory."""

from __future__ import annotations

import asyncio
import gc
import tempfile
from pathlib import Path

from benchmarks import texts
from benchmarks.children import answer
from benchmarks.editor.streaming import milliseconds
from benchmarks.meter import cpu, median, memory
from benchmarks.stage import EDITOR, PATIENCE, Stage, perform
from benchmarks.targets import Plan, Reading

LAST = "FINIS"
"""Ends every text: it is painted when the text is."""
GOALS = {"novel": (2.0, 8.0), "cjk": (2.0, 8.0), "short": (4.0, 15.0)}
"""Times as long as a short document takes; bytes of memory for a character."""
WEIGH = """
import sys
from pathlib import Path
from benchmarks import stage
from benchmarks.editor.opening import weigh
stage.EDITOR["class"] = sys.argv[1]
print(weigh(Path(sys.argv[2])))
"""


def to_first_paint(plan: Plan) -> list[Reading]:
    """P7: the app is started, opens the text as it does, and paints its end. Modules are imported already."""
    readings = []
    for kind, make in texts.KINDS.items():
        text = make(plan.big)
        whole: dict[str, list[float]] = {"small": [], "big": []}
        loading: dict[str, list[float]] = {"small": [], "big": []}
        for number in range(plan.warm_ups + plan.repeats):
            for name, each in {"small": text[-plan.small :], "big": text}.items():
                total, load = _opened(f"{each}\n{LAST}")
                if number >= plan.warm_ups:
                    whole[name].append(total)
                    loading[name].append(load)
        small, big = median(whole["small"]), median(whole["big"])
        what = f"app start to first paint, {kind}, long : short document"
        readings.append(Reading(what, big / small, GOALS[kind][0], absolute=milliseconds(long=big, short=small)))
        small, big = median(loading["small"]), median(loading["big"])
        what = f"loading and its frame alone, {kind}, long : short document"
        readings.append(Reading(what, big / small, absolute=milliseconds(long=big, short=small)))
    return readings


def _opened(text: str) -> tuple[float, float]:
    """CPU milliseconds from the start of the app, and from the loading of the text, to the first paint."""

    async def open_it(stage: Stage) -> tuple[float, float]:
        editor = stage.pages["page"]
        editor.focus()
        stage.terminal.listening = True

        def load() -> None:
            editor.load(text)
            editor.go_to_end()

        loading = await stage.framed(load, lambda: any(LAST in each for each in stage.terminal.written))
        return cpu() - stage.born, loading

    return perform(open_it, {"page": text}, cold=True)


def memory_of_a_document(plan: Plan) -> list[Reading]:
    """P10: in a process of its own for each text, which reads it from a file."""
    readings = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, make in texts.KINDS.items():
            path = Path(folder, f"{kind}.txt")
            path.write_text(make(plan.big), encoding="utf-8")
            added = int(answer(WEIGH, EDITOR["class"], str(path)))
            absolute = f"{added / 1e6:.1f} MB"
            what = f"memory for a character, {kind}"
            readings.append(Reading(what, added / plan.big, GOALS[kind][1], "bytes", absolute))
    return readings


def weigh(path: Path) -> int:
    """Bytes of memory that the text of this file adds, when it is shown and all idle work is done."""

    async def load(stage: Stage) -> int:
        editor = await stage.show("page")
        gc.collect()
        before = memory()
        editor.load(path.read_text(encoding="utf-8"))
        editor.go_to_end()
        await asyncio.wait_for(stage.quiet(), PATIENCE)
        gc.collect()
        return memory() - before

    return perform(load, {"page": ""}, cold=True)
