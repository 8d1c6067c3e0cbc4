"""A server by its address: attach, wait for it when it is started anew, never stop it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import quote

import pytest
from loopback_server import END, HEAD, SAMPLES, as_json, chunk, event, play, read, serving

from writer.config import EngineSettings
from writer.engine.base import EngineStatus
from writer.engine.patience import Patience
from writer.engine.remote import RemoteEngine
from writer.errors import EngineError, EngineStartFailed

SOON = Patience(sleep=lambda seconds: asyncio.sleep(seconds / 100))


def _source(socket: Path, pause: float = 0.001) -> RemoteEngine:
    url = f"http+unix://{quote(str(socket), safe='')}"
    return RemoteEngine(EngineSettings(url=url), environ={"WRITER_API_KEY": "key"}, first_pause=pause, patience=SOON)


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
    waiting = asyncio.create_task(_source(folder / "s", pause=5.0).restart(said.append))
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


async def test_a_busy_server_is_told_while_it_is_asked_again(home: dict[str, str]) -> None:
    said: list[EngineStatus] = []
    async with serving(Path(home["XDG_RUNTIME_DIR"])) as server:
        listed = server.answers["/v1/models"]
        server.answers["/v1/models"] = as_json({"error": "busy"}, 503)

        def report(status: EngineStatus) -> None:
            said.append(status)
            if "busy" in status.sentence:
                server.answers["/v1/models"] = listed

        server.answers["/v1/completions"] = 200, "application/json", (SAMPLES / "completions.json").read_bytes()
        engine = await _source(server.socket).acquire(report)
        assert (await engine.probe((1,) * 3)).prompt_tokens == 12
        await engine.aclose()
    assert [status.sentence for status in said] == [
        "asking the server…",
        "the server is busy; it is asked again in 1 s…",
        "ready",
    ]


async def test_looking_at_a_busy_server_waits_for_nothing(home: dict[str, str]) -> None:
    async with serving(Path(home["XDG_RUNTIME_DIR"])) as server:
        server.answers["/v1/models"] = as_json({"error": "busy"}, 503)
        assert (await _source(server.socket).status()).state == "stopped"
        assert len(server.asked) == 1


async def test_every_request_that_reads_text_has_the_salt_and_no_other_does(home: dict[str, str]) -> None:
    async with serving(Path(home["XDG_RUNTIME_DIR"])) as server:
        server.answers["/v1/completions"] = 200, "application/json", (SAMPLES / "completions.json").read_bytes()
        url = f"http+unix://{quote(str(server.socket), safe='')}"
        engine = await RemoteEngine(EngineSettings(url=url, cache_salt="s4lt"), environ={}).acquire(lambda _: None)
        await engine.probe((1,) * 3)
        play(server, HEAD, chunk(event([1], "a", "stop")), END)
        await read(engine, [])
        await engine.aclose()
    salted = [(path, body.get("cache_salt")) for path, body in server.asked]
    assert [path for path, salt in salted if salt == "s4lt"] == ["/v1/completions"] * 2
    assert {salt for path, salt in salted if path != "/v1/completions"} == {None}


@pytest.mark.parametrize("salt", ["x" * 129, "a/b", "a@b", "a\\b", "a\x00b", "ключ"])
async def test_a_salt_that_the_server_would_refuse_is_told_before(salt: str) -> None:
    source = RemoteEngine(EngineSettings(url="http://127.0.0.1:1", cache_salt=salt), environ={})
    with pytest.raises(EngineError, match=r"engine\.cache_salt must be"):
        await source.acquire(lambda _: None)
