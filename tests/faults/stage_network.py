"""No network: everything runs in a network namespace that holds only the loopback, and no call may try to leave it.

The first part is a journey through all commands, the app and an engine's keeper (journey.py); it may not listen on a
port either. Further parts are the tests of the rooms that start processes or speak to servers. `count` is how many
parts are run. A try that fails because there is no network counts all the same: each call is seen by strace.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from app_plants import environ_with
from network_trace import Traced, traced, unusable
from outcome import Outcome

HERE = Path(__file__).resolve().parent
JOURNEY = (sys.executable, str(HERE / "journey.py"))
TESTS = (
    sys.executable,
    "-m",
    "pytest",
    "-q",
    "-x",
    "-p",
    "no:cacheprovider",
    "-m",
    "not engine",
    "-k",
    "not suspended",
)
"""A process that is traced does not stop as others do."""
ROOMS = ("cli", "doctor", "storage", "manuscript", "engine", "runtime", "tui/test_terminal.py")
"""Parts of the suite, after the journey."""
NAME, FULL, ROOT, CI = "network", 1 + len(ROOMS), False, 1
_SAY = "import socket; "
MUTANTS = {
    "an address": f"{_SAY}socket.create_connection(('192.0.2.1', 443), 1)",
    "a name": f"{_SAY}socket.getaddrinfo('hub.example.org', 443)",
    "a datagram": f"{_SAY}socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "IPv6": f"{_SAY}socket.socket(socket.AF_INET6).connect(('2001:db8::1', 80))",
    "a port": f"{_SAY}s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()",
}


def run(count: int, seed: int, scratch: Path) -> Outcome:
    """The first `count` parts, and programs that do what none of ours may."""
    mutants = [*MUTANTS, "telemetry", "download"]
    if reason := unusable():
        return Outcome(NAME, 0, (), len(mutants), 0, skipped=reason)
    failures: list[str] = []
    calls = parts = 0
    for part in ("journey", *ROOMS)[:count]:
        root = scratch / part.replace("/", "-")
        root.mkdir()
        command = (*JOURNEY, str(root)) if part == "journey" else (*TESTS, f"tests/{part}")
        seen = traced(command, scratch / "calls.log", os.environ)
        parts, calls = parts + 1, calls + seen.calls
        failures += (f"{part}: {what}" for what in _wrong(seen, may_listen=part != "journey"))
    caught = [
        name
        for name, code in MUTANTS.items()
        if _is_seen(traced((sys.executable, "-c", code), scratch / "m.log", os.environ))
    ]
    caught += ["telemetry"] if _telemetry_is_seen(scratch) else []
    caught += ["download"] if _download_is_seen(scratch) else []
    notes = {"parts": str(parts), "calls looked at": f"{calls:,}"}
    return Outcome(NAME, parts, tuple(failures), len(mutants), len(caught), notes=notes)


def _wrong(seen: Traced, *, may_listen: bool) -> list[str]:
    wrong = [f"it would leave this machine: {line[-200:]}" for line in dict.fromkeys(seen.outside)]
    if not may_listen:
        wrong += [f"it listens on a port: {line[-200:]}" for line in dict.fromkeys(seen.listening)]
    if seen.code != 0:
        wrong.append(f"it ended with {seen.code}: {seen.output[-1500:]}")
    if not seen.calls:
        wrong.append("nothing was seen at all")
    return wrong


def _is_seen(seen: Traced) -> bool:
    return bool(seen.outside or seen.listening)


def _telemetry_is_seen(scratch: Path) -> bool:
    """A command of ours with a report to someone in it."""
    command = (sys.executable, "-m", "writer", "models", "list")
    return _is_seen(traced(command, scratch / "t.log", environ_with("telemetry", dict(os.environ))))


def _download_is_seen(scratch: Path) -> bool:
    """The one command of ours that goes out, when its user tells it to."""
    command = (sys.executable, "-m", "writer", "models", "add", "org/tale", "--yes")
    places = {f"XDG_{kind}_HOME": str(scratch / "d") for kind in ("CONFIG", "STATE", "DATA", "CACHE")}
    environ = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    return _is_seen(traced(command, scratch / "d.log", environ | places | {"HF_ENDPOINT": "http://192.0.2.1"}))
