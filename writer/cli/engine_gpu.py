"""`writer engine sleep`, `wake`, `tune`, `forget-kv`: the GPU freed while the engine stays; the cache on disk."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from writer import locations
from writer.bootstrap import engine_source, settings_for
from writer.cli.output import emit, tell
from writer.errors import EngineBusy, EngineError
from writer.language import say

if TYPE_CHECKING:
    from writer.config import EngineSettings
    from writer.engine.tuning import Measured

_NO_GPU = say("A cache on disk is for an engine on a GPU of this machine. Here reading anew is all there is to do.")
_UNKNOWN_BYTES = 128 * 1024  # of one token of a model with eight billion weights
_JSON = click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))


@click.command(
    help=say("Free the GPU of every engine of yours. The engine stays; it reads the text again when it is woken.")
)
@_JSON
def sleep(as_json: bool) -> None:
    from writer.engine.running import sleep_all

    _tell(
        "asleep", asyncio.run(sleep_all()), say("The GPU is free ({seconds:.1f} s). Writing wakes the engine."), as_json
    )


@click.command(help=say("Take the GPU again, so that writing begins sooner. Writing does it by itself."))
@_JSON
def wake(as_json: bool) -> None:
    from writer.engine.running import wake_all

    _tell("awake", asyncio.run(wake_all()), say("The engine is awake ({seconds:.1f} s)."), as_json)


@click.command(
    help=say("Measure once whether a cache on disk (engine.kv_disk_gib) pays on this machine. Takes up to a minute.")
)
@_JSON
def tune(as_json: bool) -> None:
    from writer.engine import tuning

    found = asyncio.run(_measured())
    tuning.remember(*found)
    if as_json:
        emit(tuning.remembered())
    else:
        tell(tuning.verdict(found[0]))


async def _measured() -> tuple[Measured, str]:
    from writer.engine import tuning

    settings = settings_for(None, os.environ).engine
    source = engine_source(settings_for(None, os.environ), os.environ)
    try:
        engine = await source.acquire(lambda status: None)
        if not engine.facts.can_sleep:  # the same engines can do both
            raise EngineError(_NO_GPU)
        folder = engine.facts.model_folder
        each = _bytes_per_token(settings, folder) if folder else _UNKNOWN_BYTES
        found = await tuning.measure(engine, locations.cache_dir(), each, lambda line: tell(line, error=True))
        return found, engine.facts.model
    finally:
        await source.release(stop=False)


def _bytes_per_token(settings: EngineSettings, folder: Path) -> int:
    from writer.engine.appetite import of_model
    from writer.engine.weights import read_json

    model = of_model(read_json(folder, "config.json"), 0, settings.dtype)
    return model.per_token(fp8=settings.kv_cache == "fp8") or _UNKNOWN_BYTES


@click.command(
    "forget-kv", help=say("Erase what engines have kept on disk of the texts that they read. Your texts stay.")
)
@_JSON
def forget_kv(as_json: bool) -> None:
    from writer.engine import kv_disk
    from writer.engine.running import keeping_on_disk

    if asyncio.run(keeping_on_disk()):
        raise EngineBusy(say("An engine is using what is kept on disk. Stop it first: writer engine stop."))
    root = locations.cache_dir() / kv_disk.FOLDER
    try:
        gone = kv_disk.forget(root)
    except OSError as error:
        raise EngineError(
            say("{root} cannot be erased ({why}). Correct its permissions.", root=root, why=error.strerror)
        ) from None
    if as_json:
        emit({"erased_bytes": gone})
    else:
        tell(say("{gone:.1f} GiB were erased.", gone=gone / 2**30) if gone else say("Nothing was kept on disk."))


def _tell(state: str, seconds: list[float], sentence: str, as_json: bool) -> None:
    if as_json:
        emit({state: len(seconds), "seconds": round(sum(seconds), 3)})
    else:
        tell(
            sentence.format(seconds=sum(seconds))
            if seconds
            else say("No engine is ready, so none holds the GPU for writer.")
        )
