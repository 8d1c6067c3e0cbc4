"""The key of a server of others: environment before keyring, one address for each, and in no sentence."""

from __future__ import annotations

import asyncio
import sys
import threading
from types import ModuleType

import pytest

from writer.config import EngineSettings
from writer.engine import keys_kept, server_key
from writer.engine.remote import RemoteEngine
from writer.errors import EngineError

KEY = "quartz-4711"


class Keyring:
    """A keyring in memory, as the package offers it; `locked` makes it refuse."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stored: dict[tuple[str, str], str] = {}
        self.locked = False
        module, errors = ModuleType("keyring"), ModuleType("keyring.errors")
        self._refusal = type("KeyringError", (Exception,), {})
        errors.KeyringError = self._refusal  # type: ignore[attr-defined]
        for name in ("get_password", "set_password", "delete_password"):
            setattr(module, name, getattr(self, name))
        monkeypatch.setitem(sys.modules, "keyring", module)
        monkeypatch.setitem(sys.modules, "keyring.errors", errors)

    def get_password(self, service: str, user: str) -> str | None:
        if self.locked:
            raise self._refusal
        return self.stored.get((service, user))

    def set_password(self, service: str, user: str, key: str) -> None:
        if self.locked:
            raise self._refusal(key)
        self.stored[service, user] = key

    def delete_password(self, service: str, user: str) -> None:
        del self.stored[service, user]


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    """An empty keyring."""
    return Keyring(monkeypatch)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://Lab.example/v1", "https://lab.example:443"),
        ("http://me:secret@lab.example:8000", "http://lab.example:8000"),
        ("http+unix://%2Frun%2Fs", "http+unix://%2Frun%2Fs"),
    ],
)
def test_a_key_belongs_to_scheme_host_and_port(url: str, name: str) -> None:
    assert server_key.place(url) == name


@pytest.mark.parametrize("url", ["", "lab", "ftp://lab", "http://[::1", "http://lab:port"])
def test_what_is_no_address_has_no_key(url: str) -> None:
    with pytest.raises(EngineError, match="is not an address"):
        server_key.place(url)
    assert asyncio.run(server_key.key_for(url, {})) == ""


async def test_the_environment_comes_before_the_keyring(keyring: Keyring) -> None:
    keys_kept.keep("https://lab.example:443", KEY)
    assert await server_key.key_for("https://lab.example/v1", {}) == KEY
    assert await server_key.key_for("https://lab.example/v1", {"WRITER_API_KEY": "other\n"}) == "other"


@pytest.mark.parametrize("url", ["https://lab.example:8443", "http://lab.example:443", "https://elsewhere.example"])
async def test_the_key_of_one_server_goes_to_no_other(keyring: Keyring, url: str) -> None:
    keys_kept.keep("https://lab.example:443", KEY)
    assert await server_key.key_for(url, {}) == ""


async def test_without_a_keyring_there_is_no_key_and_a_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert await server_key.key_for("https://lab.example", {}) == ""
    with pytest.raises(EngineError, match="pip install keyring"):
        keys_kept.keep("x", KEY)
    with pytest.raises(EngineError, match="pip install keyring"):
        keys_kept.forget("x")


async def test_a_locked_keyring_gives_none_and_says_so_without_the_key(keyring: Keyring) -> None:
    keyring.locked = True
    assert await server_key.key_for("https://lab.example", {}) == ""
    with pytest.raises(EngineError, match="is locked") as caught:
        keys_kept.keep("x", KEY)
    assert KEY not in repr((caught.value.sentence, caught.value.detail, caught.value.__cause__))
    with pytest.raises(EngineError, match="is locked"):
        keys_kept.forget("x")


def test_forgetting_says_whether_there_was_one(keyring: Keyring) -> None:
    keys_kept.keep("x", KEY)
    assert keys_kept.forget("x")
    assert not keys_kept.forget("x")
    assert keyring.stored == {}


async def test_who_stops_waiting_does_not_wait_for_the_keyrings_question(
    keyring: Keyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answered = threading.Event(), threading.Event()

    def asks(service: str, user: str) -> str:
        asked.set()
        answered.wait(30)
        return KEY

    monkeypatch.setattr(sys.modules["keyring"], "get_password", asks)
    task = asyncio.create_task(server_key.key_for("https://lab.example", {}))
    await asyncio.to_thread(asked.wait, 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not answered.is_set()
    answered.set()


@pytest.mark.parametrize(("key", "words"), [("", "wants an API key"), ("wrong", "wants another API key")])
async def test_the_server_is_told_the_stored_key_and_no_sentence_holds_it(
    keyring: Keyring, key: str, words: str
) -> None:
    told: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        told.extend(line[15:] for line in head.split("\r\n") if line.lower().startswith("authorization:"))
        writer.write(b'HTTP/1.1 401 X\r\ncontent-length: 24\r\nconnection: close\r\n\r\n{"error":"Unauthorized"}')
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        if key:
            keys_kept.keep(server_key.place(url), key)
        source = RemoteEngine(EngineSettings(url=url), environ={})
        with pytest.raises(EngineError, match=words) as caught:
            await source.acquire(lambda status: None)
    assert told == ([f"Bearer {key}"] if key else [])
    assert "wrong" not in caught.value.sentence + caught.value.detail


def test_a_plain_address_of_another_machine_is_open() -> None:
    assert server_key.is_open("http://lab.example:8000")
    assert not any(map(server_key.is_open, ("https://lab.example", "http://127.0.0.1:8000", "http+unix://%2Fs", "[")))
