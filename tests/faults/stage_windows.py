"""Two windows on one manuscript, at random: open, type, save, take over, leave, die. No confirmed word is lost.

Four of five trials run both windows in one process, the others in two real ones, which are killed, too. Lock, bell,
state and chapter file are the real ones in both. At every moment one window writes at most; at the end each word that
a window was told is saved, or that it had when it was asked to leave, is in the chapter, beside it or in a version.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import select
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

from edits_window import words
from outcome import Outcome
from windows_seat import CHAPTER, Seat, serve

from writer import locations
from writer.manuscript import lock
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.project import create, open_manuscript
from writer.manuscript.versions import Versions

NAME, FULL, ROOT = "windows", 1000, False
MUTANT_TRIALS = 60
_REAL = 5  # every fifth trial has real processes
_COMMANDS = ("open", "type", "type", "type", "save", "look", "ask", "ask", "leave", "crash")


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """That many interleavings, and every mistake until it is found."""
    begun = time.monotonic()
    totals: Counter[str] = Counter()
    waits: list[float] = []
    failures = tuple(trials(count, seed, scratch, totals, waits))
    if totals["confirmed saves"] < count:
        failures += (f"too little was saved to be lost: {totals['confirmed saves']} times (seed {seed})",)
    caught = {name: next(trials(MUTANT_TRIALS, seed, scratch, Counter(), [], plant), "") for name, plant in MUTANTS}
    notes = {name: f"{number:,}" for name, number in sorted(totals.items())}
    waits.sort()
    if waits:
        median, late = waits[len(waits) // 2], waits[min(len(waits) - 1, len(waits) * 99 // 100)]
        notes["taking over, p50 and p99"] = f"{median * 1000:.0f} ms, {late * 1000:.0f} ms"
    notes["seconds"] = f"{time.monotonic() - begun:.0f}"
    notes["mutants"] = ", ".join(f"{name}: {found.split(':')[0] or 'missed'}" for name, found in caught.items())
    return Outcome(NAME, count, failures, len(caught), sum(map(bool, caught.values())), notes=notes)


def trials(
    count: int,
    seed: int,
    scratch: Path,
    totals: Counter[str],
    waits: list[float],
    plant: Callable[[ExitStack], object] | None = None,
) -> Iterator[str]:
    """What was wrong in each trial. With a planted mistake only those in one process: they are enough to find it."""
    with asyncio.Runner() as runner, ExitStack() as stack:
        if plant is not None:
            plant(stack)
        for number in range(count):
            rnd = random.Random(f"{seed} {number}")
            folder = scratch / "windows"
            create(folder)
            real = plant is None and number % _REAL == 0
            totals["with real processes" if real else "in one process"] += 1
            wrong = _apart(folder, rnd, totals) if real else runner.run(_together(folder, rnd, totals, waits))
            state_dir = locations.state_dir(open_manuscript(folder).id)
            shutil.rmtree(folder)
            shutil.rmtree(state_dir)
            yield from (f"trial {number} of seed {seed}: {sentence}" for sentence in wrong)


def _plan(rnd: random.Random) -> Iterator[tuple[int, str, str, bool]]:
    """Window, command, its word, and whether its end is waited for."""
    yield 0, "open", "", True
    yield 1, "open", "", rnd.random() < 0.5
    for number in range(rnd.randrange(6, 20)):
        command = rnd.choice(_COMMANDS)
        yield rnd.randrange(2), command, f"a{number}" if command == "type" else "", rnd.random() < 0.6


# --- both windows in this process ----------------------------------------------------------------------------------


async def _together(folder: Path, rnd: random.Random, totals: Counter[str], waits: list[float]) -> list[str]:
    seats = [Seat(folder, f"{rnd.random()}") for _ in range(2)]
    running: list[asyncio.Task[dict[str, Any]]] = []
    wrong: list[str] = []
    for place, command, word, waited in _plan(rnd):
        task = asyncio.ensure_future(_timed(seats[place], command, word, waits))
        running.append(task)
        totals[f"{command}s"] += 1
        if waited:
            await task
        else:
            await asyncio.sleep(0)
        if all(seat.writes for seat in seats):
            wrong.append("two windows write at once")
    await asyncio.gather(*running)
    for seat in seats:
        await seat.do("leave")
        totals["confirmed saves"] += seat.facts()["saves"]
    return [*wrong, *_lost(folder, [seat.facts() for seat in seats])]


async def _timed(seat: Seat, command: str, word: str, waits: list[float]) -> dict[str, Any]:
    begun, wrote = time.monotonic(), seat.writes
    facts = await seat.do(command, word)
    if command == "ask" and seat.writes and not wrote:
        waits.append(time.monotonic() - begun)
    return facts


# --- each window in a process of its own ---------------------------------------------------------------------------


class _Process:
    """A window that can be killed."""

    def __init__(self, folder: Path, seed: str) -> None:
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(self._to)
                os.close(self._from)
                asyncio.run(serve(folder, seed, commands, answers))
            finally:
                os._exit(0)
        os.close(commands)
        os.close(answers)
        self._waiting = 0
        self._data = b""
        self.facts: dict[str, Any] = {"saves": 0, "kept": [], "deleted": [], "surprises": []}

    def send(self, command: str, word: str) -> None:
        os.write(self._to, json.dumps([command, word]).encode() + b"\n")
        self._waiting += 1

    def wait(self) -> None:
        """Until all that was sent has been answered."""
        while self._waiting:
            ready, _, _ = select.select([self._from], [], [], 60)
            chunk = os.read(self._from, 1 << 20) if ready else b""
            if not chunk:
                raise RuntimeError("a window fell silent")
            self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        *lines, self._data = (self._data + chunk).split(b"\n")
        for line in lines:
            self.facts = json.loads(line)
            self._waiting -= 1

    def kill(self) -> None:
        """At once; what it had said before counts."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        while chunk := os.read(self._from, 1 << 20):
            self._take(chunk)
        self.close()

    def close(self) -> None:
        os.close(self._to)
        os.close(self._from)

    def quit(self) -> None:
        self.send("leave", "")
        self.wait()
        self.send("end", "")
        os.waitpid(self.pid, 0)
        self.close()


