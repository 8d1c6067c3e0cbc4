"""From the settings to a launch: looks at the machine, the installed vLLM and the model. Blocks; run it in a thread."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from writer import locations
from writer.config import EngineSettings
from writer.engine import appetite, build, hardware, launch, models, quantised, windows
from writer.engine.fitting import Fit, NoRoom, fit
from writer.engine.hardware import Gpu
from writer.engine.weights import read_json, size
from writer.generation.model import Fingerprint

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


Made = TypeVar("Made")
Prepare = Callable[[EngineSettings, Mapping[str, str], Say], Prepared]


def prepare(settings: EngineSettings, environ: Mapping[str, str], say: Say) -> Prepared:
    """Resolve the model (20 s the first time, `say` tells how far) and plan the launch.

    Raises ModelUnusable or EngineStartFailed.
    """
    found = build.find(settings.python)
    machine = hardware.detect(environ)
    folder = models.resolve(settings.model, say, trusted=launch.is_trusted(settings))
    config = read_json(folder, "config.json")
    rounded = quantised.found_in(config)
    if rounded:
        quantised.require_device(rounded, found, machine.gpus)
        say(f"the model's weights are quantised: {rounded.words}")
    fingerprint, window = models.fingerprint(folder), models.window(folder)
    planned = partial(
        launch.plan,
        settings,
        machine,
        found,
        folder,
        model_window=window,
        model=fingerprint,
        own_code=models.own_code(folder),
        places=launch.Places(locations.runtime_dir(), locations.cache_dir()),
        environ=environ,
    )

    def prepared(measured: Fit | None = None) -> Prepared:
        made = planned(fit=measured)
        engine = " ".join(filter(None, (made.dtype, "v1" if made.device == "cpu" else "", made.kind)))
        return Prepared(made, folder, replace(fingerprint, engine=engine), settings.model)

    def fitted(say: Say) -> Prepared:
        eats = appetite.of_model(config, size(folder), settings.dtype)

        def of(gpus: Sequence[Gpu]) -> Fit:
            if rounded:
                quantised.require_device(rounded, found, gpus)
            return fit(settings, gpus, eats, window)

        measured = _measured(lambda: hardware.detect(environ, ask_driver=True).gpus or machine.gpus, of, say)
        if not settings.window:
            windows.remember_model(fingerprint.model, measured.window)
        if measured.sentence:
            say(measured.sentence)
        return prepared(measured)

    first = prepared()
    return replace(first, fitted=fitted) if first.launch.device == "gpu" else first


def _measured(
    look: Callable[[], Sequence[Gpu]], of: Callable[[Sequence[Gpu]], Fit], say: Say, pause: float = 1.0
) -> Fit:
    """What fits now; what fits once the memory of an engine that has just ended is back, if that is needed."""
    deadline = time.monotonic() + FREED_LATE
    while True:
        try:
            return of(look())
        except NoRoom:
            if time.monotonic() > deadline:
                raise
            say("waiting for the GPU's memory…")
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
