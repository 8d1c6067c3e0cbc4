"""SIGKILL of the full app on a terminal, relaunch, Continue: nothing shown is lost, nothing doubled, the end the same.

A trial (app_trial.py) kills `writer DIR` at a random moment, looks at the last screen, at the database and at the
terminal that is left, goes on, sometimes after a second kill, and compares tokens and chapter with a run that nobody
disturbed. As many trials as there are cores run at a time.
"""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path

import app_trial
from outcome import Outcome

NAME, FULL, ROOT, CI = "app-kill", 100, False, 6
MUTANT_TRIALS = 12  # by then a mistake has been found, or the stage has missed it
CAUGHT_BY = {
    "shown before commit": "shown and not saved",
    "first words twice": "another chapter",
    "another text": "other tokens",
    "terminal left": "the terminal:",
}


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """`count` manuscripts, and every mistake until it is found."""
    workers = max(2, min(4, len(os.sched_getaffinity(0))))
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork")) as pool:
        jobs = [pool.submit(app_trial.run, _folder(scratch, "", n), f"{seed} {n}", "") for n in range(count)]
        caught = _mutants(pool, seed, scratch)
        trials = [job.result() for job in jobs]
    failures = tuple(
        f"{sentence} (seed {seed}, trial {n})" for n, trial in enumerate(trials) for sentence in trial.wrong
    )
    struck = sum(trial.struck for trial in trials)
    if struck < count / 2:
        failures += (f"too few kills hit a stream: {struck} in {count} trials (seed {seed})",)
    notes = {
        "kills": str(sum(trial.kills for trial in trials)),
        "of them while text streamed": str(struck),
        "mutants (trials until caught)": ", ".join(f"{plant}: {caught.get(plant, 'missed')}" for plant in CAUGHT_BY),
    }
    return Outcome(NAME, len(trials), failures, len(CAUGHT_BY), len(caught), notes=notes)


def _mutants(pool: Executor, seed: int, scratch: Path) -> dict[str, int]:
    """In which trial each planted mistake was found. All that are not yet found are tried side by side."""
    caught: dict[str, int] = {}
    for n in range(MUTANT_TRIALS):
        jobs = {
            plant: pool.submit(app_trial.run, _folder(scratch, plant, n), f"{seed} {n}", plant)
            for plant in CAUGHT_BY.keys() - caught.keys()
        }
        for plant, job in jobs.items():
            if any(sentence.startswith(CAUGHT_BY[plant]) for sentence in job.result().wrong):
                caught[plant] = n + 1
    return caught


def _folder(scratch: Path, plant: str, number: int) -> Path:
    return scratch / f"{plant.replace(' ', '-')}{number}"
