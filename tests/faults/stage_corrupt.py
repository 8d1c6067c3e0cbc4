"""Damaged states: what is read of them was written, what is missing is told, and the app starts.

A trial damages a state (corrupt_damage.py) that was closed or killed, with rolling copies or without
(corrupt_images.py), opens it as the next start would, and holds all that is in it then against what was written.
"""

from __future__ import annotations

import logging
import random
import shutil
import statistics
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from corrupt_damage import LOG, damage, draw
from corrupt_images import Image, images, is_part
from outcome import Outcome
from spread import fast, spread

from writer.errors import StateTooNew
from writer.generation.model import Generation, Saved
from writer.storage import codec, joining, opening, reading
from writer.storage.codec import Row
from writer.storage.opening import open_state
from writer.storage.state_file import StateFile

NAME, FULL, ROOT, CI = "corrupt", 5000, False, 300
_LEAF = "a leaf page of zeros"
_LEAST = 0.98  # of the batches, at the median, after the loss of a leaf page without a copy
_UNSEEN = 3  # commits at the end of a log that are taken for torn by a power cut
_MUTANT_TRIALS = 400  # by then a mistake has been found, or the stage has missed it
_LEAF_TRIALS = 48  # for a mistake that shows in how much is kept at the median


@dataclass(frozen=True, slots=True)
class Trial:
    """What one came to. `kept`: the share of the batches that was there afterwards."""

    way: str
    image: str
    wrong: str = ""
    note: str = ""
    kept: float = 1.0


@dataclass(frozen=True, slots=True)
class Mutant:
    """A planted mistake, what it must show as ("": too little is kept), and by which damage."""

    plant: Callable[[], None]
    symptom: str
    ways: tuple[str, ...]


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """`count` damaged states, and every mistake until it is found."""
    begun, place = time.monotonic(), fast(scratch)
    try:
        logging.disable()  # that each of them is damaged is no news
        made = images(place / "images")
        done = list(spread(partial(_trial, place, made, seed, None), range(count)))
        caught = {name: _found(place, made, seed, name) for name in PLANTS}
    finally:
        logging.disable(logging.NOTSET)
        shutil.rmtree(place, ignore_errors=True)
    leaf = [trial.kept for trial in done if trial.way == _LEAF and "copies" not in trial.image]
    failures = [trial.wrong for trial in done if trial.wrong]
    if leaf and statistics.median(leaf) < _LEAST:
        failures.append(f"only {statistics.median(leaf):.1%} of the batches are left of a state with a lost leaf page")
    notes = {
        "batches kept after the loss of a leaf page, without a copy (median)": _share(leaf),
        "the same with a copy": _share([t.kept for t in done if t.way == _LEAF and "copies" in t.image]),
        "all of it kept, or all told that is not": _told(done),
        "seconds": f"{time.monotonic() - begun:.0f}",
        "mutants (states until caught)": ", ".join(f"{name}: {number or 'missed'}" for name, number in caught.items()),
    }
    return Outcome(NAME, len(done), tuple(failures), len(caught), sum(map(bool, caught.values())), notes=notes)


def _share(values: list[float]) -> str:
    return f"{statistics.median(values):.2%} of {len(values)} states" if values else "no such state"


def _told(done: list[Trial]) -> str:
    counts = Counter(trial.note for trial in done if trial.note)
    return ", ".join(f"{note}: {number}" for note, number in counts.most_common())


def _trial(place: Path, made: list[Image], seed: int, mutant: Mutant | None, number: int) -> Trial:
    rnd = random.Random(f"{seed}:{number}")
    image = made[number % len(made)]
    folder = place / f"trial-{number}"
    way = draw(rnd, has_log=image.name.startswith("killed"))
    if mutant is not None:
        mutant.plant()
        way = rnd.choice(mutant.ways)
        image = made[number % len(made) | 1] if way in LOG else image  # closed ones have none
    try:
        path = image.put(folder)
        damage(way, path, rnd)
        wrong, note, kept = _opened(image, path, way, again=number % 5 == 0)
    except Exception:  # what is not told as a sentence is what this stage looks for
        wrong, note, kept = f"crash: {traceback.format_exc(limit=-4)}", "", 0.0
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Trial(way, image.name, wrong and f"{wrong} ({way}, {image.name}, seed {seed}, state {number})", note, kept)


def _opened(image: Image, path: Path, way: str, *, again: bool) -> tuple[str, str, float]:
    """What is wrong, what the author is told, and the share of batches that is left."""
    try:
        state = open_state(path, boot_id="b")
    except StateTooNew:
        return ("" if way in ("a byte of the header", "one bit", "some bytes") else "too new"), "refused as newer", 1.0
    try:
        state.reconcile()
        saved = {found.id: state.generations.load(found.id) for found in state.generations.all()}
        kept = sum(min(one.batches, image.batches) for one in saved.values()) / image.batches
        wrong = _wrong(image, state, saved) or _silent(way, image, state.notes, kept)
        told = _kind(state.notes, kept)
    finally:
        state.close()
    return wrong or (_again(path, saved) if again else ""), told, kept


