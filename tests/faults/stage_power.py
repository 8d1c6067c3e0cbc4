"""Power cuts while a generation streams and a chapter is saved: what was shown is there, what was saved is whole.

A trial lets a real process (power_writer.py) write on a disk of our own (power_disk.py), cuts the power at a random
moment, mounts the disk again and opens the manuscript as the next start would. Ten cuts in a row hit one manuscript,
each after a resume; then it is written to its end and compared with a run that nobody disturbed.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from outcome import Outcome
from power_disk import LOG_FLUSHED, NOTHING_FLUSHED, Disk, refused, sweep, unusable
from power_writer import ENVIRON, SAVED, STREAMED, number_of, prepare, start, write

from writer.bootstrap import open_desk
from writer.errors import StorageError
from writer.generation.model import Saved, State

NAME, FULL, ROOT = "power", 1000, True
ROW = 10  # cuts that hit one manuscript
MUTANT_TRIALS = 300  # by then a mistake has been found, or the stage has missed it
CAUGHT_BY = {
    "synchronous=NORMAL": "shown tokens lost",
    "no folder fsync": "saved chapter lost",
    "in place": "chapter torn",
    "shown before commit": "shown tokens lost",
}
_WAYS = {LOG_FLUSHED: "metadata kept", NOTHING_FLUSHED: "nothing kept"}


@dataclass(slots=True)
class Told:
    """What the writing process said before the cut."""

    text: str = ""
    tokens: int = 0
    batches: int = 0
    saved: int = 0
    alive: bool = True  # until the cut


@dataclass(slots=True)
class Row:
    """One manuscript and all that was shown of it, over its cuts."""

    shown: str = ""
    tokens: int = 0
    saved: int = 0
    ended: bool = False


@dataclass(slots=True)
class Tally:
    """What the trials found; `wrong` holds (kind, sentence)."""

    trials: int = 0
    midway: int = 0
    batches: int = 0
    saves: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """`count` cuts, half of them with each way of flushing, and every mistake until it is found."""
    if reason := unusable():
        return Outcome(NAME, 0, (), len(CAUGHT_BY), 0, skipped=reason)
    sweep()
    if reason := refused(scratch):
        return Outcome(NAME, 0, (), len(CAUGHT_BY), 0, skipped=reason)
    begun = time.monotonic()
    honest = cuts(count, seed, scratch)
    caught = {plant: found(plant, seed, scratch) for plant in CAUGHT_BY}
    notes = {
        "cuts in the middle of a stream": str(honest.midway),
        "batches shown before the cuts": str(honest.batches),
        "chapter saves before the cuts": str(honest.saves),
        "seconds": f"{time.monotonic() - begun:.0f}",
        "mutants (cuts until caught)": ", ".join(f"{plant}: {cut or 'missed'}" for plant, cut in caught.items()),
    }
    failures = tuple(f"{kind}: {sentence}" for kind, sentence in honest.wrong)
    if honest.midway < count / 3:
        failures += (f"too few cuts hit a stream: {honest.midway} of {count} (seed {seed})",)
    return Outcome(NAME, honest.trials, failures, len(caught), sum(map(bool, caught.values())), notes=notes)


def found(plant: str, seed: int, scratch: Path) -> int:
    """The number of the cut that showed the planted mistake; 0 if none did."""
    tally = cuts(MUTANT_TRIALS, seed, scratch, plant=plant)
    return tally.trials if any(kind == CAUGHT_BY[plant] for kind, _ in tally.wrong) else 0


def cuts(count: int, seed: int, scratch: Path, *, plant: str = "") -> Tally:
    """That many trials; with a planted mistake only until it has been found."""
    rnd, tally = random.Random(f"{seed} {plant}"), Tally()
    with Disk(scratch) as disk, _home_on(disk.folder):
        whole = _undisturbed(disk.folder / "whole")
        row: Row | None = None
        while tally.trials < count:
            if row is None or row.ended or tally.trials % ROW == 0:
                row = Row()
                disk.make()
                prepare(disk.folder / "m")
            _trial(disk, row, rnd, whole, tally, plant, f"seed {seed}, cut {tally.trials}")
            last = row.ended or tally.trials % ROW == 0
            if not plant and last and not tally.wrong:
                _to_the_end(disk.folder / "m", row, whole, tally, f"seed {seed}, after cut {tally.trials}")
            if plant and any(kind == CAUGHT_BY[plant] for kind, _ in tally.wrong):
                break
    return tally


def _trial(disk: Disk, row: Row, rnd: random.Random, whole: Saved, tally: Tally, plant: str, where: str) -> None:
    flush = rnd.choice(tuple(_WAYS))
    streams = rnd.random() < 0.75  # else only saves, whose syncs no commit comes to help
    told = _cut(disk, flush, rnd.randrange(1, 60), rnd.random() * 0.004, streams=streams, plant=plant)
    tally.trials += 1
    tally.midway += streams and 0 < told.tokens < len(whole.token_ids)
    tally.batches += told.batches
    tally.saves += max(0, told.saved - row.saved)
    row.shown, row.tokens = row.shown + told.text, max(row.tokens, told.tokens)
    row.saved = max(row.saved, told.saved)
    what = f"{where}, {_WAYS[flush]}, {'streaming and saving' if streams else 'saving'}"
    died = [] if told.alive else [("process ended", "it did not wait for the cut")]
    wrong = [*died, *_chapters(disk.folder / "m", row, whole), *_state(disk.folder / "m", row, whole)]
    tally.wrong += [(kind, f"{sentence} ({what})") for kind, sentence in wrong]
    row.ended = row.ended or bool(wrong)


def _cut(disk: Disk, flush: int, lines: int, delay: float, *, streams: bool, plant: str) -> Told:
    """Lets a process write until it has said so many lines and a moment longer; what it said until the cut."""
    pid, reader = start(disk.folder / "m", streams=streams, plant=plant)
    try:
        data, alive = b"", True
        while alive and data.count(b"\n") < lines:
            data += (chunk := _read(reader, 30.0))
            alive = bool(chunk)
        end = time.perf_counter() + delay
        while time.perf_counter() < end:  # a moment inside a commit or a save, which no condition can name
            pass
        while chunk := _read(reader, 0.0):
            data += chunk
        disk.cut(flush)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(reader)
    disk.unmount()
    disk.mount()
    return _told(data, alive=alive)


def _read(fd: int, seconds: float) -> bytes:
    """What there is to read; nothing at the end of the pipe, or once the time has passed."""
    ready, _, _ = select.select([fd], [], [], seconds)
    return os.read(fd, 65536) if ready else b""


def _told(data: bytes, *, alive: bool) -> Told:
    told = Told(alive=alive)
    for line in data.split(b"\n")[:-1]:
        kind, *values = json.loads(line)
        if kind == "saved":
            told.saved = values[0]
        else:
            told.tokens, text = values
            told.text, told.batches = told.text + text, told.batches + 1
    return told


def _chapters(folder: Path, row: Row, whole: Saved) -> Iterator[tuple[str, str]]:
    """What is wrong with the files as the cut left them."""
    data = (folder / SAVED).read_bytes() if (folder / SAVED).exists() else b""
    number = number_of(data)
    if number < 0:
        yield "chapter torn", f"{len(data)} bytes that are no version of it"
    elif number < row.saved:
        yield "saved chapter lost", f"version {row.saved} was saved, the file holds {number}"
    row.saved = max(row.saved, number)
    streamed = (folder / STREAMED).read_bytes() if (folder / STREAMED).exists() else b"\xff"
    if not whole.text.encode().startswith(streamed):
        yield "chapter torn", f"the streamed chapter's {len(streamed)} bytes are no beginning of its text"


def _state(folder: Path, row: Row, whole: Saved) -> Iterator[tuple[str, str]]:
    """What is wrong with the database as the cut left it, and with the chapter once the manuscript is open again."""
    try:
        saved, state, integrity, notes = asyncio.run(_opened(folder))
    except StorageError as error:
        yield "database corrupt", error.detail or error.sentence
        return
    if integrity != "ok":
        yield "database corrupt", integrity
    if notes:
        yield "false alarm", " ".join(notes)
    if not saved.text.startswith(row.shown) or len(saved.token_ids) < row.tokens:
        yield "shown tokens lost", f"{row.tokens} were shown, {len(saved.token_ids)} are there"
    elif saved.token_ids != whole.token_ids[: len(saved.token_ids)]:
        yield "tokens doubled", f"{len(saved.token_ids)} tokens are not the beginning of the undisturbed run's"
    elif (folder / STREAMED).read_text(encoding="utf-8") != saved.text:
        yield "chapter not recovered", "the opened chapter is not what the database holds"
    row.shown, row.tokens = saved.text, len(saved.token_ids)
    row.ended = state is State.TRUNCATED


async def _opened(folder: Path) -> tuple[Saved, State | None, str, tuple[str, ...]]:
    """Opens as the next start would: what is saved, where it stands, SQLite's own verdict, what the author is told."""
    desk = open_desk(folder, ENVIRON, lambda event: None)
    try:
        notes = (await desk.open()).notes
        store = desk._means.state.generations
        verdict = str(store._db.execute("PRAGMA integrity_check").fetchone()[0])
        for generation in store.all():
            return store.load(generation.id), generation.state, verdict, notes
        return Saved(), None, verdict, notes
    finally:
        await desk.close()


def _to_the_end(folder: Path, row: Row, whole: Saved, tally: Tally, where: str) -> None:
    """Writes on undisturbed; the whole must be what an undisturbed run wrote."""
    asyncio.run(write(folder, lambda line: None, streams=True, saves=False))
    saved = asyncio.run(_opened(folder))[0]
    if (saved.token_ids, saved.text) != (whole.token_ids, whole.text):
        tally.wrong.append(("unequal", f"{len(saved.token_ids)} of {len(whole.token_ids)} tokens at the end ({where})"))
    row.ended = True


def _undisturbed(folder: Path) -> Saved:
    prepare(folder)
    asyncio.run(write(folder, lambda line: None, streams=True, saves=False))
    return asyncio.run(_opened(folder))[0]


@contextmanager
def _home_on(folder: Path) -> Iterator[None]:
    """State and settings lie on the disk whose power is cut."""
    places = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("STATE", "CONFIG", "DATA", "CACHE")}
    with mock.patch.dict(os.environ, places):
        yield
