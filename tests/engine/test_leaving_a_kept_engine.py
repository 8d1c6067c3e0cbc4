"""A window that is left: the engine stays, its lease is given back, and nobody waits for what never ends."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from conditions import wait_until
from keeping import Source

from writer import bootstrap
from writer.engine.base import Engine
from writer.engine.scripted_source import ScriptedSource
from writer.manuscript.project import create
from writer.runtime.events import DeskOpened, EngineAttached, Event


async def test_leaving_does_not_wait_for_the_news_of_an_engine_that_stays(
    source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = source()

    async def attach(prepared: object) -> Engine:
        return await ScriptedSource({}).acquire(lambda status: None)

    monkeypatch.setattr(kept, "_attach", attach)
    monkeypatch.setattr(bootstrap, "engine_source", lambda settings, environ: kept)
    create(tmp_path / "novel", title="Salt")
    _, _, thread = bootstrap.writing_thread(tmp_path / "novel", {})
    events: list[Event] = []
    thread.start(events.append)
    await asyncio.to_thread(wait_until, lambda: any(isinstance(e, DeskOpened) for e in events))
    thread.warm_up()
    await asyncio.to_thread(wait_until, lambda: any(isinstance(e, EngineAttached) for e in events), 30)
    await asyncio.to_thread(thread.close().result, 15)
