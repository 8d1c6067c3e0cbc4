"""The client against recorded answers and faults: nothing lost, nothing invented, one sentence for each failure."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from loopback_server import DONE, END, HEAD, SAMPLES, Item, Loopback, chunk, event, plain, play, read

from writer.engine.base import Request
from writer.engine.client import VllmEngine
from writer.errors import EngineDied, RequestRefused
from writer.generation.model import Delta, Sampling

pytest_plugins = ["loopback_fixtures"]


def _whole(deltas: list[Delta]) -> tuple[tuple[int, ...], str]:
    return tuple(i for d in deltas for i in d.token_ids), "".join(d.text for d in deltas)


async def test_the_recorded_stream_cut_anywhere_gives_the_same_tokens(
    loopback: Loopback, loopback_engine: VllmEngine
) -> None:
    recorded = (SAMPLES / "completions_stream.txt").read_bytes()
    for size in (1, 7, 100, 1000, len(recorded)):
        pieces = [recorded[i : i + size] for i in range(0, len(recorded), size)]
        play(loopback, HEAD, *map(chunk, pieces), END)
        deltas: list[Delta] = []
        await read(loopback_engine, deltas)
        assert _whole(deltas) == ((665, 436, 253, 4197, 3365, 3261), " there was a king named King")
        assert deltas[-1].finish_reason == "length"
        assert [d.finish_reason for d in deltas[:-1]] == [None] * (len(deltas) - 1)


async def test_the_request_says_all_that_is_needed_and_no_more_than_fits(
    loopback: Loopback, loopback_engine: VllmEngine
) -> None:
    play(loopback, HEAD, chunk(event([1], "a", "length")), END)
    await read(loopback_engine, [], prompt=(5,) * 8190, tokens=100)
    path, body = loopback.asked[-1]
    assert path == "/v1/completions"
    assert body.pop("prompt") == [5] * 8190
    assert body == {
        "model": "m",
        "max_tokens": 2,
        "temperature": 0.7,
        "top_p": 0.95,
        "top_k": 9,
        "min_p": 0.0,
        "repetition_penalty": 1.05,
        "seed": 5,
        "ignore_eos": False,
        "stream": True,
        "return_token_ids": True,
        "stream_options": {"include_usage": True},
    }


async def test_who_does_not_tell_the_cost_with_the_first_token_is_asked_before_from_then_on(
    loopback: Loopback, loopback_engine: VllmEngine
) -> None:
    usage = b'{"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}'
    cost = b'data: {"object": "writer.cost", "choices": [], "usage": ' + usage + b"}\n\n"
    for before, cached, tells in ((cost, 4, True), (b"", None, False)):
        play(loopback, HEAD, chunk(before + event([1], "a") + event([2], "b", "stop")), END)
        deltas: list[Delta] = []
        await read(loopback_engine, deltas)
        assert (deltas[0].read and deltas[0].read.cached_tokens) == cached
        assert loopback_engine.facts.tells_cost == tells


async def test_ends_tell_which_token_showed_which_text(loopback: Loopback, loopback_engine: VllmEngine) -> None:
    events = event([1], "Sea") + event([2], "") + event([3], "海") + event([4, 5, 6], " and") + event([7], "", "stop")
    play(loopback, HEAD, chunk(events + DONE), END)
    deltas: list[Delta] = []
    await read(loopback_engine, deltas)
    assert deltas == [Delta((1, 2, 3, 4, 5, 6, 7), "Sea海 and", (3, 3, 4, 4, 4, 8, 8), "stop")]


async def test_what_came_while_the_reader_was_busy_is_one_delta(
    loopback: Loopback, loopback_engine: VllmEngine
) -> None:
    play(loopback, HEAD, *(chunk(event([n], "x")) for n in range(50)), 0.05, chunk(event([50], "y", "stop")), END)
    stream = loopback_engine.stream(Request((1,), Sampling(), 100))
    first = await anext(stream)
    time.sleep(0.02)  # as a commit does: nothing else runs in this thread meanwhile
    rest = [delta async for delta in stream]
    assert _whole([first, *rest]) == (tuple(range(51)), "x" * 50 + "y")
    assert len(rest) < 10


async def test_control_codes_of_the_model_never_come_through(loopback: Loopback, loopback_engine: VllmEngine) -> None:
    play(loopback, HEAD, chunk(event([1], "a\x1b[2J\r\n\x9b") + event([2], "b\u202e", "stop")), END)
    deltas: list[Delta] = []
    await read(loopback_engine, deltas)
    assert _whole(deltas)[1] == "a␛[2J\n\ufffdb\ufffd"
    assert deltas[-1].ends[-1] == len(_whole(deltas)[1])


ERROR = b'data: {"error": {"message":"EngineCore encountered an issue","type":"InternalServerError","code":500}}\n\n'
BEGIN = chunk(event([1], "a"))
FAULTS: dict[str, tuple[Item, ...]] = {
    "error event": (HEAD, BEGIN, chunk(ERROR), chunk(DONE), END),
    "error event in the same read": (HEAD, chunk(event([1], "a") + ERROR + DONE), END),
    "only DONE": (HEAD, BEGIN, chunk(DONE), END),
    "end without DONE": (HEAD, BEGIN, END),
    "connection cut": (HEAD, BEGIN, 0.01),
    "connection cut in an event": (HEAD, BEGIN, b"40\r\ndata: {"),
    "not JSON": (HEAD, BEGIN, chunk(b"data: {nonsense\n\n"), END),
    "not an event": (HEAD, BEGIN, chunk(b"data: [1, 2]\n\n"), END),
    "aborted by others": (HEAD, BEGIN, chunk(event([], "", "abort")), END),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_every_end_but_a_finish_reason_is_a_death_and_no_token_is_lost(
    loopback: Loopback, loopback_engine: VllmEngine, name: str
) -> None:
    play(loopback, *FAULTS[name])
    deltas: list[Delta] = []
    with pytest.raises(EngineDied, match=r"The text so far is safe") as caught:
        await read(loopback_engine, deltas)
    assert _whole(deltas) == ((1,), "a")
    assert "\n" not in caught.value.sentence


async def test_a_refusal_that_comes_as_an_event_is_no_death(loopback: Loopback, loopback_engine: VllmEngine) -> None:
    error = (
        b'data: {"error": {"message": "writer_banned has the wrong type", "type": "BadRequestError", "code": 400}}\n\n'
    )
    play(loopback, HEAD, chunk(error + DONE), END)
    with pytest.raises(RequestRefused, match="writer_banned has the wrong type") as caught:
        await read(loopback_engine, [])
    assert "\n" not in caught.value.sentence


async def test_keep_alive_lines_are_no_tokens(loopback: Loopback, loopback_engine: VllmEngine) -> None:
    play(loopback, HEAD, chunk(b": keep-alive\n\n"), 0.01, chunk(event([1], "a", "stop")), END)
    deltas: list[Delta] = []
    await read(loopback_engine, deltas)
    assert len(deltas) == 1


async def test_closing_the_stream_closes_the_connection_at_once(
    loopback: Loopback, loopback_engine: VllmEngine
) -> None:
    gone = asyncio.Event()

    async def play(_: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        try:
            while True:
                writer.write(BEGIN)
                await writer.drain()
                await asyncio.sleep(0.005)  # the pace of an answer that never ends
        except ConnectionError:
            gone.set()

    loopback.play = play
    stream = loopback_engine.stream(Request((1,), Sampling(), 100))
    await anext(stream)
    await asyncio.wait_for(stream.aclose(), 1)
    await asyncio.wait_for(gone.wait(), 1)


async def test_a_read_that_is_given_up_as_data_comes_is_no_error(
    loopback: Loopback, loopback_engine: VllmEngine, caplog: pytest.LogCaptureFixture
) -> None:
    """The transport wakes a future that has been cancelled in the same turn of the loop; that is its own affair."""
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    future.cancel()
    loop.call_soon(future.set_result, None)
    await asyncio.sleep(0)  # one turn of the loop, in which that is called
    assert caplog.records == []
    loop.call_soon(int, "no number")
    await asyncio.sleep(0)  # one turn of the loop, in which that is called
    assert "no number" in caplog.text


async def test_a_cancelled_reader_closes_the_connection_too(loopback: Loopback, loopback_engine: VllmEngine) -> None:
    play(loopback, HEAD, BEGIN, 30.0)
    deltas: list[Delta] = []
    task = asyncio.create_task(read(loopback_engine, deltas))
    async with asyncio.timeout(5):
        while not deltas:
            await asyncio.sleep(0.001)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not [t for t in asyncio.all_tasks() if t.get_coro().__qualname__ == "_pour"]


@pytest.mark.parametrize("what", ["probe", "stream"])
async def test_a_connection_closed_before_any_byte_is_tried_once_more(
    loopback: Loopback, loopback_engine: VllmEngine, what: str
) -> None:
    tries: list[int] = []

    async def play(_: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        tries.append(1)
        if len(tries) > 1 and what == "probe":
            writer.write(plain(200, "application/json", (SAMPLES / "completions.json").read_bytes()))
        elif len(tries) > 1:
            writer.write(HEAD + chunk(event([1], "a", "stop")) + END)

    loopback.play = play
    await (loopback_engine.probe((1, 2)) if what == "probe" else read(loopback_engine, []))
    assert len(tries) == 2


async def test_a_server_that_always_closes_is_a_death(loopback: Loopback, loopback_engine: VllmEngine) -> None:
    play(loopback)
    with pytest.raises(EngineDied):
        await loopback_engine.probe((1, 2))
    with pytest.raises(EngineDied):
        await read(loopback_engine, [])


async def test_a_prompt_that_ends_inside_a_character_is_never_repeated(
    loopback: Loopback, loopback_engine: VllmEngine
) -> None:
    """What vLLM 0.26 to 0.33 do (vllm#48853): the first text is the whole prompt, then the character."""
    pieces = {1: b"The ", 2: "🌊".encode()[:2], 3: "🌊".encode()[2:3], 4: "🌊".encode()[3:], 5: b" rose"}

    async def play(_: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        writer.write(
            HEAD + chunk(event([3], "")) + chunk(event([4], "The 🌊")) + chunk(event([5], " rose", "stop")) + END
        )

    async def detokenize(ids: Any) -> str:
        return b"".join(pieces[i] for i in ids).decode("utf-8", "replace")

    loopback.play = play
    loopback_engine.detokenize = detokenize  # type: ignore[method-assign]
    deltas: list[Delta] = []
    await read(loopback_engine, deltas, prompt=(1, 2))
    assert _whole(deltas) == ((3, 4, 5), "🌊 rose")


async def test_parsing_keeps_up(loopback: Loopback, loopback_engine: VllmEngine) -> None:
    count = 5000
    play(
        loopback,
        HEAD + b"".join(chunk(event([n], "word ")) for n in range(count)) + chunk(event([0], "", "stop")) + END,
    )
    deltas: list[Delta] = []
    begun = time.process_time()
    await read(loopback_engine, deltas)
    assert len(_whole(deltas)[0]) == count + 1
    assert time.process_time() - begun < 5  # 0.2 s on an idle machine; far above any engine's rate even so


async def test_an_engine_that_was_given_up_is_a_dead_one_for_whoever_still_asks_it(loopback_engine: VllmEngine) -> None:
    """What is planned beside a text may hold on to an engine that another one has just taken the place of."""
    await loopback_engine.aclose()
    asked = [
        lambda: loopback_engine.tokenize("a"),
        lambda: loopback_engine.detokenize([1]),
        lambda: loopback_engine.probe([1]),
        lambda: loopback_engine.alternatives([1], 3),
        lambda: loopback_engine.confidence([1, 2], 1),
        lambda: read(loopback_engine, []),
    ]
    for ask in asked:
        with pytest.raises(EngineDied):
            await ask()
