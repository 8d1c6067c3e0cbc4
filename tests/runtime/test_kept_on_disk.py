"""After a pause the engine is asked for one token over prompt and text, where a cache on disk is wanted; else not."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from desk_fixture import Bench
from test_desk import paused_after

from writer.bootstrap import open_desk
from writer.engine.scripted import ScriptedEngine
from writer.errors import EngineDied
from writer.manuscript.project import create
from writer.runtime import kept_on_disk
from writer.runtime.events import Event, GenerationFailed
from writer.runtime.kept_on_disk import KeptOnDisk


async def asked(folder: Path, monkeypatch: pytest.MonkeyPatch, settings: str, *, die: bool = False) -> list[list[int]]:
    """The prompts of all probes of a text that is begun and paused."""
    create(folder, title="Salt")
    home = Path(str(folder) + "-config")
    (home / "writer").mkdir(parents=True)
    (home / "writer" / "config.toml").write_text(settings)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    seen: list[list[int]] = []
    probe = ScriptedEngine.probe

    async def note(self: ScriptedEngine, ids: tuple[int, ...]) -> object:
        seen.append(list(ids))
        if die:
            raise EngineDied("It has gone.")
        return await probe(self, ids)

    monkeypatch.setattr(ScriptedEngine, "probe", note)
    events: list[Event] = []
    desk = open_desk(
        folder, {"WRITER_ENGINE": "scripted", "WRITER_SCRIPT": json.dumps({"batch": [1, 3]})}, events.append
    )
    bench = Bench(folder, desk, await desk.open(), events)
    desk.outside.stop()
    await paused_after(bench, 9)
    await desk.close()  # waits for what is under way
    assert not bench.of(GenerationFailed)
    return [seen[-1] if seen else [], bench.ids]


async def test_the_generated_part_is_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last, written = await asked(tmp_path / "novel", monkeypatch, "[engine]\nkv_disk_gib = 5\n")
    assert written
    assert last[-len(written) :] == written
    assert len(last) > len(written)  # the prompt comes before it


async def test_nothing_is_asked_without_a_cache_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last, _ = await asked(tmp_path / "novel", monkeypatch, "")
    assert last == []


async def test_an_engine_that_dies_of_it_is_no_news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last, _ = await asked(tmp_path / "novel", monkeypatch, "[engine]\nkv_disk_gib = 5\n", die=True)
    assert last


async def test_a_pause_does_not_wait_for_it_and_leaving_not_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        async def probe(self, ids: tuple[int, ...]) -> None:
            await asyncio.Event().wait()

    kept = KeptOnDisk(wanted=True)
    kept.begin(Slow(), (1, 2))  # type: ignore[arg-type]
    monkeypatch.setattr(kept_on_disk, "_PATIENCE", 0.0)
    await kept.rest()
    assert not kept._works
