"""Every system call of a scene goes wrong in turn: the process dies at it, or it answers EIO or ENOSPC.

The scenes are in syscall_scenes.py, syscall_replacing.py and syscall_chapters.py; syscall_inject.py lets the call go
wrong, by strace.
"""

from __future__ import annotations

import logging
import random
import shutil
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from outcome import Outcome
from spread import fast, spread
from syscall_chapters import CHAPTER_SCENES
from syscall_inject import Point, Ran, Say, points, unusable
from syscall_inject import run as injected
from syscall_replacing import REPLACING_SCENES
from syscall_scenes import STATE_SCENES, Scene, inline

from writer.errors import WriterError

NAME, FULL, ROOT, CI = "syscalls", 10_000, False, 350
"""The full count is more than there are: each is tried."""
SCENES = (*STATE_SCENES, *REPLACING_SCENES, *CHAPTER_SCENES)


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """`count` of all that can go wrong, drawn by `seed`, or all of it; and every mistake until it is found."""
    if reason := unusable():
        return Outcome(NAME, 0, (), sum(scene.plant is not None for scene in SCENES), 0, skipped=reason)
    begun, place = time.monotonic(), fast(scratch)
    logging.disable()
    inline()
    try:
        possible = [(scene, point) for scene in SCENES for point in _points(place, scene)]
        chosen = possible if count >= len(possible) else random.Random(seed).sample(possible, count)
        failures = [found for found in spread(partial(_trial, place, chosen, None), range(len(chosen))) if found]
        caught = {scene.mistake: _found(place, scene) for scene in SCENES if scene.plant is not None}
    finally:
        logging.disable(logging.NOTSET)
        shutil.rmtree(place, ignore_errors=True)
    counts = Counter(scene.name for scene, _ in chosen)
    notes = {
        "points": f"{len(chosen):,} of {len(possible):,}: " + ", ".join(f"{n} {c}" for n, c in counts.items()),
        "seconds": f"{time.monotonic() - begun:.0f}",
        "mutants (kills until caught)": ", ".join(f"{name}: {number or 'missed'}" for name, number in caught.items()),
    }
    return Outcome(NAME, len(chosen), tuple(failures), len(caught), sum(map(bool, caught.values())), notes=notes)


def _points(place: Path, scene: Scene) -> list[Point]:
    before = place / scene.name / "before"
    before.mkdir(parents=True)
    scene.prepare(before)
    folder = place / scene.name / "counted"
    shutil.copytree(before, folder)
    scene.act(shutil.copytree(before, place / scene.name / "warm"), lambda line: None)  # all is imported then
    return points(partial(_act, scene, None, folder), folder, place / scene.name / "calls")


def _act(scene: Scene, plant: Callable[[], None] | None, folder: Path, say: Say) -> None:
    try:
        scene.act(folder, say)
    except WriterError as error:
        say(f"refused: {error.sentence}")


def _trial(place: Path, chosen: list[tuple[Scene, Point]], plant: Callable[[], None] | None, number: int) -> str:
    """What went wrong at one point; "" if nothing."""
    scene, point = chosen[number]
    if plant is not None:
        plant()
    folder = place / scene.name / f"{number}"
    shutil.copytree(place / scene.name / "before", folder)
    try:
        ran = injected(partial(_act, scene, plant, folder), point)
        wrong = [*_ended(ran, point), *scene.judge(folder, ran.said)]
    except Exception:  # a judge who cannot go on has found something too
        wrong = [f"crash of the next start: {traceback.format_exc(limit=-3)}"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return f"{scene.name}, {point}: {'; '.join(wrong)}" if wrong else ""


def _ended(ran: Ran, point: Point) -> list[str]:
    crashes = [line for line in ran.said if line.startswith("crash")]
    if ran.hung:
        crashes.append("it hangs")
    if ran.killed != (point.fault == "KILL") and not ran.hung:
        crashes.append("it was not killed" if point.fault == "KILL" else "it was killed")
    return crashes


def _found(place: Path, scene: Scene) -> int:
    """The number of the kill that showed the planted mistake; 0 if none did."""
    log = place / scene.name / "planted-calls"

    def planted(folder: Path, say: Say) -> None:
        assert scene.plant is not None
        scene.plant()
        _act(scene, None, folder, say)

    folder = shutil.copytree(place / scene.name / "before", place / scene.name / "planted")
    kills = [(scene, point) for point in points(partial(planted, folder), folder, log) if point.fault == "KILL"]
    random.Random(0).shuffle(kills)
    found = spread(partial(_trial, place, kills, scene.plant), range(len(kills)))
    return next((number for number, wrong in enumerate(found, 1) if wrong), 0)
