"""From the settings to a launch: looks at the machine, the installed vLLM and the model. Blocks; run it in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from writer import locations
from writer.config import EngineSettings
from writer.engine import build, hardware, launch, models
from writer.generation.model import Fingerprint


@dataclass(frozen=True, slots=True)
class Prepared:
    """A launch, and what the client should know of the model. `wanted` is the model as the settings name it."""

    launch: launch.Launch
    model_folder: Path
    fingerprint: Fingerprint
    wanted: str


Made = TypeVar("Made")
Prepare = Callable[[EngineSettings, Mapping[str, str], Callable[[str], None]], Prepared]


def prepare(settings: EngineSettings, environ: Mapping[str, str], say: Callable[[str], None]) -> Prepared:
    """Resolve the model (20 s the first time, `say` tells how far) and plan the launch.

    Raises ModelUnusable or EngineStartFailed.
    """
    found = build.find(settings.python)
    machine = hardware.detect(environ)
    folder = models.resolve(settings.model, say, trusted=launch.is_trusted(settings))
    fingerprint = models.fingerprint(folder)
    planned = launch.plan(
        settings,
        machine,
        found,
        folder,
        model_window=models.window(folder),
        model=fingerprint,
        own_code=models.own_code(folder),
        places=launch.Places(locations.runtime_dir(), locations.cache_dir()),
        environ=environ,
    )
    runner = " v1" if planned.device == "cpu" else ""
    return Prepared(planned, folder, replace(fingerprint, engine=planned.dtype + runner), settings.model)


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
