"""P12: what the app's process imports until its first paint, and what that costs."""

from __future__ import annotations

from benchmarks.children import answer
from benchmarks.meter import median
from benchmarks.stage import EDITOR
from benchmarks.targets import Plan, Reading

TEXTUAL = "import textual.app; from textual.widgets import TextArea"
OURS = "import writer.tui.app"
WHOLE = "import writer.tui.__main__, writer.bootstrap, writer.tui.app"
HEAVY = ("torch", "vllm", "transformers", "gguf", "tensorflow", "openai", "anthropic", "google.generativeai", "litellm")
"""Modules that have no place in the process that paints."""
TIMED = "import time; start = time.process_time(); {}; print((time.process_time() - start) * 1000)"
FIRST_PAINT = """
import sys
import writer.bootstrap, writer.tui.__main__, writer.tui.app
from benchmarks.stage import EDITOR, perform
EDITOR["class"] = sys.argv[1]
async def shown(stage): await stage.show("page")
perform(shown, {"page": "One line."})
print(*sorted(name for name in sys.modules if name in sys.argv[2:]))
"""


def of_the_app(plan: Plan) -> list[Reading]:
    """P12."""
    samples: dict[str, list[float]] = {TEXTUAL: [], OURS: [], WHOLE: []}
    for number in range(plan.warm_ups + plan.repeats):
        for code in samples:
            spent = float(answer(TIMED.format(code)))
            if number >= plan.warm_ups:
                samples[code].append(spent)
    textual, ours, whole = (median(samples[code]) for code in (TEXTUAL, OURS, WHOLE))
    heavy = answer(FIRST_PAINT, EDITOR["class"], *HEAVY).split()
    absolute = f"app {ours:.0f} ms, textual {textual:.0f} ms"
    return [
        Reading("import the app : Textual with a TextArea", ours / textual, 1.5, absolute=absolute),
        Reading("import the app and its desk : the same", whole / textual, absolute=f"{whole:.0f} ms"),
        Reading("engines and SDKs imported at first paint", len(heavy), 0, "modules", " ".join(heavy)),
    ]
