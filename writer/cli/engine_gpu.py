"""`writer engine sleep`, `wake`, `tune`, `forget-kv`: the GPU freed while the engine stays; the cache on disk."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from writer import locations
from writer.bootstrap import engine_source, settings_for
from writer.cli.output import emit, say
from writer.errors import EngineBusy, EngineError

if TYPE_CHECKING:
    from writer.config import EngineSettings
    from writer.engine.tuning import Measured

_NO_GPU = "A cache on disk is for an engine on a GPU of this machine. Here reading anew is all there is to do."
_UNKNOWN_BYTES = 128 * 1024  # of one token of a model with eight billion weights
_JSON = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


@click.command()
@_JSON
def sleep(as_json: bool) -> None:
    """Free the GPU of every engine of yours. The engine stays; it reads the text again when it is woken."""
    from writer.engine.running import sleep_all

    _tell("asleep", asyncio.run(sleep_all()), "The GPU is free ({:.1f} s). Writing wakes the engine.", as_json)


@click.command()
@_JSON
def wake(as_json: bool) -> None:
    """Take the GPU again, so that writing begins sooner. Writing does it by itself."""
    from writer.engine.running import wake_all

    _tell("awake", asyncio.run(wake_all()), "The engine is awake ({:.1f} s).", as_json)


@click.command()
@_JSON
def tune(as_json: bool) -> None:
    """Measure once whether a cache on disk (engine.kv_disk_gib) pays on this machine. Takes up to a minute."""
    from writer.engine import tuning

    found = asyncio.run(_measured())
    tuning.remember(*found)
    if as_json:
        emit(tuning.remembered())
    else:
        say(tuning.verdict(found[0]))


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
        found = await tuning.measure(engine, locations.cache_dir(), each, lambda line: say(line, error=True))
        return found, engine.facts.model
    finally:
        await source.release(stop=False)


def _bytes_per_token(settings: EngineSettings, folder: Path) -> int:
    from writer.engine.appetite import of_model
    from writer.engine.weights import read_json

    model = of_model(read_json(folder, "config.json"), 0, settings.dtype)
    return model.per_token(fp8=settings.kv_cache == "fp8") or _UNKNOWN_BYTES


@click.command("forget-kv")
@_JSON
def forget_kv(as_json: bool) -> None:
    """Erase what engines have kept on disk of the texts that they read. Your texts stay."""
    from writer.engine import kv_disk
    from writer.engine.running import keeping_on_disk

    if asyncio.run(keeping_on_disk()):
        raise EngineBusy("An engine is using what is kept on disk. Stop it first: writer engine stop.")
    root = locations.cache_dir() / kv_disk.FOLDER
    try:
        gone = kv_disk.forget(root)
    except OSError as error:
        raise EngineError(f"{root} cannot be erased ({error.strerror}). Correct its permissions.") from None
    if as_json:
        emit({"erased_bytes": gone})
    else:
        say(f"{gone / 2**30:.1f} GiB were erased." if gone else "Nothing was kept on disk.")


def _tell(state: str, seconds: list[float], sentence: str, as_json: bool) -> None:
    if as_json:
        emit({state: len(seconds), "seconds": round(sum(seconds), 3)})
    else:
        say(sentence.format(sum(seconds)) if seconds else "No engine is ready, so none holds the GPU for writer.")
