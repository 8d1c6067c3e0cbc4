"""The machine's sleep: told by logind, or noticed by the clocks; the lock is let go in time, whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from writer.runtime import logind, power
from writer.runtime.clocks import Clocks, gap
from writer.runtime.logind import Lock, Logind
from writer.runtime.power import Power

HOUR = 3600.0
NOWHERE = {logind.ADDRESS: "unix:path=/nowhere/at/all"}


# --- the clocks


@pytest.mark.parametrize(
    ("monotonic", "boottime", "realtime", "woke", "stopped"),
    [
        (1.0, 1.0, 1.0, False, False),
        (1.0, 1.0 + 8 * HOUR, 1.0 + 8 * HOUR, True, False),  # a night
        (1.0, 3.5, 3.5, True, False),  # a nap
        (1.0, 2.0, 2.0, False, False),  # rounding
        (HOUR, HOUR, HOUR, False, True),  # SIGSTOP: all clocks go on
        (HOUR, HOUR + 60, HOUR + 60, True, True),
        (1.0, 1.0, 121.0, True, False),  # WSL: its time is set once it is awake
        (1.0, 1.0, 6.0, False, False),  # the time is set a little
        (1.0, 1.0, 1.0 - HOUR, False, False),  # and back
    ],
)
def test_what_the_clocks_tell(monotonic: float, boottime: float, realtime: float, woke: bool, stopped: bool) -> None:
    seen = gap(Clocks(5, 7, 9), Clocks(5 + monotonic, 7 + boottime, 9 + realtime), 1.0)
    assert seen.woke is woke
    assert bool(seen.stopped) is stopped


def test_the_real_clocks_tell_of_no_sleep_now() -> None:
    before = Clocks.now()
    assert not gap(before, Clocks.now(), 0.0).woke


# --- who is called, and how often


class Sleeper:
    """A Power without a bus, whose clocks can be set, and what it called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, seconds in (("HEARTBEAT", 0.01), ("BUDGET", 0.05), ("_LATEST", 0.1), ("_NO_SLEEP", 30.0)):
            monkeypatch.setattr(power, name, seconds)
        self.calls: list[str] = []
        self.ahead = self.on = 0.0
        self.power = Power(self.on_sleep, self.on_wake, environ=NOWHERE, look=self.look)
        reader, self.fd = os.pipe()
        self.reader = reader
        self.power._logind.lock.hold(self.fd)

    def look(self) -> Clocks:
        now = Clocks.now()
        return Clocks(now.monotonic + self.on, now.boottime + self.on + self.ahead, now.realtime)

    async def on_sleep(self) -> None:
        self.calls.append("sleep")

    async def on_wake(self) -> None:
        self.calls.append("wake")

    def released(self, seconds: float) -> bool:
        """Whether the lock is let go within that time; asks the other end of its pipe."""
        import select

        return bool(select.select([self.reader], [], [], seconds)[0])


@pytest.fixture
def sleeper(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sleeper]:
    made = Sleeper(monkeypatch)
    yield made
    made.power._logind.lock.release()
    os.close(made.reader)


async def until(true: object, what: str) -> None:
    end = time.monotonic() + 10
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end, what
        await asyncio.sleep(0.005)


async def settled(sleeper: Sleeper) -> None:
    """All that was called has ended."""
    await until(lambda: not sleeper.power._works, "the works end")


async def beats(sleeper: Sleeper, count: int = 5) -> None:
    """So many heartbeats go by."""
    seen = 0
    last = sleeper.power._last
    while seen < count:
        await asyncio.sleep(0.005)
        seen, last = seen + (sleeper.power._last is not last), sleeper.power._last


async def test_a_jump_of_the_clocks_is_a_wake(sleeper: Sleeper) -> None:
    sleeper.power.start()
    await beats(sleeper)
    assert sleeper.calls == []
    sleeper.ahead = HOUR
    await until(lambda: sleeper.calls, "the wake is noticed")
    await beats(sleeper)
    assert sleeper.calls == ["wake"]
    sleeper.power.stop()


async def test_a_sleep_that_is_told_is_called_before_and_after_and_only_once(sleeper: Sleeper) -> None:
    sleeper.power.start()
    sleeper.power._said(True)
    sleeper.power._said(True)
    await settled(sleeper)
    assert sleeper.calls == ["sleep"]
    assert sleeper.power.asleep
    assert sleeper.released(0)
    sleeper.ahead = HOUR
    await beats(sleeper)
    sleeper.power._said(False)
    await settled(sleeper)
    assert sleeper.calls == ["sleep", "wake"]
    sleeper.power._said(True)
    await settled(sleeper)
    assert sleeper.calls == ["sleep", "wake", "sleep"], "the next sleep counts, however soon it comes"
    sleeper.power.stop()


