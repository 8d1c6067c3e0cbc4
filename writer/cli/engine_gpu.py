"""`writer engine sleep` and `wake`: the GPU is freed for something else while the engine stays."""

from __future__ import annotations

import asyncio

import click

from writer.cli.output import emit, say

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


def _tell(state: str, seconds: list[float], sentence: str, as_json: bool) -> None:
    if as_json:
        emit({state: len(seconds), "seconds": round(sum(seconds), 3)})
    else:
        say(sentence.format(sum(seconds)) if seconds else "No engine is ready, so none holds the GPU for writer.")
