"""From the settings to a launch: looks at the machine, the installed vLLM and the model. Blocks; run it in a thread."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from writer import locations
from writer.config import EngineSettings
from writer.engine import appetite, build, hardware, kv_disk, launch, models, quantised, windows
from writer.engine.appetite import Appetite
from writer.engine.base import EngineStatus, Report
from writer.engine.build import Build
from writer.engine.fitting import Fit, NoRoom, emptied, fit, is_short
from writer.engine.hardware import Gpu, Hardware
from writer.engine.quantised import Quantised
from writer.engine.weights import read_json, size
from writer.generation.model import Fingerprint
from writer.language import say

Say = Callable[[str], None]
FREED_LATE = 30.0  # seconds in which a GPU's memory comes back after its holder has ended (seen: 12 to 30)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A launch, and what the client should know of the model. `wanted` is the model as the settings name it.

    `fitted` is called just before a start, and only then: the same launch, fitted to the memory that is free now. It
    blocks for up to half a minute, says what it found, and raises EngineStartFailed or ModelUnusable.
    """

    launch: launch.Launch
    model_folder: Path
    fingerprint: Fingerprint
    wanted: str
    fitted: Callable[[Say], Prepared] | None = None
    weights: int = 0  # bytes; 0 where nothing is fitted


Made = TypeVar("Made")
Prepare = Callable[[EngineSettings, Mapping[str, str], Say], Prepared]


def prepare(settings: EngineSettings, environ: Mapping[str, str], tell: Say) -> Prepared:
    """Resolve the model (20 s the first time, `tell` says how far) and plan the launch.

    Raises ModelUnusable or EngineStartFailed.
    """
    found = build.find(settings.python)
    machine = hardware.detect(environ)
    folder = models.resolve(settings.model, tell, trusted=launch.is_trusted(settings))
    config = read_json(folder, "config.json")
    rounded = quantised.found_in(config)
    if rounded:
        quantised.require_device(rounded, found, machine.gpus)
        tell(say("the model's weights are quantised: {words}", words=rounded.words))
    return _Known(settings, environ, found, machine, folder, config, rounded, models.fingerprint(folder)).prepared()


@dataclass(frozen=True, slots=True)
class _Known:
    """What was looked at, so that a start need not look again."""

    settings: EngineSettings
    environ: Mapping[str, str]
    build: Build
    machine: Hardware
    folder: Path
    config: Mapping[str, Any]
    rounded: Quantised | None
    model: Fingerprint

    def prepared(self, measured: Fit | None = None) -> Prepared:
        planned = launch.plan(
            self.settings,
            self.machine,
            self.build,
            self.folder,
            model_window=models.window(self.folder),
            model=self.model,
            own_code=models.own_code(self.folder),
            places=launch.Places(locations.runtime_dir(), locations.cache_dir()),
            environ=self.environ,
            fit=measured,
        )
        on_cpu = planned.device == "cpu"
        engine = " ".join(filter(None, (planned.dtype, "v1" if on_cpu else "", planned.kind)))
        known = replace(self.model, engine=engine)
        fitted = None if on_cpu or measured else self.fitted
        return Prepared(planned, self.folder, known, self.settings.model, fitted)

    def fitted(self, tell: Say) -> Prepared:
        """As `Prepared.fitted` says."""
        eats = appetite.of_model(self.config, size(self.folder), self.settings.dtype)
        measured = _measured(self._gpus, lambda gpus: self._fit(gpus, eats), partial(self._short, eats), tell)
        if not self.settings.window:
            windows.remember_model(self.model.model, measured.window)
        if measured.sentence:
            tell(measured.sentence)
        made = replace(self.prepared(measured), weights=eats.weights)
        if made.launch.kv_folder:
            kv_disk.ready(made.launch.kv_folder, self.settings.kv_disk_gib * 2**30)
        return made

    def _short(self, eats: Appetite, gpus: Sequence[Gpu], made: Fit) -> bool:
        """Whether less text would fit than is asked for, or than fitted this model the last time."""
        longest = models.window(self.folder)
        wanted = min(self.settings.window or windows.of_model(self.model.model), longest)
        return is_short(made, fit(self.settings, emptied(gpus), eats, longest), wanted)

    def _gpus(self) -> Sequence[Gpu]:
        return hardware.detect(self.environ, ask_driver=True).gpus or self.machine.gpus

    def _fit(self, gpus: Sequence[Gpu], eats: Appetite) -> Fit:
        if self.rounded:
            quantised.require_device(self.rounded, self.build, gpus)
        made = fit(self.settings, gpus, eats, models.window(self.folder))
        if not self.settings.kv_disk_gib:
            return made
        longest = max(kv_disk.LEAST_STAGING, made.window * eats.per_token(fp8=self.settings.kv_cache == "fp8"))
        return replace(made, staging=kv_disk.staging(longest, self.machine.free_ram_bytes))


def _measured(
    look: Callable[[], Sequence[Gpu]],
    of: Callable[[Sequence[Gpu]], Fit],
    short: Callable[[Sequence[Gpu], Fit], bool],
    tell: Say,
    pause: float = 1.0,
) -> Fit:
    """What fits now; what fits once the memory of an engine that has just ended is back, if that is needed."""
    deadline = time.monotonic() + FREED_LATE
    while True:
        gpus, over = look(), time.monotonic() > deadline
        try:
            made = of(gpus)
            if over or not short(gpus, made):
                return made
        except NoRoom:
            if over:
                raise
        tell(say("waiting for the GPU's memory…"))
        time.sleep(pause)


async def aside(call: Callable[[], Made]) -> Made:
    """`asyncio.to_thread`, but in a thread that does not keep the process from ending: who quits need not wait."""
    done: Future[Made] = Future()

    def work() -> None:
        if not done.set_running_or_notify_cancel():
            return
        try:
            done.set_result(call())
        except Exception as error:  # the boundary of the thread: it is raised where it is awaited
            done.set_exception(error)

    threading.Thread(target=work, name="preparing", daemon=True).start()
    return await asyncio.wrap_future(done)


@contextmanager
def speaking(report: Report, every: float = 1.0) -> Iterator[Say]:
    """Says lines from any thread: at once, and then again every so many seconds, with the seconds that it takes."""
    loop, last = asyncio.get_running_loop(), ""
    begun = loop.time()

    def hear(line: str) -> None:
        nonlocal last
        last = line
        report(EngineStatus("starting", sentence=line, seconds=loop.time() - begun))

    async def repeat() -> None:
        while True:
            await asyncio.sleep(every)
            if last:
                hear(last)

    def tell(line: str) -> None:
        loop.call_soon_threadsafe(hear, line)

    repeating = asyncio.create_task(repeat())
    try:
        yield tell
    finally:
        repeating.cancel()
