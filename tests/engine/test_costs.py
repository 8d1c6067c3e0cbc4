"""The middleware that tells what reading a prompt cost, and the client that hears it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from writer.engine import client
from writer.engine.arrivals import Event, parse
from writer.engine.reading_cost import ReadingCost
from writer.engine.sse import EventParser
from writer.errors import EngineDied
from writer.generation.model import Delta

sys.path.append(str(Path(client.__file__).parent / "plugin"))
from writer_costs import Costs


def output(cached: int = 96, prompt: int = 100) -> SimpleNamespace:
    return SimpleNamespace(num_cached_tokens=cached, prompt_token_ids=list(range(prompt)))


class Server:
    """An ASGI app that streams what its engine client generates, as vLLM does."""

    def __init__(self, *outputs: Any) -> None:
        self._outputs = outputs
        self.closed = 0
        self.state = SimpleNamespace(engine_client=self)
        self.leave_after = 99

    async def generate(self) -> AsyncGenerator[Any, None]:
        try:
            for output in self._outputs:
                await asyncio.sleep(0)
                yield output
        finally:
            self.closed += 1

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        stream = self.state.engine_client.generate()
        number = 0
        async for _ in stream:
            await send({"type": "http.response.body", "body": b'data: {"choices": []}\n\n'})
            if (number := number + 1) >= self.leave_after:
                break
        await stream.aclose()


async def answered(server: Server, *, asks: bool = True, path: str = "/v1/completions") -> list[bytes]:
    """The events of the answer."""
    sent: list[bytes] = []

    async def send(message: Any) -> None:
        sent.append(message.get("body", b""))

    headers = [(b"x-writer-cost", b"1")] if asks else []
    await Costs(server)({"type": "http", "path": path, "headers": headers, "app": server}, None, send)
    return EventParser().feed(b"".join(sent))


def counts(payloads: list[bytes]) -> list[tuple[int, int] | None]:
    return [event.cost for payload in payloads if (event := parse(payload))]


async def test_the_cost_comes_once_and_before_the_first_token() -> None:
    payloads = await answered(Server(output(), output(), output()))
    assert counts(payloads[:1]) == [(100, 96)]
    assert len(payloads) == 4
    assert not counts(payloads[1:])


async def test_who_does_not_ask_is_not_told() -> None:
    assert len(await answered(Server(output()), asks=False)) == 1
    assert len(await answered(Server(output()), path="/v1/chat/completions")) == 1


async def test_texts_at_once_are_told_their_own() -> None:
    class Turns(Server):
        async def generate(self) -> AsyncGenerator[Any, None]:
            self.closed += 1
            mine = self.closed
            await asyncio.sleep(0.01 * (3 - mine))  # the last one answers first
            yield output(mine, 9)

    server = Turns()
    found = await asyncio.gather(*(answered(server) for _ in range(3)))
    assert sorted(counts(each)[0] or () for each in found) == [(9, 1), (9, 2), (9, 3)]


async def test_who_leaves_early_ends_the_generation() -> None:
    server = Server(output(), output(), output())
    server.leave_after = 1
    await answered(server)
    assert server.closed == 1


async def test_the_prompt_is_not_sent_back() -> None:
    first = output()
    await answered(Server(first), asks=True)
    assert first.prompt_token_ids == []
    await answered(Server(second := output()), asks=False)
    assert len(second.prompt_token_ids) == 100


@pytest.mark.parametrize("said", [SimpleNamespace(), SimpleNamespace(num_cached_tokens=None, prompt_token_ids=[1])])
async def test_an_engine_that_does_not_say_it_is_passed_on(said: Any) -> None:
    assert counts(await answered(Server(said))) == []


def test_only_the_first_delta_has_the_cost() -> None:
    cost, delta = ReadingCost(), Delta((1,), "a", (1,))
    assert cost.missing
    cost.heard([Event((1,), "a")])
    assert cost.on(delta).read is None
    cost.heard([Event((), "", cost=(9, 4)), Event((2,), "b")])
    read = cost.on(delta).read
    assert read is not None
    assert (read.prompt_tokens, read.cached_tokens) == (9, 4)
    assert read.seconds >= 0
    assert cost.on(delta).read is None


@pytest.mark.parametrize("usage", ["{}", '{"prompt_tokens": "many"}', "[]"])
def test_a_cost_that_is_none_is_no_event(usage: str) -> None:
    with pytest.raises(EngineDied):
        parse(f'{{"object": "writer.cost", "choices": [], "usage": {usage}}}'.encode())
