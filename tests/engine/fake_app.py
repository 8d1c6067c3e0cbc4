"""A window without a window: acquires the fake engine, prints what it is told, waits to be killed or told to quit."""

from __future__ import annotations

import asyncio
import os
import sys

from keeping import attach_nothing, prepare_fake

from writer.config import EngineSettings
from writer.engine import keepers
from writer.engine.base import EngineStatus
from writer.engine.lease import KeptEngine


def report(status: EngineStatus) -> None:
    print(f"{status.state} {status.sentence}", flush=True)  # noqa: T201


async def main() -> None:
    keepers.KEEPER = sys.argv[2]
    settings = EngineSettings(keep_warm=float(sys.argv[1]))
    source = KeptEngine(settings, environ=os.environ, prepare=prepare_fake, attach=attach_nothing)
    await source.acquire(report)
    print("attached", flush=True)  # noqa: T201
    word = await asyncio.to_thread(sys.stdin.readline)
    await source.release(stop=word.strip() == "stop")


asyncio.run(main())
