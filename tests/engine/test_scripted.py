"""The scripted engine keeps a real engine's promises, and breaks them only where its script says so."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.engine import scripted_words as words
from writer.engine.base import ChatMessage, Request
from writer.engine.scripted import ScriptedEngine
from writer.engine.scripted_source import ScriptedSource
from writer.errors import ConfigError, EngineDied, PromptTooLong
from writer.generation.model import Delta, Sampling


def _source(**script: object) -> ScriptedSource:
    return ScriptedSource({"WRITER_SCRIPT": json.dumps(script)})


async def _engine(**script: object) -> ScriptedEngine:
    return await _source(**script).acquire(lambda _: None)


async def _stream(engine: ScriptedEngine, prompt: tuple[int, ...], sampling: Sampling, tokens: int) -> list[Delta]:
    return [delta async for delta in engine.stream(Request(prompt, sampling, tokens))]


def _ids(deltas: list[Delta]) -> tuple[int, ...]:
    return tuple(token for delta in deltas for token in delta.token_ids)


def _text(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas)


@given(st.text())
def test_any_text_is_tokenised_and_comes_back(text: str) -> None:
    safe = text.encode("utf-8", "replace").decode()
    assert words.detokenize(words.tokenize(text)) == safe


@pytest.mark.parametrize("temperature", [0.0, 0.8])
async def test_every_cut_goes_on_with_the_same_tokens(temperature: float) -> None:
    sampling = Sampling(seed=7, temperature=temperature)
    prompt = await (await _engine()).tokenize("Once upon a time", special=True)
    whole = _ids(await _stream(await _engine(), prompt, sampling, 80))
    for cut in range(1, 80):
        rest = _ids(await _stream(await _engine(), prompt + whole[:cut], sampling, 80 - cut))
        assert whole[:cut] + rest == whole


async def test_seed_model_and_temperature_matter() -> None:
    first = _ids(await _stream(await _engine(), (1,), Sampling(seed=1), 50))
    assert first == _ids(await _stream(await _engine(), (1,), Sampling(seed=1), 50))
    assert first != _ids(await _stream(await _engine(), (1,), Sampling(seed=2), 50))
    assert first != _ids(await _stream(await _engine(), (1,), Sampling(seed=1, temperature=0), 50))
    assert first != _ids(await _stream(await _engine(model="other"), (1,), Sampling(seed=1), 50))


async def test_text_is_the_ids_and_split_characters_show_at_their_last_token() -> None:
    deltas = await _stream(await _engine(), (1,), Sampling(seed=4), 2000)
    assert _text(deltas).rstrip("\ufffd") == words.detokenize(_ids(deltas)).rstrip("\ufffd")
    assert "\ufffd" not in _text(deltas)
    assert {"🌊", "海", "é"} <= set(_text(deltas))
    shows = [(b - a, token) for d in deltas for a, b, token in zip((0, *d.ends), d.ends, d.token_ids, strict=False)]
    assert sum(count for count, _ in shows) == len(_text(deltas))
    silent = [token for count, token in shows if count == 0]
    assert silent
    assert all(words.detokenize([token]).endswith("\ufffd") for token in silent)


async def test_a_prompt_that_ends_inside_a_character_is_not_repeated() -> None:
    deltas = await _stream(await _engine(batch=[1, 1]), (1,), Sampling(seed=4), 300)
    ids = _ids(deltas)
    cut = next(n for n in range(1, 300) if words.detokenize(ids[:n]).endswith("\ufffd"))
    rest = await _stream(await _engine(), (1, *ids[:cut]), Sampling(seed=4), 300 - cut)
    assert "".join(d.text for d in deltas[:cut]) + _text(rest) == _text(deltas)


async def test_cached_tokens_are_all_whole_blocks_but_the_last_token() -> None:
    engine = await _engine()
    prompt = tuple(range(300, 340))
    assert (await engine.probe(prompt)).cached_tokens == 0
    assert (await engine.probe(prompt)).cached_tokens == 32
    assert (await engine.probe(prompt[:32])).cached_tokens == 0
    ids = _ids(await _stream(engine, prompt, Sampling(), 60))
    assert (await engine.probe(prompt + ids)).cached_tokens == 96
    assert (await engine.probe((9, *prompt[1:], *ids))).cached_tokens == 0


async def test_with_a_file_a_new_process_finds_the_cache_warm(tmp_path: Path) -> None:
    file = str(tmp_path / "cache")
    await (await _engine(cache_file=file)).probe(tuple(range(100)))
    assert (await (await _engine(cache_file=file)).probe(tuple(range(100)))).cached_tokens == 96


async def test_window_and_limit() -> None:
    engine = await _engine(window=50)
    deltas = await _stream(engine, (5,) * 40, Sampling(), 1000)
    assert len(_ids(deltas)) == 10
    assert deltas[-1].finish_reason == "length"
    with pytest.raises(PromptTooLong, match="50 tokens"):
        await _stream(engine, (5,) * 50, Sampling(), 1)
    with pytest.raises(PromptTooLong):
        await engine.probe((5,) * 51)


async def test_the_model_ends_its_text() -> None:
    deltas = await _stream(await _engine(finish_at=20), (1,), Sampling(), 100)
    assert deltas[-1].finish_reason == "stop"
    assert _ids(deltas)[-1] == words.EOS
    assert len(_ids(deltas)) == 21
    assert len(_ids(await _stream(await _engine(finish_at=20), (1,), Sampling(ignore_eos=True), 100))) == 100
    resumed = await _stream(await _engine(end_position=30), (1, *_ids(deltas)[:9]), Sampling(), 100)
    assert len(_ids(resumed)) == 21


@pytest.mark.parametrize("fault", ["die_at", "eof_at"])
@pytest.mark.parametrize("at", [0, 1, 13])
async def test_a_fault_comes_after_exactly_that_many_tokens(fault: str, at: int) -> None:
    engine = await _engine(**{fault: at})
    seen: list[Delta] = []

    async def watch() -> None:
        async for delta in engine.stream(Request((1,), Sampling(), 50)):
            seen.append(delta)

    with pytest.raises(EngineDied):
        await watch()
    assert len(_ids(seen)) == at


async def test_a_dead_engine_stays_dead_until_restart() -> None:
    source = _source(die_at=5, die_once=True)
    engine = await source.acquire(lambda _: None)
    await engine.probe((1,) * 40)
    with pytest.raises(EngineDied):
        await _stream(engine, (1,), Sampling(), 50)
    with pytest.raises(EngineDied):
        await engine.probe((1,))
    assert (await source.status()).state == "failed"
    again = await source.restart(lambda _: None)
    assert (await again.probe((1,) * 40)).cached_tokens == 0
    assert len(_ids(await _stream(again, (1,), Sampling(), 50))) == 50


async def test_a_hanging_engine_gives_no_more_tokens_and_no_error() -> None:
    stream = (await _engine(hang_at=3)).stream(Request((1,), Sampling(), 50))
    seen = 0
    while seen < 3:
        seen += len((await anext(stream)).token_ids)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(stream), 0.05)
    await stream.aclose()


async def test_the_template_leaves_the_assistant_turn_open() -> None:
    messages = [ChatMessage("user", "Write 海")]
    ids = await (await _engine()).render(messages)
    assert ids is not None
    assert words.detokenize(ids) == "<user>\nWrite 海\n<assistant>\n"
    assert await (await _engine(template=False)).render(messages) is None


@pytest.mark.parametrize(
    ("text", "said"), [("{", "not valid JSON"), ("[]", "JSON object"), ('{"dieat": 1}', '"die_at"')]
)
def test_a_wrong_script_is_one_sentence(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        ScriptedSource({"WRITER_SCRIPT": text})


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(0, 2**63 - 1), st.tuples(st.integers(1, 3), st.integers(3, 9)))
def test_batches_have_the_size_that_was_asked_for(tokens: int, seed: int, batch: tuple[int, int]) -> None:
    async def sizes() -> list[int]:
        return [len(d.token_ids) for d in await _stream(await _engine(batch=batch), (1,), Sampling(seed=seed), tokens)]

    found = asyncio.run(sizes())
    assert sum(found) == tokens
    assert all(batch[0] <= size <= batch[1] for size in found[:-1])
