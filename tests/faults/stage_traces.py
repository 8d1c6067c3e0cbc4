"""What a journey leaves behind: the author's text only where it belongs, the server's key nowhere, no core dumps.

The text of the author, of an instruction and of the model is looked for in every file but those that are made to hold
it; the key is looked for in all of them and on every command line. `count` is how many journeys are made; a trial is
a file or a process that was looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path

from journey import KEY, TEXT, Journey
from outcome import Outcome

NAME, FULL, ROOT, CI = "traces", 1, False, 1
HOLD_TEXT = (
    "novel/*",
    "t/exported/*",
    "t/backup.db",
    "s/writer/*-*/state.db*",
    "s/writer/*-*/copies/*.db",
    "s/writer/*-*/backups/*.db",
    "s/writer/*-*/versions/*",
    "s/writer/*-*/saving/*",
    "s/writer/*-*/.look-*",
    "r/writer/clipboard.txt",
)
"""Files that are made to hold the author's text."""
PLANTS: dict[str, Callable[[Journey], None]] = {
    "text in log": Journey.app_alone,
    "key in log": Journey.remote_alone,
    "cores": Journey.app_alone,
}
_OURS = ("-m writer", "fake_vllm.py")


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """`count` journeys, and every mistake in a part of one."""
    looks = [_looked_at(scratch / f"{number}", "", Journey.run) for number in range(count)]
    caught = [plant for plant, part in PLANTS.items() if _looked_at(scratch / plant, plant, part)[1]]
    wrong = tuple(what for _, found in looks for what in found)
    missed = ", ".join(PLANTS.keys() - set(caught))
    notes = {"mutants missed": missed} if missed else {}
    return Outcome(NAME, sum(seen for seen, _ in looks), wrong, len(PLANTS), len(caught), notes=notes)


def _looked_at(root: Path, plant: str, part: Callable[[Journey], None]) -> tuple[int, list[str]]:
    """How many files and processes were looked at, and what is wrong with them."""
    root.mkdir()
    pids: set[int] = set()
    wrong: list[str] = []

    def watch() -> None:
        for pid, (line, _) in journey.processes().items():
            pids.add(pid)
            wrong.extend(_of_process(pid, line))

    journey = Journey(root, watch, plant)
    try:
        part(journey)
    except AssertionError as error:
        wrong.append(f"the journey: {error}")
    files = [path for path in journey.files() if path.is_file()]
    for path in files:
        name = str(path.relative_to(root))
        wrong += (f"{name} holds {what}" for what in _found_in(path.read_bytes(), name, journey.said))
    return len(files) + len(pids), list(dict.fromkeys(wrong))


def _of_process(pid: int, line: str) -> Iterator[str]:
    if KEY in line or TEXT in line:
        yield f"a command line tells it: {line}"
    if any(word in line for word in _OURS):
        try:
            limits = Path(f"/proc/{pid}/limits").read_text().splitlines()
        except OSError:  # it has ended
            return
        if not any(limit.startswith("Max core file size") and limit.split()[4:6] == ["0", "0"] for limit in limits):
            yield f"it may leave a core dump: {line}"


def _found_in(data: bytes, name: str, said: str) -> Iterator[str]:
    if KEY.encode() in data:
        yield "the key"
    if any(fnmatch(name, pattern) for pattern in HOLD_TEXT):
        return
    if TEXT.encode() in data:
        yield "the author's text"
    pieces = (said[at : at + 24] for at in range(0, max(0, len(said) - 24), 24))
    if any(piece.encode() in data for piece in pieces):
        yield "the model's text"
