"""SIGKILL of the full app on a terminal, relaunch, Continue: nothing shown is lost, nothing doubled, the end the same.

A trial (app_trial.py) kills `writer DIR` at a random moment, looks at the last screen, at the database and at the
terminal that is left, goes on, sometimes after a second kill, and compares tokens and chapter with a run that nobody
disturbed. Two trials run at a time.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import app_trial
from app_trial import Trial
from outcome import Outcome

NAME, FULL, ROOT = "app-kill", 100, False
MUTANT_TRIALS = 12  # by then a mistake has been found, or the stage has missed it
CAUGHT_BY = {
    "shown before commit": "shown and not saved",
    "first words twice": "another chapter",
    "another text": "other tokens",
    "terminal left": "the terminal:",
}


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """`count` manuscripts, and every mistake until it is found."""
    (scratch / "honest").mkdir()
    trials = list(_trials(range(count), seed, scratch / "honest", ""))
    failures = tuple(
        f"{sentence} (seed {seed}, trial {n})" for n, trial in enumerate(trials) for sentence in trial.wrong
    )
    struck = sum(trial.struck for trial in trials)
    if struck < count / 2:
        failures += (f"too few kills hit a stream: {struck} in {count} trials (seed {seed})",)
    caught = {plant: _found(plant, seed, scratch) for plant in CAUGHT_BY}
    notes = {
        "kills": str(sum(trial.kills for trial in trials)),
        "of them while text streamed": str(struck),
        "mutants (trials until caught)": ", ".join(f"{plant}: {n or 'missed'}" for plant, n in caught.items()),
    }
    return Outcome(NAME, len(trials), failures, len(caught), sum(map(bool, caught.values())), notes=notes)


def _found(plant: str, seed: int, scratch: Path) -> int:
    """The number of the trial that showed the planted mistake; 0 if none did."""
    folder = scratch / plant.replace(" ", "-")
    folder.mkdir()
    for first in range(0, MUTANT_TRIALS, 2):
        for number, trial in enumerate(_trials(range(first, first + 2), seed, folder, plant), first + 1):
            if any(sentence.startswith(CAUGHT_BY[plant]) for sentence in trial.wrong):
                return number
    return 0


def _trials(numbers: Iterable[int], seed: int, folder: Path, plant: str) -> Iterator[Trial]:
    """In processes: what a trial does in ours must not meet another's."""
    workers = max(2, min(4, len(os.sched_getaffinity(0))))
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork")) as pool:
        jobs = [pool.submit(app_trial.run, folder / str(n), f"{seed} {n}", plant) for n in numbers]
        yield from (job.result() for job in jobs)