def _apart(folder: Path, rnd: random.Random, totals: Counter[str]) -> list[str]:
    windows = [_Process(folder, f"{rnd.random()}") for _ in range(2)]
    facts: list[dict[str, Any]] = []
    for place, command, word, waited in _plan(rnd):
        if command == "crash":
            windows[place].kill()
            facts.append(windows[place].facts)
            windows[place] = _Process(folder, f"{rnd.random()}")
            totals["kills"] += 1
            continue
        windows[place].send(command, word)
        if waited:
            windows[place].wait()
    for window in windows:
        window.wait()
    for window in windows:
        window.quit()
        facts.append(window.facts)
    totals["confirmed saves"] += sum(fact["saves"] for fact in facts)
    return list(_lost(folder, facts))


# --- what must hold ------------------------------------------------------------------------------------------------


def _lost(folder: Path, facts: list[dict[str, Any]]) -> Iterator[str]:
    state_dir = locations.state_dir(open_manuscript(folder).id)
    kept = set(words((folder / CHAPTER).read_text()))
    for copy in (folder / "chapters").glob("* (*).md"):
        kept |= set(words(copy.read_text()))
    versions = Versions(state_dir / "versions")
    for version in versions.listing(CHAPTER):
        kept |= set(words(versions.read(version).decode()))
    deleted = {word for fact in facts for word in fact["deleted"]}
    for fact in facts:
        if lost := sorted(set(fact["kept"]) - deleted - kept):
            yield f"saved words are lost: {lost}"
        yield from fact["surprises"]


# --- mistakes that must be found -----------------------------------------------------------------------------------


def _no_lock(stack: ExitStack) -> None:
    """Does not lock."""
    stack.enter_context(mock.patch.object(lock.fcntl, "flock", return_value=None))


def _hasty(stack: ExitStack) -> None:
    """Lets go before it has saved."""
    stack.enter_context(mock.patch.object(Seat, "saves_before_leaving", False))


def _stale(stack: ExitStack) -> None:
    """Takes over with the text that it had read before, and keeps no versions."""
    stack.enter_context(mock.patch.object(Seat, "reads_when_opened", False))
    stack.enter_context(mock.patch.object(Versions, "keep", return_value=None))


def _blind(stack: ExitStack) -> None:
    """Saves a text that it had read before over whatever lies there."""
    _stale(stack)
    look = lambda self, known, path=None: (path or self._target).read_bytes()  # noqa: E731
    stack.enter_context(mock.patch.object(ChapterFile, "_unchanged", look))


MUTANTS: tuple[tuple[str, Callable[[ExitStack], None]], ...] = (
    ("does not lock", _no_lock),
    ("lets go before it has saved", _hasty),
    ("takes over with an old text", _stale),
    ("takes over and saves blindly", _blind),
)
