"""What resuming promises, shown on the real engine: the same tokens, all of the cache, a quick abort."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Sequence

import pytest

from writer.config import EngineSettings
from writer.engine import models
from writer.engine.base import ChatMessage, Engine, Request
from writer.engine.lease import KeptEngine
from writer.engine.tokens import decode
from writer.errors import RequestRefused
from writer.generation.model import Delta, Sampling, Saved
from writer.generation.resume import aligned

pytestmark = pytest.mark.engine

CUTS = int(os.environ.get("WRITER_CUTS", "4"))
LENGTH = 110
SAMPLINGS = {
    "greedy": Sampling(temperature=0.0, ignore_eos=True, max_tokens=LENGTH),
    "seeded": Sampling(
        temperature=0.8, top_p=0.95, min_p=0.05, repetition_penalty=1.1, seed=42, ignore_eos=True, max_tokens=LENGTH
    ),
}


@pytest.fixture
async def engine(real_engine: dict[str, str]) -> AsyncIterator[Engine]:
    """A client of the one engine that serves all tests."""
    source = KeptEngine(EngineSettings(keep_warm=60), environ=os.environ)
    attached = await source.acquire(lambda _: None)
    yield attached
    await attached.aclose()
    await source.release(stop=False)


async def _stream(engine: Engine, prompt: Sequence[int], sampling: Sampling, tokens: int) -> list[Delta]:
    return [delta async for delta in engine.stream(Request(tuple(prompt), sampling, tokens))]


def _ids(deltas: list[Delta]) -> tuple[int, ...]:
    return tuple(token for delta in deltas for token in delta.token_ids)


def _saved(deltas: list[Delta]) -> Saved:
    text, ends = "", list[int]()
    for delta in deltas:
        ends += [len(text) + end for end in delta.ends]
        text += delta.text
    return Saved(_ids(deltas), text, tuple(ends), len(deltas))


def _first(saved: Saved, tokens: int) -> Saved:
    """What would be saved had the stream been cut there."""
    ends = saved.ends[:tokens]
    return Saved(saved.token_ids[:tokens], saved.text[: ends[-1]], ends)


async def _prompt(engine: Engine) -> tuple[int, ...]:
    messages = [ChatMessage("system", "You are a novelist."), ChatMessage("user", "Write about a lighthouse.")]
    rendered = await engine.render(messages)
    assert rendered is not None
    return rendered + await engine.tokenize("The keeper climbed the stairs.")


@pytest.mark.parametrize("kind", SAMPLINGS)
async def test_a_resume_at_any_token_goes_on_with_the_same_tokens_from_the_cache(engine: Engine, kind: str) -> None:
    prompt, sampling = await _prompt(engine), SAMPLINGS[kind]
    whole = _saved(await _stream(engine, prompt, sampling, LENGTH))
    assert len(whole.token_ids) == LENGTH
    for cut in random.sample(range(1, LENGTH - 1), CUTS):
        plan = aligned(prompt, _first(whole, cut), block_size=engine.facts.block_size, max_tokens=LENGTH)
        probe = await engine.probe(plan.prompt_ids)
        assert probe.cached_tokens == (len(plan.prompt_ids) - 1) // engine.facts.block_size * engine.facts.block_size
        rest = _ids(await _stream(engine, plan.prompt_ids, sampling, plan.max_tokens))
        assert whole.token_ids[: plan.kept] + rest == whole.token_ids, f"cut after {cut} tokens, {plan.kept} kept"


async def test_the_same_seed_again_writes_the_same_and_another_writes_something_else(engine: Engine) -> None:
    prompt = await _prompt(engine)
    first = _ids(await _stream(engine, prompt, SAMPLINGS["seeded"], 24))
    assert _ids(await _stream(engine, prompt, SAMPLINGS["seeded"], 24)) == first
    assert _ids(await _stream(engine, prompt, Sampling(seed=43, ignore_eos=True), 24)) != first


async def test_decoding_without_the_engine_gives_the_streamed_text(engine: Engine) -> None:
    folder = engine.facts.model_folder
    assert folder is not None
    prompt = await engine.tokenize("海边的村庄🌊，naïve: ")
    wild = Sampling(temperature=2.0, top_p=1.0, repetition_penalty=1.0, seed=3, ignore_eos=True)
    saved = _saved(await _stream(engine, prompt, wild, 100))
    assert decode(folder, saved.token_ids, before=prompt) == saved.text
    assert models.fingerprint(folder).tokenizer == engine.facts.fingerprint.tokenizer


@pytest.mark.parametrize("word", ["🌊", "海", "👩‍👩‍👧"])
async def test_a_cut_inside_a_character_never_repeats_the_prompt(engine: Engine, word: str) -> None:
    opening, ids = await engine.tokenize("It ended with "), await engine.tokenize(word)
    folder = engine.facts.model_folder
    assert folder is not None
    unfinished = [n for n in range(1, len(ids)) if (await engine.detokenize(opening + ids[:n])).endswith("\ufffd")]
    assert unfinished
    for cut in unfinished:
        prompt = opening + ids[:cut]
        saved = _saved(await _stream(engine, prompt, SAMPLINGS["greedy"], 6))
        assert "It ended" not in saved.text
        assert saved.text == decode(folder, saved.token_ids, before=prompt)


async def test_closing_a_stream_frees_the_engine_at_once(engine: Engine) -> None:
    prompt = await _prompt(engine)
    alone = min([(await engine.probe(prompt)).seconds for _ in range(3)])
    stream = engine.stream(Request(prompt, SAMPLINGS["greedy"], 2000))
    seen = 0
    while seen < 8:
        seen += len((await anext(stream)).token_ids)
    begun = time.monotonic()
    await stream.aclose()  # type: ignore[attr-defined]
    assert time.monotonic() - begun < 0.5
    await engine.probe(prompt)
    assert time.monotonic() - begun < 10 * alone + 2  # 2,000 tokens would take half a minute


async def test_a_wrong_request_is_refused_and_the_engine_goes_on(engine: Engine) -> None:
    with pytest.raises(RequestRefused):
        await engine.probe((10_000_000,))
    assert (await engine.probe(await _prompt(engine))).prompt_tokens > 20


async def test_two_streams_at_once_do_not_disturb_each_other(engine: Engine) -> None:
    prompt, sampling = await _prompt(engine), SAMPLINGS["seeded"]
    alone = _ids(await _stream(engine, prompt, sampling, 40))
    other = Sampling(seed=7, temperature=1.0, ignore_eos=True)
    together = await asyncio.gather(_stream(engine, prompt, sampling, 40), _stream(engine, prompt[:-3], other, 40))
    assert _ids(together[0]) == alone