def _wrong(image: Image, state: StateFile, saved: dict[str, Saved]) -> str:
    for identity, text in saved.items():
        if problem := is_part(text, image.saved, identity):
            return f"wrong tokens: {problem}"
        if not state.generations.is_sealed(identity) and _differs(image, state.generations.generation(identity)):
            return "wrong record: it can go on and is not what was begun"
        if not set(state.spans.of(identity)) <= set(image.spans.get(identity, [])):
            return "wrong place: nothing was ever written there"
    return ""


def _differs(image: Image, found: Generation) -> bool:
    """Whether it would go on from other tokens or in another way than it was begun."""
    return found.state.resumable and _facts(found) != _facts(image.records[found.id])


def _facts(found: Generation) -> tuple[Any, ...]:
    return (found.chapter, found.sampling, found.fingerprint, found.prompt_ids, found.instruction)


def _silent(way: str, image: Image, notes: tuple[str, ...], kept: float) -> str:
    """Whether something is gone without a word. Nothing in a log tells how long it was: its end may be gone unseen."""
    lost = round((1 - kept) * image.batches)
    if notes:
        return ""
    if way == "log: removed":
        return "a removed log was not told"
    unseen = image.batches if way in ("log: cut off", "log: emptied") else _UNSEEN if way in LOG else 0
    unseen = max(unseen, way == "a row removed")  # the very last
    return f"silent: {lost} batches are gone without a word" if lost > unseen else ""


def _kind(notes: tuple[str, ...], kept: float) -> str:
    if not notes:
        return "nothing to tell" if kept >= 1 else "end of the log gone unseen"
    if "state.db-wal" in notes[0]:
        return "log removed"
    for words in ("stands in", "nothing of it", "all of it", "% of it"):
        if words in notes[0]:
            return f"told: {words}"
    return notes[0]


def _again(path: Path, saved: dict[str, Saved]) -> str:
    """The start after that finds the same, and has nothing to tell."""
    state = open_state(path, boot_id="b")
    try:
        same = saved == {found.id: state.generations.load(found.id) for found in state.generations.all()}
        return "" if same and not state.notes else f"the next start finds it otherwise: {state.notes}"
    finally:
        state.close()


def _found(place: Path, made: list[Image], seed: int, name: str) -> int:
    """The number of the state that showed the planted mistake; 0 if none did."""
    mutant, kept = PLANTS[name], []
    trials = range(_MUTANT_TRIALS if mutant.symptom else _LEAF_TRIALS)
    for number, trial in enumerate(spread(partial(_trial, place, made, seed, mutant), trials), 1):
        if mutant.symptom and trial.wrong.startswith(mutant.symptom):
            return number
        if trial.way == _LEAF and "copies" not in trial.image:
            kept.append(trial.kept)
    return len(trials) if not mutant.symptom and kept and statistics.median(kept) < _LEAST else 0


# --- mistakes


def _no_checksums() -> None:
    def believed(crc: int, row: Row) -> int:
        return row.crc

    codec._in_one_go = lambda rows: None
    codec.chained = believed
    joining.chained = believed


def _gaps_closed() -> None:
    def journal(self: joining._Joining) -> tuple[list[Row], list[list[Row]]]:
        rows = [row for _, row in sorted(self._newest().items())]
        whole: list[Row] = []
        for old in rows:
            start = whole[-1].start + whole[-1].n if whole else 0
            row = old._replace(ordinal=len(whole), start=start)
            whole.append(row._replace(crc=codec.chained(whole[-1].crc if whole else 0, row)))
        return whole, []

    joining._Joining._journal = journal  # type: ignore[method-assign]


def _not_told() -> None:
    honest = opening.salvage.mend

    def mend(path: Path, copies: Any) -> str:
        honest(path, copies)
        return ""

    class Speechless(StateFile):
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, tuple(filter(None, value)) if name == "notes" else value)

    opening.salvage.mend = mend
    opening.StateFile = Speechless  # type: ignore[misc]


def _log_not_missed() -> None:
    StateFile._last_run_unclean = lambda self: False  # type: ignore[method-assign]


def _one_way_only() -> None:
    honest = reading._Reader._both_ways

    def forwards(self: Any, select: str, order: str, *rest: Any) -> bool:
        honest(self, select, order.replace("{way}", "ASC"), *rest)
        return True

    reading._Reader._both_ways = forwards  # type: ignore[method-assign]


PLANTS = {
    "checksums believed": Mutant(_no_checksums, "wrong", ("one bit", "a value changed")),
    "gaps closed": Mutant(_gaps_closed, "wrong", (_LEAF, "a row removed")),
    "loss not told": Mutant(_not_told, "silent", (_LEAF, "cut off")),
    "missing log not told": Mutant(_log_not_missed, "a removed log", ("log: removed",)),
    "read one way only": Mutant(_one_way_only, "", (_LEAF,)),
}
