"""Word-level control on the real engine: every setting acts, and a resume at any token goes on as if there were no cut.

`WRITER_SAMPLING_CUTS` (2) is the number of cuts for each setting, each tried aligned and plain.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from plugin_modules import PLUGIN

from writer.config import EngineSettings
from writer.engine.base import Engine, Request
from writer.engine.lease import KeptEngine
from writer.errors import RequestRefused
from writer.generation.model import Sampling, Saved
from writer.generation.resume import ResumePlan, aligned, plain

pytestmark = pytest.mark.engine

CUTS = int(os.environ.get("WRITER_SAMPLING_CUTS", "2"))
LENGTH = 64
AT_ONCE = 10
SEED = 20261129
OPENING = "The keeper climbed the stairs. The keeper lit the lamp. The keeper looked at the sea. The keeper"
SETTINGS: dict[str, dict[str, Any]] = {
    "none": {},
    "repetition": {"repetition_penalty": 1.15},
    "presence": {"presence_penalty": 1.2},
    "frequency": {"frequency_penalty": 0.8},
    "dry": {"dry_multiplier": 0.8},
    "xtc": {"xtc_probability": 0.5, "xtc_threshold": 0.08},
    "banned": {"banned": ("sea", "keeper", "the light")},
    "everything": {
        "presence_penalty": 0.4,
        "frequency_penalty": 0.2,
        "dry_multiplier": 0.8,
        "xtc_probability": 0.4,
        "banned": ("sea",),
        "repetition_penalty": 1.1,
        "min_tokens": 50,
    },
}


def sampling(kind: str, **others: Any) -> Sampling:
    base = {"temperature": 0.9, "top_p": 0.98, "min_p": 0.02, "repetition_penalty": 1.0, "seed": 42, "ignore_eos": True}
    return Sampling(**{**base, "max_tokens": LENGTH, **SETTINGS[kind], **others})


@pytest.fixture
async def engine(real_engine: dict[str, str]) -> AsyncIterator[Engine]:
    """A client of the one engine that serves all tests."""
    source = KeptEngine(EngineSettings(keep_warm=60), environ=os.environ)
    attached = await source.acquire(lambda _: None)
    yield attached
    await attached.aclose()
    await source.release(stop=False)


async def written(engine: Engine, request: Request) -> Saved:
    text, ids, ends = "", list[int](), list[int]()
    async for delta in engine.stream(request):
        ends += [len(text) + end for end in delta.ends]
        text += delta.text
        ids += delta.token_ids
    return Saved(tuple(ids), text, tuple(ends))


WHOLE: dict[str, Saved] = {}  # what each setting writes when nothing cuts it


async def uncut(engine: Engine, kind: str) -> Saved:
    """The text of a setting, written once for all tests."""
    if kind not in WHOLE:
        request = Request(await engine.tokenize(OPENING), sampling(kind), LENGTH)
        WHOLE[kind] = await written(engine, request)
    return WHOLE[kind]


def first(saved: Saved, tokens: int) -> Saved:
    """What would be saved had the stream been cut there."""
    return Saved(saved.token_ids[:tokens], saved.text[: saved.ends[tokens - 1]], saved.ends[:tokens])


def plans(engine: Engine, prompt: Sequence[int], whole: Saved, cuts: Sequence[int]) -> list[ResumePlan]:
    block = engine.facts.block_size
    return [
        plan
        for saved in (first(whole, cut) for cut in cuts)
        for plan in (
            aligned(prompt, saved, block_size=block, max_tokens=LENGTH),
            plain(prompt, saved, max_tokens=LENGTH),
        )
    ]


async def resumed(engine: Engine, drawn: Sampling, made: Sequence[ResumePlan], *, told: bool = True) -> list[Saved]:
    """What comes after each plan. `told`: whether the engine hears what of the prompt was generated."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(plan: ResumePlan) -> Saved:
        async with room:
            generated = plan.kept if told else 0
            return await written(engine, Request(plan.prompt_ids, drawn, plan.max_tokens, generated))

    return await asyncio.gather(*map(one, made))


@pytest.mark.parametrize("kind", SETTINGS)
async def test_a_resume_at_any_token_draws_the_same(engine: Engine, kind: str) -> None:
    prompt, drawn, whole = await engine.tokenize(OPENING), sampling(kind), await uncut(engine, kind)
    assert len(whole.token_ids) == LENGTH
    cuts = random.Random(f"{SEED} {kind}").sample(range(1, LENGTH - 1), CUTS)
    made = plans(engine, prompt, whole, cuts)
    unequal = [
        f"cut behind {plan.start} tokens, {plan.kept} kept"
        for plan, rest in zip(made, await resumed(engine, drawn, made), strict=True)
        if whole.token_ids[: plan.kept] + rest.token_ids != whole.token_ids
    ]
    assert unequal == []


@pytest.mark.parametrize("kind", [kind for kind in SETTINGS if kind != "none"])
async def test_each_setting_changes_what_is_drawn(engine: Engine, kind: str) -> None:
    assert (await uncut(engine, kind)).token_ids != (await uncut(engine, "none")).token_ids


