"""The local engine, kept warm between windows: attach to the one that runs, or start one, and hold a lease on it.

Never blocks the loop. A lease ends with `release`, or when this process dies, whichever comes first.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from writer import locations
from writer.config import EngineSettings
from writer.engine import keepers, preparation, sleeping
from writer.engine.base import Engine, EngineStatus, Report
from writer.engine.control import Control, Facts, is_alive, status_of
from writer.engine.failed_starts import StartFailed, fault_of, keeper_gone, refused, start_failed
from writer.engine.keeper_state import KeeperFolder, Order, read_note
from writer.engine.preparation import Prepare, Prepared
from writer.engine.running import QUICK, ask, free_the_gpu, put_to_sleep
from writer.engine.second_try import SecondTry
from writer.engine.windows import remember, remembered, smaller
from writer.errors import EngineError, EngineStartFailed, WriterError
from writer.language import say

Attach = Callable[[Prepared], Awaitable[Engine]]
_NEWS_EVERY = 1.0  # seconds between reports while nothing new is said
_GOING = 20.0  # seconds in which an engine ends


async def attach_client(prepared: Prepared) -> Engine:
    """A client for the engine of this launch, which must be ready."""
    from writer.engine.client import VllmEngine  # brings httpx: not for those who only ask for a status

    launch = prepared.launch
    return await VllmEngine.attach(
        socket=launch.socket,
        served_name=launch.served_name,
        model_folder=prepared.model_folder,
        device=launch.device,
        fingerprint=prepared.fingerprint,
    )


class KeptEngine:
    """An EngineSource (see base.py) for the engine on this machine.

    `prepare` and `attach` are replaced in tests by ones for a fake engine.
    """

    def __init__(
        self,
        settings: EngineSettings,
        *,
        environ: Mapping[str, str] | None = None,
        prepare: Prepare = preparation.prepare,
        attach: Attach = attach_client,
    ) -> None:
        self._settings = settings
        self._environ = dict(os.environ if environ is None else environ)
        self._prepare = prepare
        self._attach = attach
        self._control: Control | None = None
        self._folder: KeeperFolder | None = None
        self._watch: asyncio.Task[None] | None = None
        self._warm = False

    @property
    def attached_warm(self) -> bool:
        """Whether the engine was ready already when it was last acquired."""
        return self._warm

    async def acquire(self, report: Report) -> Engine:
        """Attach to the engine of these settings, or start it and wait; `report` gets plain words meanwhile.

        A start that fails is tried again where that may help, by itself. Raises EngineStartFailed, ModelUnusable or
        EngineBusy. If cancelled, the lease is given up.
        """
        order = SecondTry(self._settings, self._environ)
        asked = await self._prepared(order.settings, report)
        prepared = asked
        if smaller(window := remembered(asked.launch.fingerprint), order.settings.window):
            order.settings = replace(order.settings, window=window)
            prepared = await self._prepared(order.settings, report)
        while True:
            try:
                engine = await self._attached(prepared, report)
                break
            except StartFailed as failed:
                if not await order.worth(failed.fault, report):
                    raise
                prepared = await self._prepared(order.settings, report)
        if smaller(order.settings.window, self._settings.window):
            remember(asked.launch.fingerprint, order.settings.window)
        return engine

    async def _attached(self, prepared: Prepared, report: Report) -> Engine:
        try:
            self._folder = keepers.folder_of(prepared.launch.fingerprint)
            control = await self._lease(self._folder) or await self._start(self._folder, prepared, report)
        except OSError as error:
            raise refused(error) from None
        try:
            self._warm = control.facts["state"] == "ready"
            await self._until_ready(control, report)
            engine = await self._attach(_as_started(prepared, control.facts))
        except BaseException:
            await control.close()
            raise
        await self._drop()  # an older lease, only now: the engine must not be without any between the two
        self._control = control
        self._watch = asyncio.create_task(_tell_of_end(control, report))
        return engine

    async def restart(self, report: Report) -> Engine:
        """After EngineDied: end what is left of the engine we had (if no other window has done so), start anew."""
        await self._drop_watch()  # the end that we bring about is no news
        if self._folder and self._control:
            try:
                await self._end(self._folder, self._control)
            except OSError as error:
                raise refused(error) from None
        return await self.acquire(report)

    async def _end(self, folder: KeeperFolder, control: Control) -> None:
        async with keepers.lock():
            note = await asyncio.to_thread(read_note, folder)
            if note and (note.pid, note.ticks) == (control.facts["keeper"], control.facts["keeper_ticks"]):
                await keepers.stop(folder)
            elif is_alive(control.facts):  # its folder was taken away, so only our connection leads to it
                with suppress(OSError):
                    await control.send({"op": "stop"})
                await control.ended(_GOING)

    async def last_words(self) -> str:
        """What the keeper makes of the end; it hears of it when we do, and needs a moment to end the rest."""
        if self._control is None or self._watch is None:
            return ""
        await asyncio.wait({self._watch}, timeout=QUICK)
        facts = self._control.facts
        return fault_of(facts).what if self._watch.done() and facts.get("fault") else ""

    async def sleep(self) -> float:
        """Free the GPU and keep the engine; seconds. Raises EngineBusy or EngineError, each with what to do."""
        control, folder = self._control, self._folder
        if control is None or folder is None:
            raise EngineError(say("No engine is running here, so it holds no GPU. Press Ctrl+G to start it and write."))
        return await put_to_sleep(control.facts, folder, self._environ)

    async def wake(self) -> float:
        """Take the GPU again; seconds. Raises EngineDied."""
        return (await sleeping.wake(self._folder.engine_socket)).seconds if self._control and self._folder else 0.0

    async def release(self, *, stop: bool) -> None:
        """Say goodbye. `stop` ends the engine, unless another window uses it, and waits for the end."""
        control, self._control = self._control, None
        await self._drop_watch()
        if control is None:
            return
        with suppress(OSError, TimeoutError):  # it is gone, or hangs: then the end of the connection has to do
            async with asyncio.timeout(_GOING if stop else QUICK):
                facts = await control.ask({"op": "goodbye", "after": "stop" if stop else "keep"})
            if facts and facts["state"] == "stopped":
                await control.ended(_GOING)
        await control.close()

    async def status(self) -> EngineStatus:
        """The engine we hold; else the one that these settings would attach to. Starts nothing, never raises."""
        try:
            for folder in [self._folder] if self._control and self._folder else keepers.all_folders():
                note = read_note(folder)
                if (self._control or (note and note.wanted == self._settings.model)) and (status := await ask(folder)):
                    return status
        except (WriterError, OSError):
            pass
        return EngineStatus("stopped", sentence=say("no engine is running"))

    async def _prepared(self, settings: EngineSettings, report: Report) -> Prepared:
        try:
            with preparation.speaking(report) as tell:
                return await preparation.aside(lambda: self._prepare(settings, self._environ, tell))
        except OSError as error:
            raise refused(error) from None

    async def _lease(self, folder: KeeperFolder) -> Control | None:
        control = await Control.open(folder, {"op": "lease", "keep_warm": self._settings.keep_warm})
        if control and control.facts["state"] not in ("starting", "ready"):
            await control.close()
            return None
        return control

    async def _start(self, folder: KeeperFolder, prepared: Prepared, report: Report) -> Control:
        async with keepers.lock():
            if control := await self._lease(folder):  # another window was quicker
                return control
            await keepers.to_its_end(keepers.clean, folder)
            if prepared.launch.device == "gpu":
                await free_the_gpu(folder)
            if prepared.fitted:  # only now: what has just ended holds no memory any more
                with preparation.speaking(report) as tell:
                    prepared = await keepers.to_its_end(prepared.fitted, tell)
            await keepers.to_its_end(keepers.start, folder, self._order(prepared))
            lease = {"op": "lease", "keep_warm": self._settings.keep_warm}
            if control := await Control.open(folder, lease):
                return control  # also of a start that has failed by now: `_until_ready` says why
        raise EngineStartFailed(
            say("The engine's keeper ended at once. Look into {locations}.", locations=locations.log_dir())
        )

    def _order(self, prepared: Prepared) -> Order:
        launch = prepared.launch
        return Order(
            argv=launch.argv,
            env=launch.env,
            fingerprint=launch.fingerprint,
            model=launch.served_name,
            wanted=prepared.wanted,
            device=launch.device,
            log=str(locations.log_dir() / f"engine-{launch.fingerprint}.log"),
            keep_warm=self._settings.keep_warm,
            calculates=prepared.fingerprint.engine,
            weights=prepared.weights,
            kv_folder=str(launch.kv_folder or ""),
            kv_bytes=self._settings.kv_disk_gib * 2**30,
        )

    async def _until_ready(self, control: Control, report: Report) -> None:
        loop = asyncio.get_running_loop()
        facts, said = control.facts, loop.time()
        while True:
            status = status_of(facts)
            report(
                replace(
                    status,
                    seconds=status.seconds + loop.time() - said if status.state == "starting" else status.seconds,
                )
            )
            if status.state == "ready":
                return
            if status.state != "starting":
                await control.ended(_GOING)
                raise start_failed(facts)
            try:
                news = await asyncio.wait_for(control.next(), _NEWS_EVERY)
            except TimeoutError:
                continue
            if news is None:
                raise keeper_gone(status)
            facts, said = news, loop.time()

    async def _drop(self) -> None:
        control, self._control = self._control, None
        await self._drop_watch()
        if control:
            await control.close()

    async def _drop_watch(self) -> None:
        watch, self._watch = self._watch, None
        if watch:
            watch.cancel()
            await asyncio.wait({watch})


async def _tell_of_end(control: Control, report: Report) -> None:
    while facts := await control.next():
        report(status_of(facts))


def _as_started(prepared: Prepared, facts: Facts) -> Prepared:
    """What is known of an engine that another window may have started, on another number of GPUs perhaps."""
    if not (calculates := facts.get("calculates")):
        return prepared
    return replace(prepared, fingerprint=replace(prepared.fingerprint, engine=str(calculates)))
