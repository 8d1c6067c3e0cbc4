"""Servers and addresses that are nonsense: each is one error of ours with one sentence, never a foreign exception."""

from __future__ import annotations

import json
from typing import Any

import pytest
from loopback_server import END, HEAD, Loopback, as_json, chunk, event, play, read

from writer.config import EngineSettings
from writer.engine.client import VllmEngine
from writer.engine.remote import RemoteEngine
from writer.errors import EngineDied, EngineError
from writer.generation.model import Delta

pytest_plugins = ["loopback_fixtures"]


@pytest.mark.parametrize(
    "url", ["http://[::1", "http://host:99999", "http://host:port", "http://a\x00b", "http://\x1b[2J"]
)
async def test_an_address_that_is_none_is_one_sentence(url: str) -> None:
    source = RemoteEngine(EngineSettings(url=url), environ={})
    with pytest.raises(EngineError) as caught:
        await source.acquire(lambda status: None)
    assert not {"\x1b", "\x00", "\n"} & set(caught.value.sentence)
    assert (await source.status()).state == "stopped"


@pytest.mark.parametrize("key", ["ключ", "two words\r\nX: y"])
async def test_a_key_that_no_header_can_hold_is_one_sentence(key: str) -> None:
    with pytest.raises(EngineError, match="WRITER_API_KEY"):
        await VllmEngine.attach(url="http://127.0.0.1:1", api_key=key)


async def test_a_key_with_a_line_break_at_its_end_works(loopback: Loopback) -> None:
    engine = await VllmEngine.attach(socket=loopback.socket, api_key="key\n")
    await engine.aclose()


@pytest.mark.parametrize("answer", [None, {"tokens": None}, {"tokens": ["a"]}, {"tokens": 3}, [1]])
async def test_an_answer_that_is_no_list_of_tokens(
    loopback: Loopback, loopback_engine: VllmEngine, answer: Any
) -> None:
    loopback.answers["/tokenize"] = as_json(answer)
    with pytest.raises(EngineDied):
        await loopback_engine.tokenize("Hi")


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}, {"prompt_tokens": 1, "prompt_tokens_details": 3}])
async def test_a_probe_without_counts(loopback: Loopback, loopback_engine: VllmEngine, usage: Any) -> None:
    loopback.answers["/v1/completions"] = as_json({"usage": usage})
    with pytest.raises(EngineDied):
        await loopback_engine.probe((1, 2))


def _event(**choice: Any) -> bytes:
    whole = {"text": "b", "token_ids": [2], "finish_reason": None} | choice
    return f"data: {json.dumps({'choices': [whole]})}\n\n".encode()


@pytest.mark.parametrize(
    "choice",
    [
        {"text": 5},
        {"token_ids": ["x"]},
        {"token_ids": [-1]},
        {"token_ids": [2**40]},
        {"token_ids": 7},
        {"finish_reason": ["stop"]},
        {"finish_reason": 3},
    ],
)
async def test_an_event_of_wrong_types_is_a_death_and_no_token_is_lost(
    loopback: Loopback, loopback_engine: VllmEngine, choice: dict[str, Any]
) -> None:
    play(loopback, HEAD, chunk(event([1], "a") + _event(**choice)), END)
    deltas: list[Delta] = []
    with pytest.raises(EngineDied, match="The text so far is safe"):
        await read(loopback_engine, deltas)
    assert [(d.token_ids, d.text) for d in deltas] == [((1,), "a")]


async def test_a_body_that_cannot_be_unpacked_is_a_death(loopback: Loopback, loopback_engine: VllmEngine) -> None:
    body = b"not gzip"
    head = f"HTTP/1.1 500 Oops\r\ncontent-encoding: gzip\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    play(loopback, head + body)
    with pytest.raises(EngineDied):
        await read(loopback_engine, [])
    with pytest.raises(EngineDied):
        await loopback_engine.probe((1, 2))