async def test_penalties_need_to_know_what_was_generated(engine: Engine) -> None:
    """Without it the resumes go another way: so the equality above is no accident."""
    prompt, drawn = await engine.tokenize(OPENING), sampling("frequency")
    whole = await uncut(engine, "frequency")
    made = plans(engine, prompt, whole, [LENGTH // 2, LENGTH // 3])
    for plan, rest in zip(made, await resumed(engine, drawn, made, told=False), strict=True):
        assert whole.token_ids[: plan.kept] + rest.token_ids != whole.token_ids


async def test_banned_words_are_never_written(engine: Engine) -> None:
    prompt = await engine.tokenize(OPENING)
    greedy = {"temperature": 0.0, "seed": 1}
    without = await written(engine, Request(prompt, sampling("none", **greedy), LENGTH))
    assert " keeper" in without.text
    having = await written(engine, Request(prompt, sampling("banned", **greedy), LENGTH))
    assert not {"keeper", "Keeper", "sea"} & set(having.text.replace(".", " ").replace(",", " ").split())


async def test_dry_keeps_a_greedy_model_from_going_on_with_a_repetition(engine: Engine) -> None:
    prompt = await engine.tokenize("one two three four five\n" * 6 + "one two three")
    greedy = {"temperature": 0.0, "dry_breakers": ()}
    without = await written(engine, Request(prompt, sampling("none", **greedy), 30))
    having = await written(engine, Request(prompt, sampling("dry", **greedy), 30))
    assert without.text.startswith(" four five")
    assert not having.text.startswith(" four five")


async def test_the_least_length_holds_across_a_cut(engine: Engine) -> None:
    messages = "<|im_start|>user\nSay yes.<|im_end|>\n<|im_start|>assistant\n"
    prompt = await engine.tokenize(messages)
    short = await written(engine, Request(prompt, sampling("none", temperature=0.0, ignore_eos=False), 60))
    assert len(short.token_ids) < 40
    drawn = sampling("none", temperature=0.0, ignore_eos=False, min_tokens=40)
    whole = await written(engine, Request(prompt, drawn, 60))
    assert len(whole.token_ids) >= 40
    cut = first(whole, 20)
    rest = await written(engine, Request((*prompt, *cut.token_ids), drawn, 40, generated=20))
    assert cut.token_ids + rest.token_ids == whole.token_ids


async def test_a_wish_that_makes_no_sense_is_refused_and_the_engine_goes_on(engine: Engine) -> None:
    prompt = await engine.tokenize(OPENING)
    with pytest.raises(RequestRefused, match="writer_banned"):
        await written(engine, Request(prompt, sampling("none", banned=("",)), 4))
    assert (await engine.probe(prompt)).prompt_tokens == len(prompt)


COMPUTE = """
import json, sys
import torch
from transformers import AutoModelForCausalLM
folder, ids = sys.argv[1], json.loads(sys.argv[2])
model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
with torch.no_grad():
    chances = model(torch.tensor([ids])).logits[0].double().softmax(-1)
likeliest = torch.topk(chances[-1], 8)
each = [float(chances[at - 1][ids[at]]) for at in range(1, len(ids))]
print(json.dumps([likeliest.indices.tolist(), likeliest.values.tolist(), each]))
"""


async def computed(folder: Path, ids: Sequence[int]) -> tuple[dict[int, float], list[float]]:
    """The likeliest eight ids to follow with their probabilities, and each id's own, by the same model elsewhere."""
    environ = os.environ | {"PYTHONPATH": str(PLUGIN / "site"), "HF_HUB_OFFLINE": "1"}
    words = (sys.executable, "-c", COMPUTE, str(folder), json.dumps(list(ids)))
    made = await asyncio.to_thread(subprocess.run, words, env=environ, capture_output=True, text=True, check=True)
    tokens, chances, each = json.loads(made.stdout)
    return dict(zip(tokens, chances, strict=True)), each


async def test_alternatives_and_confidence_are_what_the_model_computes(engine: Engine) -> None:
    prompt = await engine.tokenize("The old lighthouse keeper climbed the winding stairs and lit the lamp before")
    assert engine.facts.model_folder is not None
    expected, each_id = await computed(engine.facts.model_folder, prompt)
    found = await engine.alternatives(prompt, 8)
    for each in found:
        assert each.probability == pytest.approx(expected[each.token_ids[0]], rel=1e-3)
        assert each.text == (await engine.detokenize([*prompt[-1:], *each.token_ids])).removeprefix(
            await engine.detokenize(prompt[-1:])
        )
        assert each.text.startswith(" ")
        assert each.text[1:].isalpha()
    assert [each.probability for each in found] == sorted((each.probability for each in found), reverse=True)
    sure = await engine.confidence(prompt, 3)
    assert sure == pytest.approx(each_id[2:], rel=1e-3)
    assert await engine.confidence(prompt, len(prompt)) == ()
