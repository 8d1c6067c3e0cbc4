"""From kill -9 to the next new word: the app is killed while it writes, started anew, and told to go on. A1.

All of it as an author has it: from the start of `writer DIR` in a terminal until the first new letter is painted, with
the offer to continue taken as soon as it is shown. The baseline is what an app without any of this costs at least: the
engine started (its caches on the disk are warm) and the same prompt read.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.borrowed import helper
from benchmarks.ground import Ground, ground
from benchmarks.memory import held_by
from benchmarks.meter import median
from benchmarks.pairs import told
from benchmarks.resume import until_first
from benchmarks.seen import Written, first_beyond, letters, progress
from benchmarks.targets import Measure, Plan, Reading
from benchmarks.window import EDITOR_LEFT, ENTER, SIZE, WRITE, Window, generations
from writer.generation.model import Sampling

GOAL = 2.5
"""Seconds in all, on a GPU with an 8B model and 32,000 tokens."""
_WORDS_FOR_A_TOKEN = 0.72
WRITING = 2.0
"""Seconds in which the app writes before it is killed."""


def after_a_kill(plan: Plan) -> list[Reading]:
    """A1: for each length of the chapter in tokens, the relaunch; against an engine's start and a prefill."""
    readings = []
    with ground(plan) as place:
        goal = GOAL if place.held.engine.facts.device == "gpu" else None
        for length in plan.lengths:
            found = [relaunched(place, length, number, enough(place, plan)) for number in range(plan.pairs)]
            seconds = [each.seconds for each in found]
            what = f"kill -9 to the next word, chapter of {length:,} tokens"
            readings.append(Reading(what, median(seconds), goal, "s", told(seconds, "s", ".2f")))
            readings.append(Reading("tokens on the screen that were lost", max(each.lost for each in found), 0.0, ""))
            start = started(place, found[-1].prompt_ids)
            if not place.scripted:
                what, ratio = "the same : the engine's start and a prefill", median(seconds) / start
                readings.append(Reading(what, ratio, 1.0, absolute=f"{start:.1f} s"))
    return readings


ONCE = True
TARGETS: dict[str, Measure] = {"A1": after_a_kill}


@dataclass(frozen=True, slots=True)
class Relaunched:
    """One kill, and what came behind it."""

    seconds: float  # from the start of the program to the next new word
    lost: float  # tokens that stood on the screen and are not in the journal
    megabytes: float  # of the app when it was killed
    written: int  # tokens in the journal then
    generation: Mapping[str, Any] = field(repr=False)  # as it was in the end

    @property
    def prompt_ids(self) -> tuple[int, ...]:
        """What the text was written behind."""
        return tuple(self.generation["prompt_ids"])

    @property
    def token_ids(self) -> tuple[int, ...]:
        """The whole text, from both sides of the kill."""
        return tuple(self.generation["token_ids"])


def relaunched(place: Ground, length: int, number: int, tokens: int) -> Relaunched:
    """The app writes so many tokens, is killed among them, is started anew, and goes on."""
    folder, chapter = _book(place, length, number, tokens)
    window = Window(folder)
    window.shows("saved")
    window.press(WRITE)
    window.until(lambda: window.writes, "a text", 600.0)
    time.sleep(WRITING)  # what it writes meanwhile is the case itself
    megabytes = held_by(window.processes())
    window.kill()
    before = window.written
    (killed,) = generations(folder)
    if killed["state"] != "interrupted":
        raise SystemExit("The text had ended before the app was killed. Ask for more --tokens.")
    window = Window(folder)
    window.shows("Continue")
    since = window.press(ENTER)
    window.rests(anew=False)
    window.quit()
    (whole,) = generations(folder)
    text = chapter + whole["text"]
    seen = list(progress(window.written, text, SIZE, EDITOR_LEFT))
    first = first_beyond(seen, len(letters(chapter + killed["text"])), since)
    lost = _lost(before, chapter, killed["text"], whole["text"])
    return Relaunched(first - window.begun, lost, megabytes, len(killed["token_ids"]), whole)


def enough(place: Ground, plan: Plan, rate: float = 0.0) -> int:
    """Tokens that are still being written when the app is killed, at so many in a second, or at what is usual."""
    rate = rate or (40 if place.held.engine.facts.device == "cpu" else 300)
    return max(plan.tokens, int(rate * WRITING) * 3)


def _lost(before: Written, chapter: str, stored: str, whole: str) -> float:
    """Letters seen before the kill beyond those that are stored, in tokens of four letters."""
    shown = max((count for _, count in progress(before, chapter + whole, SIZE, EDITOR_LEFT)), default=0)
    return max(0, shown - len(letters(chapter + stored))) / 4


def _book(place: Ground, length: int, number: int, tokens: int) -> tuple[Path, str]:
    """A manuscript whose chapter has about so many tokens of `length`, and that chapter's text."""
    text = helper("a_book").prose(random.Random(f"{length} {number}"), int(length * _WORDS_FOR_A_TOKEN)).strip()
    made = place.manuscript(f"{length}-{number}", text, max_tokens=tokens, min_tokens=tokens, seed=number + 1)
    return made.folder, text


def started(place: Ground, prompt: tuple[int, ...]) -> float:
    """Seconds until a fresh engine has given its first token behind this prompt."""
    place.held.stop()
    begun = time.perf_counter()
    place.held.hold()
    place.held.run(until_first(prompt, Sampling(seed=1)))
    return time.perf_counter() - begun
