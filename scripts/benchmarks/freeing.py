"""Pause and free the GPU: until its memory is back, until it is taken again, and what the next text waits for. F1.

Only where the engine has a GPU. The first token comes from an engine that sleeps, so its wait holds the waking and the
reading of the prompt; the baseline is the same prompt, read anew by an engine that is awake.
"""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass

from benchmarks.batch import sampling_for
from benchmarks.ground import Ground, ground
from benchmarks.meter import median
from benchmarks.pairs import against, told
from benchmarks.resume import prompt_of, until_first
from benchmarks.targets import Measure, Plan, Reading
from writer.engine.hardware import detect

GOAL = 1.5
"""Seconds: for each way."""
ROOM = 200
"""Tokens of the window that a prompt leaves free."""


def freed(plan: Plan) -> list[Reading]:
    """F1: seconds each way, memory of the GPU, and the first token of an engine that sleeps."""
    with ground(plan) as place:
        facts = place.held.engine.facts
        if not facts.can_sleep:
            raise SystemExit("The engine here has no GPU to free. Run this bench where it has one.")
        ways = [once(place) for _ in range(plan.pairs + 1)][1:]
        length = longest(place, plan)
        source, asleep, awake = random.Random(length), [], []
        for number in range(plan.pairs):
            sampling = sampling_for(place, ROOM, number)
            place.held.sleep()
            asleep.append(place.held.run(until_first(prompt_of(source, length), sampling)) * 1000)
            awake.append(place.held.run(until_first(prompt_of(source, length), sampling)) * 1000)
        goal = GOAL if facts.device == "gpu" else None
        down, up = [way.down for way in ways], [way.up for way in ways]
        before, behind = [sum(way.awake) for way in ways], [sum(way.asleep) for way in ways]
        return [
            Reading("pause and free the GPU", median(down), goal, "s", told(down, "s", ".2f")),
            Reading("take the GPU again", median(up), goal, "s", told(up, "s", ".2f")),
            Reading("memory of the GPU while it sleeps", median(behind), None, "GB", f"awake {told(before, 'GB')}"),
            against(f"first token at {length:,} tokens, asleep : awake and unread", asleep, awake, None, "ms"),
        ]


def longest(place: Ground, plan: Plan) -> int:
    """The longest of the plan's prompts that the engine's window holds."""
    window = place.held.engine.facts.window
    return max((each for each in plan.lengths if each + ROOM < window), default=256)


@dataclass(frozen=True, slots=True)
class Freed:
    """Seconds until the memory was free, and taken again; gigabytes in use of each GPU before, and while it slept."""

    down: float
    up: float
    awake: list[float]
    asleep: list[float]


def once(place: Ground) -> Freed:
    """Frees the GPUs, and takes them again."""
    awake, begun = taken(), time.perf_counter()
    place.held.sleep()
    down = time.perf_counter() - begun
    asleep, begun = taken(), time.perf_counter()
    place.held.wake()
    return Freed(down, time.perf_counter() - begun, awake, asleep)


def taken() -> list[float]:
    """Gigabytes in use, of each GPU."""
    return [(gpu.total_bytes - gpu.free_bytes) / 1e9 for gpu in detect(os.environ, ask_driver=True).gpus]


ONCE = True
TARGETS: dict[str, Measure] = {"F1": freed}
