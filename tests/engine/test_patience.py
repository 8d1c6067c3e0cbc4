"""A server that is busy or not there is asked again, by the test's clock; nothing that was begun is sent twice."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any

import httpx
import pytest

from writer.engine.client_setup import call, open_client
from writer.engine.patience import Patience, PatientClient, retry_after
from writer.errors import EngineDied, EngineError, RequestRefused

BUSY = "http://lab.invalid/v1"


class Clock:
    """Sleeps in no time, and remembers how long."""

    def __init__(self, chance: float = 1.0) -> None:
        self.now, self.slept, self.told = 100.0, list[float](), list[float]()
        self.patience = Patience(
            told=self.told.append, sleep=self._sleep, clock=lambda: self.now, chance=lambda: chance
        )

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Server:
    """Answers in this order; the last one for ever. What is an exception is raised, as by a network."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers, self.asked = list(answers), list[bytes]()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.content)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def busy(status: int, wait: str = "", error: str = "busy") -> httpx.Response:
    """A refusal that may go away."""
    headers = {"retry-after": wait} if wait else {}
    return httpx.Response(status, json={"error": error}, headers=headers)


def fine() -> httpx.Response:
    """An answer."""
    return httpx.Response(200, json={"ok": True})


def client(server: Server, clock: Clock, **options: Any) -> PatientClient:
    """A client of that server."""
    return PatientClient(
        clock.patience, transport=httpx.MockTransport(server), base_url="http://lab.invalid", **options
    )


async def ask(server: Server, clock: Clock, **options: Any) -> Any:
    """One question."""
    async with client(server, clock, **options) as http:
        return await call(http, "POST", "/tokenize", {"prompt": "Sea"})


@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_a_busy_server_is_asked_again_with_growing_pauses(status: int) -> None:
    clock, server = Clock(), Server(busy(status), busy(status), busy(status), fine())
    assert await ask(server, clock) == {"ok": True}
    assert clock.slept == clock.told == [0.5, 1.0, 2.0]
    assert server.asked == [b'{"prompt":"Sea"}'] * 4


async def test_chance_makes_pauses_up_to_half_as_long() -> None:
    clock = Clock(chance=0.0)
    await ask(Server(busy(503), busy(503), fine()), clock)
    assert clock.slept == [0.25, 0.5]


async def test_what_the_server_asks_to_wait_is_waited_and_a_little_more() -> None:
    clock = Clock(chance=0.0)
    await ask(Server(busy(429, "7"), fine()), clock)
    assert clock.slept == [7.125]


async def test_a_server_that_stays_busy_is_given_up_before_silence_would_be_a_death() -> None:
    clock, server = Clock(), Server(busy(503))
    with pytest.raises(EngineDied, match=r"^The server at lab\.invalid has too much to do.*\(503\)"):
        await ask(server, clock)
    assert 30 < sum(clock.slept) <= 40
    assert clock.slept[-1] == 8.0


async def test_a_wait_that_is_too_long_is_told_instead_of_waited() -> None:
    clock, server = Clock(), Server(busy(429, "600"))
    with pytest.raises(RequestRefused, match=r"no more requests for now \(429\).*safe; continue in 10 minutes"):
        await ask(server, clock)
    assert (clock.slept, len(server.asked)) == ([], 1)


async def test_a_connection_that_does_not_come_about_is_tried_three_times() -> None:
    clock, server = Clock(), Server(httpx.ConnectError("refused"))
    with pytest.raises(EngineDied, match=r"^The server at lab\.invalid does not answer\."):
        await ask(server, clock)
    assert (clock.slept, len(server.asked)) == ([0.5, 1.0], 3)
    clock, server = Clock(), Server(httpx.ConnectTimeout("slow"), fine())
    assert await ask(server, clock) == {"ok": True}


@pytest.mark.parametrize("error", [httpx.ReadTimeout("x"), httpx.ReadError("x"), httpx.WriteError("x")])
async def test_what_may_have_been_begun_is_not_sent_again(error: Exception) -> None:
    clock, server = Clock(), Server(error, fine())
    with pytest.raises(EngineDied, match="Your text is safe"):
        await ask(server, clock)
    assert (clock.slept, len(server.asked)) == ([], 1)


def _certificate(code: int) -> httpx.ConnectError:
    cause = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")
    cause.verify_code = code
    error = httpx.ConnectError("tls")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (18, "does not trust the certificate of lab.invalid, so nothing was sent.*SSL_CERT_FILE"),
        (62, "is for another name. Write engine.url"),
        (10, "not valid today. Check this machine's date"),
    ],
)
async def test_a_certificate_that_is_not_right_is_refused_at_once(code: int, words: str) -> None:
    clock, server = Clock(), Server(_certificate(code))
    with pytest.raises(RequestRefused, match=words):
        await ask(server, clock)
    assert (clock.slept, len(server.asked)) == ([], 1)


@pytest.mark.parametrize(
    ("status", "key", "words"),
    [
        (401, "", r"wants an API key \(401\)\. Store it with: writer engine key set"),
        (401, "k", r"wants another API key \(401\)\. Store the right one"),
        (403, "k", r"does not allow this \(403\)\. Ask who runs"),
    ],
)
async def test_a_key_that_is_wrong_or_missing(status: int, key: str, words: str) -> None:
    clock, server = Clock(), Server(busy(status))
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with pytest.raises(RequestRefused, match=words):
        await ask(server, clock, headers=headers)
    assert len(server.asked) == 1


async def test_a_server_that_has_moved_says_where_and_gets_nothing_sent_after_it() -> None:
    answer = httpx.Response(308, headers={"location": "https://new.invalid/v1"})
    server = Server(answer)
    with pytest.raises(RequestRefused, match=r"to another address \(https://new\.invalid/v1\)"):
        await ask(server, Clock())
    assert len(server.asked) == 1


def test_when_to_come_back_is_a_number_or_a_date_or_nothing() -> None:
    def said(value: str) -> float | None:
        return retry_after(httpx.Response(429, headers={"retry-after": value}))

    assert (said("0"), said("12"), said(""), said("soon"), said("-3")) == (0.0, 12.0, None, None, None)
    later = said(formatdate(time.time() + 3600, usegmt=True))
    assert later is not None
    assert 3000 < later <= 3600
    assert said(formatdate(0, usegmt=True)) == 0.0


Plain = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]


async def test_https_where_only_http_is_spoken() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, open_client(None, f"https://127.0.0.1:{port}", "", Clock().patience) as http:
        with pytest.raises(EngineError, match=r"does not speak https there\. Write engine\.url with http://"):
            await call(http, "GET", "/v1/models")


def test_a_file_of_certificates_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    with pytest.raises(EngineError, match="SSL_CERT_FILE or SSL_CERT_DIR names no certificates"):
        open_client(None, "https://lab.invalid", "")
