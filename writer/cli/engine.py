"""`writer engine`: what is alive, and with which model."""

from __future__ import annotations

import asyncio
import os
import time

import click

from writer.bootstrap import engine_source, settings_for
from writer.cli import engine_gpu, engine_key
from writer.cli.codes import in_words
from writer.cli.output import emit, tell
from writer.engine.base import EngineStatus
from writer.language import say, together

_GIB = 1024**3


@click.group(help=say("Start, look at or stop the engine that writes."))
def engine() -> None:
    pass


@engine.command(help=say("Start the engine, or find the warm one. It stays for `engine.keep_warm` seconds."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def start(as_json: bool) -> None:
    settings = settings_for(None, os.environ)
    source = engine_source(settings, os.environ)
    said: list[str] = []

    def report(status: EngineStatus) -> None:
        if not as_json and status.sentence not in said:
            said.append(status.sentence)
            tell(say("Engine: {sentence}", sentence=status.sentence), error=True)

    async def work() -> EngineStatus:
        ready = await source.acquire(report)
        found = await source.status()
        await ready.aclose()
        await source.release(stop=False)
        return found

    found = asyncio.run(work())
    emit(_facts(found)) if as_json else tell(_line(found))


@engine.command("status", help=say("Whether an engine is alive, what memory it holds and until when."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def engine_status(as_json: bool) -> None:
    from writer.engine.running import running_engines

    found = asyncio.run(running_engines())
    if as_json:
        emit({"engines": [_facts(one) for one in found]})
    elif not found:
        tell(say("No engine is alive."))
    else:
        for one in found:
            tell(_line(one))


@engine.command(help=say("Stop every engine of yours now and free its memory."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def stop(as_json: bool) -> None:
    from writer.engine.running import stop_all

    count = asyncio.run(stop_all())
    if as_json:
        emit({"stopped": count})
    else:
        tell(say("The engine has stopped.") if count else say("No engine was alive."))


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
    memory = (
        say(", {memory_bytes:.1f} GiB of memory", memory_bytes=status.memory_bytes / _GIB)
        if status.memory_bytes
        else ""
    )
    until = ""
    if status.warm_until is not None:
        until = say(", stops in {seconds:.0f} s unless it is used", seconds=max(0, status.warm_until - time.time()))
    used = say(", used by {leases}", leases=status.leases) if status.leases else ""
    told = say(
        "{state}: {model}{memory}{used}{until}.",
        state=in_words(status.state),
        model=status.model,
        memory=memory,
        used=used,
        until=until,
    )
    return together(told, status.sentence)
