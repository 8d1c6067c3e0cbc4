"""Payloads at every place that shows foreign text: nothing but our own sequences may reach the terminal.

Each place runs in a pseudo-terminal of its own (escape_app.py); all that it sends is parsed (escape_grammar.py), and
every payload must have been painted. The mutants take the cleaning away, once for each place: a place where that is
not seen would prove nothing. Besides, many invented strings go through the gate itself.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import random
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from escape_grammar import BAR, COLUMNS, COPIED, ROWS, copied, foreign
from escape_outside import OUTSIDE
from escape_payloads import payloads
from escape_screens import SCREENS
from outcome import Outcome
from rich.console import Console
from rich.segment import Segment
from textual.strip import Strip

from writer.manuscript.project import create
from writer.tui.gate import close_gate

NAME, FULL, ROOT = "escapes", 1000, False
PLACES = (*SCREENS, *OUTSIDE)
ALSO = {"copying": COPIED, "bar": BAR, "events": rb"\t"}  # a tab is text where no screen is painted
SHOWN_BY_MUTANTS = 24
FUZZED = 100  # strings through the gate for each payload
_APP = Path(__file__).resolve().parent / "escape_app.py"


@dataclass(frozen=True, slots=True)
class Shown:
    """What came of showing payloads at one place."""

    place: str
    output: bytes
    foreign: list[str]
    wrong: list[str]


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """`count` payloads at each place; every place without cleaning; the gate alone off where nothing else cleans."""
    texts = payloads(count, seed)
    mutants = [(place, "all") for place in PLACES] + [("ask", "gate")]
    with ThreadPoolExecutor(max(2, min(4, len(os.sched_getaffinity(0))))) as pool:
        honest = list(pool.map(lambda place: show(place, texts, "", scratch), PLACES))
        leaky = list(pool.map(lambda each: show(each[0], texts[:SHOWN_BY_MUTANTS], each[1], scratch), mutants))
    failures = [f"{shown.place}: {what} (seed {seed})" for shown in honest for what in _failures(shown)]
    failures += (f"the gate lets {what} pass (seed {seed})" for what in _through_the_gate(count * FUZZED, seed))
    missed = [f"{shown.place} ({plant})" for shown, (_, plant) in zip(leaky, mutants, strict=True) if not shown.foreign]
    notes = {
        "places": str(len(PLACES)),
        "payloads at each": f"{count:,}",
        "bytes parsed": f"{sum(len(shown.output) for shown in honest):,}",
        "strings through the gate": f"{count * FUZZED:,}",
    } | ({"mutants missed": ", ".join(missed)} if missed else {})
    caught = len(mutants) - len(missed)
    return Outcome(NAME, count * len(PLACES), tuple(failures), len(mutants), caught, notes=notes)


def show(place: str, texts: Sequence[str], plant: str, scratch: Path) -> Shown:
    """Runs one place in a terminal until it has shown them all."""
    folder = scratch / f"{place}-{plant}"
    folder.mkdir()
    create(folder / "m", title="T")
    file = folder / "payloads.json"
    file.write_text(json.dumps(texts))
    home = {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("CONFIG", "STATE", "DATA", "CACHE")}
    code, output = _in_terminal([sys.executable, str(_APP), str(folder / "m"), place, str(file), plant], home)
    found = foreign(output, ALSO.get(place, b""))
    return Shown(place, output, found, [] if plant else list(_not_shown(place, texts, file, code, output)))


def _failures(shown: Shown) -> Iterator[str]:
    if shown.foreign:
        yield f"{len(shown.foreign)} foreign bytes, as in {'; '.join(shown.foreign[:5])}"
    yield from shown.wrong


def _not_shown(place: str, texts: Sequence[str], file: Path, code: int, output: bytes) -> Iterator[str]:
    """Why this run proves nothing, if it does not."""
    if code != 0:
        log = file.parent / "STATE" / "writer" / "log" / "app.log"
        told = log.read_text()[-1500:] if log.exists() else repr(output[-300:])
        yield f"it ended with {code}: {told}"
    unseen = Path(f"{file}.unseen")
    if place in SCREENS:
        marks = json.loads(unseen.read_text()) if unseen.exists() else ["none of them"]
    else:
        marks = [mark for text in texts if (mark := text.partition(".")[0] + ".").encode() not in output]
    if marks:
        yield f"not painted: {', '.join(marks[:9])}"
    if place == "copying":
        lines = {line for text in copied(output) for line in text.split("\n")}
        changed = [text for text in texts if text.encode("utf-8", "replace").decode() not in lines]
        if changed:
            yield f"not copied as it is: {changed[:5]}"


def _in_terminal(command: list[str], home: dict[str, str]) -> tuple[int, bytes]:
    """Exit code and all output of a program on a terminal of its own."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    kind = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_ANIMATIONS": "none"}
    child = subprocess.Popen(
        command, stdin=its, stdout=its, stderr=its, env=os.environ | kind | home, start_new_session=True
    )
    os.close(its)
    output = b""
    try:
        while data := os.read(ours, 65536):
            output += data
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    return child.wait(), output


def _through_the_gate(count: int, seed: int) -> Iterator[str]:
    """What of invented strings comes out of a row of segments. The first few are told."""
    close_gate()
    rnd, console = random.Random(seed), Console(force_terminal=True, color_system="truecolor")
    some = [
        *range(0xA1),
        *range(0x2000, 0x2070),
        *range(0xD800, 0xD900),
        *range(0xFE00, 0x10000),
        *range(0x1F600, 0x1F650),
    ]
    found = 0
    for _ in range(count):
        text = "".join(map(chr, rnd.choices(some, k=rnd.randint(1, 12))))
        if foreign(Strip([Segment(text)]).render(console).encode("utf-8", "replace")):
            found += 1
            if found < 10:
                yield repr(text)
