"""The keeper: the only parent of the engine. It outlives the app, so that a resume finds a warm prefix cache.

`python -m writer.engine.keeper FOLDER`, with the launch in FOLDER. Each connected window holds a lease; when the
last one has gone, the engine stays for `keep_warm` seconds and then all of it is ended. Nothing here may import more
than the standard library and its neighbours, and nothing may block the loop for longer than a health check.
"""

from __future__ import annotations

import os
import resource
import selectors
import signal
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from types import FrameType
from typing import Any

from writer.engine import faults, proc, progress
from writer.engine.keeper_engine import EngineProcess
from writer.engine.keeper_server import Client, ControlServer, Message, listen
from writer.engine.keeper_state import PROTOCOL, KeeperFolder, Note, Order, read_note, read_order, write_note
from writer.language import say

_TICK_STARTING = 0.1  # seconds between looks at log and health
_TICK_READY = 5.0
_LAST_WORDS = 5.0  # seconds for an engine that failed to start to say why and end
_FIRST_WORDS = 5.0  # seconds in which whoever starts a keeper asks for its lease
_FIRST_LEASE = 15.0  # seconds that a starting engine waits for its first window


class Keeper:
    """One engine, its leases, and the loop that watches both."""

    def __init__(self, folder: KeeperFolder, order: Order, note: Note, control: Any) -> None:
        self._folder = folder
        self._order = order
        self._note = note
        # In the language of the window that started us; one of another language that finds us warm reads this one.
        self._state, self._sentence = "starting", progress.STARTING
        self._fault: faults.Fault | None = None
        self._heard = time.monotonic()  # when the engine last said anything
        self._began = time.monotonic()
        self._seconds = 0.0
        self._keep_warm = order.keep_warm
        self._deadline: float | None = self._began + max(order.keep_warm, _FIRST_LEASE)
        self._doomed: float | None = None  # when a start that has failed counts as ended, if it does not end itself
        self._stopping = False
        self._leased = False
        self._selector = selectors.DefaultSelector()
        self._server = ControlServer(control, self._selector, self._answer, self._left)
        self._hear_signals()
        self._engine = self._start()

    def _hear_signals(self) -> None:
        for number in (signal.SIGHUP, signal.SIGINT):
            signal.signal(number, lambda *_: None)  # not SIG_IGN: the engine would inherit that
        signal.signal(signal.SIGTERM, self.stop)
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake)  # else a signal would be seen only at the end of a tick
        self._selector.register(woken, selectors.EVENT_READ, lambda: os.read(woken, 64))

    def _start(self) -> EngineProcess:
        engine = EngineProcess(self._order, self._folder)
        self._note = replace(self._note, engine_pid=engine.pid, engine_ticks=engine.ticks)
        write_note(self._folder, self._note)
        self._selector.register(engine.pidfd, selectors.EVENT_READ, engine.reap)
        return engine

    def run(self) -> None:
        """Until the engine has ended, for whatever reason; then nothing of it is left."""
        while not self._stopping:
            for key, _ in self._selector.select(self._wait()):
                key.data()
            self._look()
        self._selector.unregister(self._engine.pidfd)
        self._end()

    def stop(self, *_: int | FrameType | None) -> None:
        """End the engine at the next turn of the loop. Also the handler of SIGTERM."""
        if self._state in ("starting", "ready"):
            self._state, self._sentence = "stopped", say("the engine was stopped")
        self._stopping = True

    def _wait(self) -> float:
        tick = _TICK_STARTING if self._state == "starting" else _TICK_READY
        return tick if self._deadline is None else max(0.0, min(tick, self._deadline - time.monotonic()))

    def _look(self) -> None:
        self._engine.reap()
        if self._engine.status is not None:
            self._ended(self._engine.status)
        elif self._state == "starting":
            self._look_at_start()
        else:
            self._engine.look()
        if self._deadline is not None and time.monotonic() >= self._deadline:
            self.stop()

    def _look_at_start(self) -> None:
        before, lines = self._sentence, self._engine.new_lines()
        self._engine.look()
        self._sentence = progress.latest(lines, before)
        self._heard = time.monotonic() if lines else self._heard
        self._seconds = time.monotonic() - self._began
        if self._doomed is None and any(map(faults.is_fatal, lines)):
            self._doomed = time.monotonic() + _LAST_WORDS
        if self._doomed is not None and time.monotonic() > self._doomed:
            self._ended(1)
        elif time.monotonic() - self._heard > self._order.patience:
            self._over(faults.HUNG)
        elif self._engine.healthy():
            self._state, self._sentence = "ready", progress.ready(self._seconds)
            self._engine.ready()
        if self._sentence != before and not self._stopping:
            self._server.tell_all(self._facts())

    def _ended(self, status: int) -> None:
        self._over(faults.explain(self._engine.tail(), status, starved=self._engine.starved))

    def _over(self, fault: faults.Fault) -> None:
        if self._stopping:
            return
        if self._state in ("starting", "ready"):
            self._state = "failed" if self._state == "starting" else "stopped"
            self._sentence, self._fault = fault.sentence, fault
        # A start that fails at once waits a moment for its first lease, or nobody would hear why.
        self._stopping = self._leased or time.monotonic() > self._began + _FIRST_WORDS

    def _end(self) -> None:
        self._server.close()
        ours = self._folder_is_ours()
        if ours:
            self._folder.control_socket.unlink(missing_ok=True)  # who comes now finds nobody, and waits for our end
        self._engine.stop()
        if ours:
            self._folder.clear()
        for client in self._server.clients():
            client.tell(self._facts())

    def _folder_is_ours(self) -> bool:
        """Not if it was taken away under us (the runtime folder goes at the last logout) and another moved in."""
        note = read_note(self._folder)
        return note is not None and (note.pid, note.ticks) == (self._note.pid, self._note.ticks)

    def _answer(self, client: Client, message: Message) -> None:
        match message.get("op"):
            case "lease":
                client.lease = self._leased = True
                self._warmth(message)
                self._deadline = None
                client.tell(self._facts())
            case "status":
                client.tell(self._facts())
            case "goodbye":
                self._goodbye(client, message)
            case "stop":
                self.stop()
            case _:
                client.tell({"error": "unknown op"})

    def _warmth(self, message: Message) -> None:
        seconds = message.get("keep_warm")
        if isinstance(seconds, (int, float)):
            self._keep_warm = max(0.0, float(seconds))

    def _goodbye(self, client: Client, message: Message) -> None:
        client.lease = False
        if message.get("after") == "stop" and not self._server.leases():
            self.stop()
        else:
            self._left(client)
            client.tell(self._facts())

    def _left(self, client: Client) -> None:
        del client  # only the number that remains counts
        if not self._server.leases() and self._deadline is None:
            self._deadline = time.monotonic() + self._keep_warm

    def _facts(self) -> dict[str, Any]:
        seconds = self._seconds if self._state != "starting" else time.monotonic() - self._began
        left = None if self._deadline is None else self._deadline - time.monotonic()
        return {
            "protocol": PROTOCOL,
            "state": self._state,
            "sentence": self._sentence,
            "fault": asdict(self._fault) if self._fault else None,
            "seconds": round(seconds, 2),
            "leases": self._server.leases(),
            "warm_until": None if left is None else time.time() + left,
            "keeper": self._note.pid,
            "keeper_ticks": self._note.ticks,
            "boot": self._note.boot,
            "pid": self._note.engine_pid,
            "fingerprint": self._order.fingerprint,
            "model": self._order.model,
            "device": self._order.device,
            "log": self._order.log,
            "calculates": self._order.calculates,
            "weights": self._order.weights,
            "kv_folder": self._order.kv_folder,
        }


def main(arguments: list[str]) -> int:
    """Detach, and keep. The starter's wait ends once the control socket takes connections."""
    os.umask(0o077)
    folder = KeeperFolder(Path(arguments[0]))
    order = read_order(folder)
    folder.launch_file.unlink()  # it holds the author's whole environment
    control = listen(str(folder.control_socket))
    if os.fork():
        return 0
    os.setsid()
    os.chdir(folder.path)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core would hold the manuscript
    proc.become_subreaper()
    _keep(folder, order, control)
    return 0  # in milliseconds: there is nothing to tear down


def _keep(folder: KeeperFolder, order: Order, control: Any) -> None:
    me = proc.look(os.getpid())
    assert me is not None
    note = Note(
        pid=me.pid,
        ticks=me.ticks,
        boot=proc.boot_id(),
        uid=me.uid,
        fingerprint=order.fingerprint,
        model=order.model,
        wanted=order.wanted,
        device=order.device,
        log=order.log,
        started=time.time(),
        mark=proc.mark_of(1),
    )
    write_note(folder, note)
    folder.engine_socket.unlink(missing_ok=True)  # vLLM never removes one, and will not start over one
    Keeper(folder, order, note, control).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
