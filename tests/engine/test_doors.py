"""The doors in vLLM's server: they free the GPU only while nothing is written, and wake it for whoever needs it."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from collections.abc import MutableMapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

PLUGIN = Path(__file__).parents[2] / "writer" / "engine" / "plugin" / "writer_doors.py"


@pytest.fixture
def doors() -> ModuleType:
    spec = importlib.util.spec_from_file_location("writer_doors", PLUGIN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Server:
    """An engine, and an app behind the doors whose requests end when they are let go."""

    def __init__(self, doors: ModuleType) -> None:
        self.calls: list[str] = []
        self.go = asyncio.Event()
        self.go.set()
        self.fail = False
        self._doors = doors.Doors(self._app)
        self._state = SimpleNamespace(state=SimpleNamespace(engine_client=self))

    async def sleep(self, level: int) -> None:
        if self.fail:
            raise RuntimeError("no memory")
        self.calls.append(f"sleep {level}")

    async def wake_up(self) -> None:
        self.calls.append("wake")

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        self.calls.append(scope.get("path", scope["type"]))
        await self.go.wait()

    async def ask(self, path: str, method: str = "POST") -> tuple[int, dict[str, Any]]:
        sent: list[MutableMapping[str, Any]] = []

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        scope = {"type": "http", "path": path, "method": method, "app": self._state}
        await self._doors(scope, None, send)
        return (sent[0]["status"], json.loads(sent[1]["body"])) if sent else (0, {})


async def test_sleep_and_wake(doors: ModuleType) -> None:
    server = Server(doors)
    status, said = await server.ask("/writer/sleep")
    assert (status, said["asleep"]) == (200, True)
    assert (await server.ask("/writer/state", "GET"))[1]["asleep"]
    await server.ask("/writer/sleep")
    assert (await server.ask("/writer/wake"))[1]["asleep"] is False
    await server.ask("/writer/wake")
    assert server.calls == ["sleep 1", "wake"]  # each once


async def test_a_request_wakes_it_and_a_look_does_not(doors: ModuleType) -> None:
    server = Server(doors)
    await server.ask("/writer/sleep")
    for path in ("/health", "/v1/models", "/metrics", "/version", "/tokenize", "/detokenize"):
        await server.ask(path)
    assert "wake" not in server.calls
    await server.ask("/v1/completions")
    assert server.calls[-2:] == ["wake", "/v1/completions"]
    assert not (await server.ask("/writer/state", "GET"))[1]["asleep"]


async def test_two_requests_wake_it_once(doors: ModuleType) -> None:
    server = Server(doors)
    await server.ask("/writer/sleep")
    await asyncio.gather(*(server.ask("/v1/completions") for _ in range(3)))
    assert server.calls.count("wake") == 1


async def test_nothing_is_put_to_sleep_while_it_writes(doors: ModuleType) -> None:
    server = Server(doors)
    server.go.clear()
    writing = asyncio.ensure_future(server.ask("/v1/completions"))
    while "/v1/completions" not in server.calls:
        await asyncio.sleep(0)
    status, said = await server.ask("/writer/sleep")
    assert (status, said["busy"], said["asleep"]) == (409, 1, False)
    writing.cancel()  # the window has closed its stream
    await asyncio.wait({writing})
    assert (await server.ask("/writer/sleep"))[0] == 200


async def test_a_sleep_that_failed_is_mended_by_waking(doors: ModuleType) -> None:
    server = Server(doors)
    server.fail = True
    with pytest.raises(RuntimeError):
        await server.ask("/writer/sleep")
    await server.ask("/v1/completions")
    assert server.calls == ["wake", "/v1/completions"]


async def test_a_look_from_a_browser_changes_nothing(doors: ModuleType) -> None:
    server = Server(doors)
    for path in ("/writer/sleep", "/writer/wake"):
        assert (await server.ask(path, "GET"))[0] == 405
    assert server.calls == []


async def test_what_is_no_request_is_passed_on(doors: ModuleType) -> None:
    server = Server(doors)
    await server._doors({"type": "lifespan"}, None, None)
    assert server.calls == ["lifespan"]
