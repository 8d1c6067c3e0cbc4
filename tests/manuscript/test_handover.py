"""A second window takes over: real processes, the real lock, and bells that nobody hears."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conditions import wait_until

from writer.errors import ManuscriptLocked
from writer.manuscript import handover
from writer.manuscript.lock import ManuscriptLock, holder, take_over

STATE = "6a2f41de-0000-4000-8000-000000000001"

WINDOW = """
import asyncio, sys
from pathlib import Path
from writer.manuscript.handover import Bell, bell
from writer.manuscript.lock import ManuscriptLock

async def main(state, answers):
    lock = ManuscriptLock.take(state)
    left = asyncio.Event()
    ring = Bell(bell(state), lambda pid: left.set() if answers == "leaves" else None)
    if answers != "deaf":
        await ring.hang()
    print("held", flush=True)
    await left.wait()
    Path(state, "saved").write_text("all of it")
    ring.take_down()
    lock.release()
    print("left", flush=True)
    await asyncio.to_thread(sys.stdin.read)

asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
"""


@contextmanager
def window(state: Path, answers: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the manuscript."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WINDOW, str(state), answers]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_the_first_window_saves_and_lets_go(tmp_path: Path) -> None:
    state = tmp_path / STATE
    with window(state, "leaves") as first:
        take_over(state, 10)
        lock = ManuscriptLock.take(state)
        assert (state / "saved").read_text() == "all of it"
        assert holder(state) == os.getpid()
        assert first.poll() is None  # it stays open, to read
        lock.release()


@pytest.mark.parametrize("answers", ["deaf", "stays"])
def test_a_window_that_does_not_leave_keeps_the_lock(tmp_path: Path, answers: str) -> None:
    state = tmp_path / STATE
    said = "does not answer" if answers == "deaf" else "still saving"
    with window(state, answers) as first:
        with pytest.raises(ManuscriptLocked, match=said):
            take_over(state, 0.3)
        assert holder(state) == first.pid


def test_a_killed_windows_bell_is_in_nobodys_way(tmp_path: Path) -> None:
    state = tmp_path / STATE
    with window(state, "stays") as first:
        first.kill()
        first.wait()
        bell = handover.bell(state)
        assert bell is not None
        assert bell.exists()
        take_over(state, 5)  # nobody answers, and nobody holds it either
    with window(state, "leaves"):
        take_over(state, 10)
        wait_until(lambda: not bell.exists())


def test_one_that_is_just_leaving_is_waited_for(tmp_path: Path) -> None:
    lock = ManuscriptLock.take(tmp_path)
    thread = threading.Thread(target=take_over, args=(tmp_path, 10))
    thread.start()
    lock.release()
    thread.join(10)
    assert not thread.is_alive()
    ManuscriptLock.take(tmp_path).release()


def test_a_window_that_comes_in_between_is_asked_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[Path] = []
    held = [ManuscriptLock.take(tmp_path)]

    def ring(path: Path) -> bool:
        rung.append(path)
        held.pop().release()
        if len(rung) == 1:
            held.append(ManuscriptLock.take(tmp_path))
        return True

    monkeypatch.setattr(handover, "ring", ring)
    take_over(tmp_path, 10)
    assert len(rung) == 2


def test_a_window_on_another_computer_is_named_and_not_asked(tmp_path: Path) -> None:
    lock = ManuscriptLock.take(tmp_path)
    values = json.loads((tmp_path / "lock").read_text())
    (tmp_path / "lock").write_text(json.dumps({**values, "host": "attic"}))
    with pytest.raises(ManuscriptLocked, match="on the computer attic"):
        take_over(tmp_path, 5)
    lock.release()


async def test_a_bell_is_private_and_hears_only_what_it_knows(tmp_path: Path) -> None:
    rung: list[int] = []
    path = handover.bell(tmp_path / STATE)
    assert path is not None
    assert len(os.fsencode(path)) < 108
    ring = handover.Bell(path, rung.append)
    await ring.hang()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o077 == 0

    def say(words: bytes) -> bytes:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(5)
            line.connect(str(path))
            line.sendall(words)
            line.shutdown(socket.SHUT_WR)
            return line.recv(100)

    for words in (b"", b"\n", b"please", b"x" * 1000 + b"\n", b"\xff\x00\n"):
        assert await asyncio.to_thread(say, words) == b""
    assert rung == []
    assert await asyncio.to_thread(say, b"please leave\n") == b"coming\n"
    assert rung == [os.getpid()]
    ring.take_down()
    ring.take_down()
    assert not path.exists()


async def test_where_no_bell_can_hang_writing_goes_on(tmp_path: Path) -> None:
    for path in (None, tmp_path / "missing" / "bell", tmp_path / ("b" * 150)):
        ring = handover.Bell(path, lambda pid: None)
        await ring.hang()
        ring.take_down()


async def test_a_stranger_is_not_heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[int] = []
    path = handover.bell(tmp_path / STATE)
    assert path is not None
    ring = handover.Bell(path, rung.append)
    await ring.hang()
    monkeypatch.setattr(handover, "_peer", lambda line: (1, os.geteuid() + 1, 0))
    assert not await asyncio.to_thread(handover.ring, path)
    assert rung == []
    ring.take_down()
