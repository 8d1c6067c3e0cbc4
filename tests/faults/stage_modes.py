"""File modes under umask 000: nothing that is made anywhere can be read or entered by anyone but its owner.

The journey (journey.py) is made with an umask that forbids nothing, by a system whose own folders are open; every file,
folder and socket is looked at while things run and afterwards, and which ports are listened on. `count` is how many
journeys are made; a trial is a file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from journey import Journey
from outcome import Outcome

NAME, FULL, ROOT, CI = "modes", 1, False, 1
OWNER_ONLY = 0o077
PLANTS: dict[str, Callable[[Journey], None]] = {"no umask": Journey.exports, "open log": Journey.app_alone}


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """Every file of `count` journeys, and every mistake in a part of one."""
    before = os.umask(0)
    try:
        wrong: list[str] = []
        seen: set[str] = set()
        for number in range(count):
            found, open_ones = _looked_at(scratch / f"{number}", "", Journey.run)
            seen |= {f"{number}/{path}" for path in found}
            wrong += open_ones
        caught = [plant for plant, part in PLANTS.items() if _looked_at(scratch / plant, plant, part)[1]]
    finally:
        os.umask(before)
    return Outcome(NAME, len(seen), tuple(wrong), len(PLANTS), len(caught), notes={"files": str(len(seen))})


def _looked_at(root: Path, plant: str, part: Callable[[Journey], None]) -> tuple[set[str], list[str]]:
    """What was made, and what of it others can read."""
    root.mkdir(mode=0o755)
    seen: set[str] = set()
    wrong: dict[str, str] = {}

    def watch() -> None:
        for path in journey.files():
            name = str(path.relative_to(root))
            try:
                mode = path.lstat().st_mode
            except FileNotFoundError:  # a temporary one
                continue
            seen.add(name)
            if mode & OWNER_ONLY and not stat.S_ISLNK(mode) and name not in journey.made_here:
                wrong[name] = f"{name} has mode {stat.filemode(mode)}"
        if ports := _listening(set(journey.processes())):
            wrong["ports"] = f"ports are listened on: {ports}"

    journey = Journey(root, watch, plant)
    try:
        part(journey)
    except AssertionError as error:
        wrong["journey"] = f"the journey: {error}"
    watch()
    return seen, list(wrong.values())


def _listening(pids: set[int]) -> list[str]:
    """Local addresses (hexadecimal, as the kernel gives them) that these processes listen on over TCP."""
    sockets = {link for pid in pids for link in _open_sockets(pid)}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                found.append(fields[1])
    return found


def _open_sockets(pid: int) -> set[str]:
    try:
        return {os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:  # it has ended
        return set()
