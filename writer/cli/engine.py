"""`writer engine`: what is alive, and with which model."""

from __future__ import annotations

import asyncio
import os
import time

import click

from writer.bootstrap import engine_source, settings_for
from writer.cli import engine_gpu, engine_key
from writer.cli.output import emit, say
from writer.engine.base import EngineStatus

_GIB = 1024**3


@click.group()
def engine() -> None:
    """Start, look at or stop the engine that writes."""


@engine.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def start(as_json: bool) -> None:
    """Start the engine, or find the warm one. It stays for `engine.keep_warm` seconds."""
    settings = settings_for(None, os.environ)
    source = engine_source(settings, os.environ)
    said: list[str] = []

    def report(status: EngineStatus) -> None:
        if not as_json and status.sentence not in said:
            said.append(status.sentence)
            say(f"Engine: {status.sentence}", error=True)

    async def work() -> EngineStatus:
        ready = await source.acquire(report)
        found = await source.status()
        await ready.aclose()
        await source.release(stop=False)
        return found

    found = asyncio.run(work())
    emit(_facts(found)) if as_json else say(_line(found))


@engine.command("status")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def engine_status(as_json: bool) -> None:
    """Whether an engine is alive, what memory it holds and until when."""
    from writer.engine.running import running_engines

    found = asyncio.run(running_engines())
    if as_json:
        emit({"engines": [_facts(one) for one in found]})
    elif not found:
        say("No engine is alive.")
    else:
        for one in found:
            say(_line(one))


@engine.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def stop(as_json: bool) -> None:
    """Stop every engine of yours now and free its memory."""
    from writer.engine.running import stop_all

    count = asyncio.run(stop_all())
    if as_json:
        emit({"stopped": count})
    else:
        say("The engine has stopped." if count else "No engine was alive.")


for _command in (engine_gpu.sleep, engine_gpu.wake, engine_gpu.tune, engine_gpu.forget_kv, engine_key.key):
    engine.add_command(_command)


def _facts(status: EngineStatus) -> dict[str, object]:
    return {
        "state": status.state,
        "model": status.model,
        "sentence": status.sentence,
        "pid": status.pid,
        "memory_bytes": status.memory_bytes,
        "leases": status.leases,
        "warm_until": status.warm_until,
        "seconds": round(status.seconds, 1),
        "log": str(status.log) if status.log else None,
    }


def _line(status: EngineStatus) -> str:
    memory = f", {status.memory_bytes / _GIB:.1f} GiB of memory" if status.memory_bytes else ""
    until = ""
    if status.warm_until is not None:
        until = f", stops in {max(0, status.warm_until - time.time()):.0f} s unless it is used"
    used = f", used by {status.leases}" if status.leases else ""
    return f"{status.state}: {status.model}{memory}{used}{until}. {status.sentence}"
