"""A server by its address: attach, wait for it when it is started anew, never stop it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import quote

import pytest
from loopback_server import serving

from writer.config import EngineSettings
from writer.engine.base import EngineStatus
from writer.engine.remote import RemoteEngine
from writer.errors import EngineStartFailed


def _source(socket: Path, pause: float = 0.001) -> RemoteEngine:
    url = f"http+unix://{quote(str(socket), safe='')}"
    return RemoteEngine(EngineSettings(url=url), environ={"WRITER_API_KEY": "key"}, first_pause=pause)


async def test_attach_status_and_release(home: dict[str, str]) -> None:
    said: list[EngineStatus] = []
    async with serving(Path(home["XDG_RUNTIME_DIR"])) as server:
        source = _source(server.socket)
        engine = await source.acquire(said.append)
        assert engine.facts.device == "remote"
        assert await source.acquire(said.append) is engine
        assert (await source.status()).model == "m"
        await source.release(stop=True)
        assert (await source.status()).state == "ready"
    assert [status.state for status in said] == ["starting", "ready", "ready"]


async def test_nobody_answers(tmp_path: Path) -> None:
    source = _source(tmp_path / "s")
    with pytest.raises(EngineStartFailed, match="does not answer"):
        await source.acquire(lambda _: None)
    assert (await source.status()).state == "stopped"
    with pytest.raises(EngineStartFailed):
        await source.restart(lambda _: None)


async def test_restart_waits_for_a_server_that_comes_back(home: dict[str, str]) -> None:
    folder = Path(home["XDG_RUNTIME_DIR"])
    said: list[EngineStatus] = []
    waiting = asyncio.create_task(_source(folder / "s", pause=0.05).restart(said.append))
    async with asyncio.timeout(5):
        while not any("waiting" in status.sentence for status in said):
            await asyncio.sleep(0.001)
    async with serving(folder):
        engine = await waiting
        assert engine.facts.model == "m"
        await engine.aclose()


async def test_a_password_in_the_address_is_not_shown() -> None:
    source = RemoteEngine(EngineSettings(url="http://me:secret@127.0.0.1:1/v1"), environ={})
    with pytest.raises(EngineStartFailed) as caught:
        await source.acquire(lambda _: None)
    assert "secret" not in caught.value.sentence
    assert "127.0.0.1:1" in caught.value.sentence