async def test_a_wake_before_the_work_of_falling_asleep_has_ended_comes_after_it(sleeper: Sleeper) -> None:
    sleeper.power._said(True)
    sleeper.power._said(False)
    await settled(sleeper)
    assert sleeper.calls == ["sleep", "wake"]


async def test_a_sleep_that_does_not_come_ends_by_itself(sleeper: Sleeper) -> None:
    sleeper.power.start()
    sleeper.power._said(True)
    await beats(sleeper)
    assert sleeper.calls == ["sleep"]
    sleeper.on = 31.0  # seconds go by, awake
    await until(lambda: "wake" in sleeper.calls, "it is taken for a wake")
    sleeper.power.stop()


async def test_the_lock_is_released_though_the_work_hangs(sleeper: Sleeper) -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    sleeper.power._on_sleep = hang
    sleeper.power._said(True)
    await settled(sleeper)
    assert sleeper.released(0)


async def test_the_lock_is_released_though_the_loop_is_stuck(sleeper: Sleeper) -> None:
    """In a slow disk, say. Looked at from within the stuck call: only another thread can have let go."""
    seen = []

    async def stuck() -> None:
        seen.append(sleeper.released(5.0))

    sleeper.power._on_sleep = stuck
    sleeper.power._said(True)
    await settled(sleeper)
    assert seen == [True]


async def test_an_error_before_the_sleep_is_logged_and_the_lock_released(
    sleeper: Sleeper, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        raise RuntimeError("planted")

    sleeper.power._on_sleep = fail
    with caplog.at_level(logging.ERROR):
        sleeper.power._said(True)
        await settled(sleeper)
        await asyncio.sleep(0)
    assert sleeper.released(0)
    assert "planted" in caplog.text


async def test_nothing_is_left_after_stop(sleeper: Sleeper) -> None:
    before = asyncio.all_tasks()
    sleeper.power.start()
    await beats(sleeper)
    sleeper.power._said(True)
    sleeper.power.stop()
    await settled(sleeper)
    assert asyncio.all_tasks() == before
    assert sleeper.released(0)
    sleeper.ahead = HOUR
    await asyncio.sleep(0.05)  # some heartbeats, if there were any left
    assert sleeper.calls == []


def test_the_promise_is_half_a_second() -> None:
    assert power.BUDGET < power._LATEST < 0.5


# --- the lock and the bus


def test_a_lock_is_kept_from_children_and_released_once() -> None:
    """An engine that inherited it would delay every sleep by seconds."""
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    lock = Lock()
    lock.hold(writer)
    assert lock.held
    assert not os.get_inheritable(writer)
    lock.release()
    lock.release()
    assert not lock.held
    assert os.read(reader, 1) == b""
    os.close(reader)


@pytest.mark.parametrize("address", ["unix:path=/nowhere/at/all", "tcp:host=localhost,port=1", "", "rubbish"])
async def test_without_a_bus_nothing_is_even_imported(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def never() -> None:
        raise AssertionError("there is nothing to connect to")

    monkeypatch.setattr(logind, "_library", never)
    monkeypatch.setattr(logind, "_DEFAULT", "unix:path=/nowhere/either")
    assert not await Logind(lambda sleep: None, {logind.ADDRESS: address}).connect()


@pytest.mark.parametrize("says", [b"", b"rubbish\r\n", b"REJECTED EXTERNAL\r\n", b"OK 1234\r\nAGREE_UNIX_FD\r\n"])
async def test_a_bus_that_answers_nothing_or_rubbish_is_given_up(
    says: bytes, home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logind, "LIMIT", 0.1)
    path = Path(home["XDG_RUNTIME_DIR"]) / "bus"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(says)
        with contextlib.suppress(ConnectionError):
            while await reader.read(4096):
                pass
        writer.close()

    server = await asyncio.start_unix_server(answer, path)
    bus = Logind(lambda sleep: None, {logind.ADDRESS: f"unix:path={path}"})
    async with asyncio.timeout(10):
        assert not await bus.connect()
    assert not bus.connected
    assert not bus.lock.held
    server.close()


async def test_a_bus_that_has_no_room_for_us_is_given_up(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logind, "LIMIT", 0.1)
    path = Path(home["XDG_RUNTIME_DIR"]) / "bus"
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as other:
        listener.bind(str(path))
        listener.listen(0)
        other.connect(str(path))
        async with asyncio.timeout(10):
            assert not await Logind(lambda sleep: None, {logind.ADDRESS: f"unix:path={path}"}).connect()
