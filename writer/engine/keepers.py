"""All keepers of this user: found, started, and cleaned up after when they were killed.

Whoever starts or cleans holds the lock of the runtime folder, so that two windows never start the same engine.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import ParamSpec, TypeVar

import writer
from writer import locations
from writer.engine import leftovers, proc
from writer.engine.control import Control
from writer.engine.keeper_state import KeeperFolder, Order, read_note, write_order
from writer.errors import EngineBusy, EngineStartFailed
from writer.language import say, spoken

P = ParamSpec("P")
T = TypeVar("T")
KEEPER = "writer.engine.keeper"  # the module that is run
_LOCK_PATIENCE = 60.0  # seconds; a start holds the lock for less than one, a clean-up for less than ten
_KEPT_LOGS = 3
_STOP_PATIENCE = 20.0  # seconds after which a keeper that was told to stop is wedged


def folder_of(fingerprint: str) -> KeeperFolder:
    """The folder of this launch's keeper, private to its owner."""
    runtime = _checked(locations.runtime_dir())
    return KeeperFolder(_checked(locations.private(runtime / fingerprint)))


def all_folders() -> list[KeeperFolder]:
    """Folders of all keepers, living or dead."""
    runtime = _checked(locations.runtime_dir())
    return [KeeperFolder(path) for path in sorted(runtime.iterdir()) if path.is_dir() and len(path.name) == 8]


def _checked(folder: Path) -> Path:
    """The folder, if nobody else could have laid it there or can look into it."""
    found = folder.lstat()
    if found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode):
        raise EngineStartFailed(
            say("{folder} belongs to another user. Set XDG_RUNTIME_DIR to a folder of your own.", folder=folder)
        )
    if found.st_mode & 0o077:
        folder.chmod(0o700)
    return folder


@asynccontextmanager
async def lock() -> AsyncIterator[None]:
    """Exclusive among all windows of this user; the kernel lifts it if its holder dies. Raises EngineBusy."""
    handle = os.open(_checked(locations.runtime_dir()) / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + _LOCK_PATIENCE
    try:
        while not _try_lock(handle):
            if time.monotonic() > deadline:
                raise EngineBusy(
                    say("Another writer window has been starting an engine for a minute. Close it, or wait.")
                )
            await asyncio.sleep(0.05)
        yield
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


async def to_its_end(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """`asyncio.to_thread`, but a cancel is obeyed only once the call has ended: it works under the lock."""
    task = asyncio.ensure_future(asyncio.to_thread(call, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait({task})
        task.exception()  # nobody is left to hear of it
        raise


def start(folder: KeeperFolder, order: Order) -> None:
    """Start a keeper; it takes connections when this returns (about 0.1 s). Hold the lock.

    Raises EngineStartFailed, OSError.
    """
    try:
        write_order(folder, order)
        _run_keeper(folder, order.log_file)
    finally:
        folder.launch_file.unlink(missing_ok=True)  # the keeper has read it; it holds the whole environment


def _run_keeper(folder: KeeperFolder, log: Path) -> None:
    _rotate(log)
    handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    root = str(Path(writer.__file__).parents[1])
    search = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH", ""))))
    try:
        done = subprocess.run(  # returns at once: the keeper detaches itself
            [sys.executable, "-P", "-m", KEEPER, str(folder.path)],
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=handle,
            start_new_session=True,
            cwd="/",
            env=os.environ | {"PYTHONPATH": search, "WRITER_LANGUAGE": spoken()},  # what it says, we show
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineStartFailed(say("The engine's keeper cannot be started. Try again."), detail=str(error)) from None
    finally:
        os.close(handle)
    if done.returncode:
        raise EngineStartFailed(say("The engine's keeper cannot be started. Look into {log}.", log=log))


def _rotate(log: Path) -> None:
    for number in range(_KEPT_LOGS - 1, 0, -1):
        older = log if number == 1 else log.with_suffix(f".{number - 1}.log")
        if older.exists():
            older.replace(log.with_suffix(f".{number}.log"))


def clean(folder: KeeperFolder, *, wait: float = _STOP_PATIENCE) -> proc.Sweep:
    """See to it that nothing of this folder's keeper is left: waits for one that is ending, kills one that hangs.

    Blocks for up to `wait` and the few seconds that killing takes. Hold the lock. Raises EngineBusy if something
    survives SIGKILL.
    """
    note = read_note(folder)
    if note is None:
        folder.clear()
        return proc.Sweep(0, ())
    deadline = time.monotonic() + wait
    while note.alive() and time.monotonic() < deadline:
        time.sleep(0.02)
    if note.alive() and (keeper := proc.look(note.pid)):
        proc.end(keeper, signal.SIGKILL)
        while note.alive():
            time.sleep(0.01)
    swept = proc.kill_session(note.pid, note.boot, note.ticks, mark=note.mark, grace=0.5)
    if swept.left:
        raise EngineBusy(
            say(
                "An engine process ({left}) cannot be ended, so it still holds its memory. Restart the machine.",
                left=swept.left[0],
            )
        )
    leftovers.remove_recorded(folder)
    folder.clear()
    return swept


async def stop(folder: KeeperFolder) -> bool:
    """End this folder's engine and all that is left of it; whether there was one. Hold the lock. Raises EngineBusy."""
    alive = (note := read_note(folder)) is not None and note.alive()
    if control := await Control.open(folder, {"op": "status"}):
        with suppress(OSError):
            await control.send({"op": "stop"})
            await control.ended(_STOP_PATIENCE)
        await control.close()
    await to_its_end(clean, folder, wait=1.0 if alive and not control else _STOP_PATIENCE)
    return alive
