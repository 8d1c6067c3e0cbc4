"""What the app takes of the memory beside its engine, with a book of 120,000 words open. M1.

Proportional set size (PSS) of the launcher and of the app's own process, the engine's apart: shared pages count once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.borrowed import helper
from benchmarks.ground import Ground, ground
from benchmarks.meter import median
from benchmarks.pairs import told
from benchmarks.targets import Measure, Plan, Reading
from benchmarks.window import WRITE, Window
from writer.engine import proc

MOST = 200.0
MINIMAL = Path(__file__).with_name("minimal_app.py")
"""A Textual app of one line: what any program of this kind takes."""
_MB = 1_000_000


def beside_the_engine(plan: Plan) -> list[Reading]:
    """M1: the book is open; it has been written on, for which the model's tokenizer is loaded; a minimal app."""
    size = {"chapters": 4, "words": 4000, "notes": 9} if plan.quick else {}
    opened, written, least = [], [], []
    with ground(plan) as place:
        for number in range(1 if plan.quick else 3):
            book = helper("a_book").make(place.folder / f"book-{number}", **size)
            with (book / "writer.toml").open("a") as file:
                file.write(f"\n[settings.writing]\nmax_tokens = {min(plan.tokens, 64)}\n")
            before, after = _of_the_app(book)
            opened.append(before)
            written.append(after)
            least.append(_of_a_minimal_app(place))
    words = 4000 if plan.quick else 120_000
    return [
        Reading(f"memory, {words:,} words open and written on", max(written), MOST, "MB", told(written, "MB")),
        Reading(f"memory, {words:,} words open", median(opened), None, "MB", told(opened, "MB")),
        Reading("the same : a minimal Textual app", median(opened) / median(least), None, absolute=told(least, "MB")),
    ]


ONCE = True
TARGETS: dict[str, Measure] = {"M1": beside_the_engine}


def held_by(processes: Sequence[int]) -> float:
    """Megabytes of these processes together."""
    return proc.resident_bytes(processes) / _MB


def _of_the_app(book: Path) -> tuple[float, float]:
    window = Window(book)
    window.shows("saved")
    before = held_by(window.processes())
    window.press(WRITE)
    window.rests()
    after = held_by(window.processes())
    window.quit()
    return before, after


def _of_a_minimal_app(place: Ground) -> float:
    window = Window(place.folder, [sys.executable, str(MINIMAL)])
    window.shows("minimal")
    held = held_by(window.processes())
    window.quit()
    return held
