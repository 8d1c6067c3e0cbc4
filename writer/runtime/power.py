"""The machine's sleep: told by logind where there is one, noticed by the clocks everywhere. Never blocks, never fails.

before   on_sleep(): nothing streams, all is committed; then the inhibitor lock is released, 0.5 s later at most
after    on_wake(): once for each sleep, whoever tells first; then a new lock is taken

Runs on timers of the writing thread's loop, without a task of its own while nothing happens.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping

from writer.runtime.clocks import Clocks, gap
from writer.runtime.logind import Logind

HEARTBEAT = 1.0  # seconds between two looks at the clocks
BUDGET = 0.3  # seconds for `on_sleep`; logind itself gives five, to all programs together
_LATEST = 0.35  # seconds after which the lock is released even if our loop is stuck in a slow disk
_NO_SLEEP = 30.0  # seconds awake after "the machine goes to sleep": then it did not
_ONE_WAKE = 10.0  # seconds in which a second sign of the same wake may come
_RETRY = 60.0  # seconds between two tries to get an inhibitor lock
_log = logging.getLogger(__name__)

Then = Callable[[], Awaitable[None]]


class Power:
    """Calls `on_sleep` and `on_wake`, from `start` to `stop`. All in the thread of the running loop."""

    def __init__(
        self,
        on_sleep: Then,
        on_wake: Then,
        *,
        environ: Mapping[str, str] = os.environ,
        look: Callable[[], Clocks] = Clocks.now,
    ) -> None:
        self._on_sleep = on_sleep
        self._on_wake = on_wake
        self._look = look
        self._logind = Logind(self._said, environ)
        self._works: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._last = Clocks(0, 0, 0)
        self._asleep_since: float | None = None  # by the monotonic clock, as the next two
        self._woke_at = -_ONE_WAKE
        self._try_at = 0.0

    @property
    def asleep(self) -> bool:
        """Whether a sleep has been told and no wake since."""
        return self._asleep_since is not None

    @property
    def inhibiting(self) -> bool:
        """Whether the machine's sleep would wait for us."""
        return self._logind.lock.held

    def start(self) -> None:
        """Begins to listen; the first word from logind comes some time after the first heartbeat."""
        self._last = self._look()
        self._again()

    def stop(self) -> None:
        """Hears nothing any more, and holds up no sleep."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for work in self._works:
            work.cancel()
        self._logind.close()

    # --- signs -------------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        now = self._look()
        seen = gap(self._last, now, HEARTBEAT)
        self._last = now
        if seen.stopped:
            _log.info("this process stood still for %.1f s", seen.stopped)
        if seen.woke:
            _log.info("the machine slept: %s", seen)
            self._woke()
        elif self._asleep_since is not None and now.monotonic - self._asleep_since > _NO_SLEEP:
            self._woke()
        if not self.asleep and not self.inhibiting and now.monotonic >= self._try_at:
            self._try_at = now.monotonic + _RETRY
            self._work(self._reach())
        self._again()

    def _again(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(HEARTBEAT, self._beat)

    def _said(self, sleep: bool) -> None:
        if not sleep:
            self._woke()
        elif self._asleep_since is None:
            self._asleep_since = self._look().monotonic
            self._work(self._fall_asleep())

    def _woke(self) -> None:
        now = self._look().monotonic
        told, self._asleep_since = self._asleep_since is not None, None
        if told or now - self._woke_at >= _ONE_WAKE:
            self._woke_at = now
            self._work(self._wake_up())

    # --- what follows ------------------------------------------------------------------------------------------

    async def _fall_asleep(self) -> None:
        latest = threading.Timer(_LATEST, self._logind.lock.release)
        latest.daemon = True
        latest.start()
        try:
            async with self._turn, asyncio.timeout(BUDGET):
                await self._on_sleep()
        except TimeoutError:
            _log.warning("the machine goes to sleep before all is done")
        finally:
            latest.cancel()
            self._logind.lock.release()

    async def _wake_up(self) -> None:
        async with self._turn:  # not before the work of falling asleep has ended
            await self._on_wake()
        await self._logind.inhibit()

    async def _reach(self) -> None:
        """A connection, or only a lock if logind was not there yet or refused it."""
        if self._logind.connected:
            await self._logind.inhibit()
        else:
            await self._logind.connect()

    def _work(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._works.add(task)
        task.add_done_callback(self._worked)

    def _worked(self, task: asyncio.Task[None]) -> None:
        self._works.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.error("what follows from the machine's sleep failed", exc_info=error)
