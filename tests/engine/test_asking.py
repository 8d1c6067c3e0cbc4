"""What a request says to vLLM, and what it must never say to an engine that would ignore it."""

from __future__ import annotations

import importlib
from dataclasses import replace
from types import ModuleType

import pytest

from writer.engine.asking import completion
from writer.engine.base import EngineFacts, Request
from writer.errors import RequestRefused
from writer.generation.model import Fingerprint
from writer.generation.sampling import Sampling
from writer.presets import WRITING

ABLE = EngineFacts("m", "vllm 0.32.0", "cpu", 100, 32, Fingerprint(), word_control=True)
UNABLE = replace(ABLE, device="gpu", word_control=False)
ALL = Sampling(
    presence_penalty=0.5,
    frequency_penalty=0.25,
    dry_multiplier=0.8,
    xtc_probability=0.5,
    banned=("delve",),
    seed=3,
)
EACH = {
    "presence_penalty": 0.5,
    "frequency_penalty": -0.5,
    "dry_multiplier": 0.8,
    "xtc_probability": 0.1,
    "banned": ("delve",),
}


def test_a_plain_request_says_nothing_to_our_processor() -> None:
    body = completion(UNABLE, Request((1, 2, 3), Sampling(seed=7), 10, generated=2))
    assert not {"vllm_xargs", "min_tokens", "stop", "bad_words", "presence_penalty"} & set(body)
    assert (body["prompt"], body["max_tokens"], body["seed"]) == ([1, 2, 3], 10, 7)


def test_what_the_processor_is_told_is_what_it_reads(writer_sampler: ModuleType) -> None:
    assert "seed" not in completion(ABLE, Request((1, 2), ALL, 10))  # two draws for one token
    told = completion(ABLE, Request((1, 2, 3, 4, 5), ALL, 10, generated=2))["vllm_xargs"]
    wishes = importlib.import_module("writer_wishes").read(told)
    assert (wishes.seed, wishes.prompt) == (ALL.seed, 3)
    assert (wishes.presence, wishes.frequency) == (0.5, 0.25)
    assert (wishes.dry_multiplier, wishes.dry_base, wishes.dry_length, wishes.dry_range) == (0.8, 1.75, 2, 0)
    assert wishes.dry_breakers == ALL.dry_breakers
    assert (wishes.xtc_threshold, wishes.xtc_probability, wishes.banned) == (0.1, 0.5, ("delve",))


@pytest.mark.parametrize("name", EACH)
def test_what_an_engine_cannot_do_is_refused_by_name(name: str) -> None:
    request = Request((1,), Sampling(**{name: EACH[name]}), 10)  # type: ignore[arg-type]
    with pytest.raises(RequestRefused, match=f"cannot do {name}:.*then begin anew") as caught:
        completion(UNABLE, request)
    assert "\n" not in caught.value.sentence
    assert completion(ABLE, request)["vllm_xargs"]


def test_the_settings_that_need_our_processor_are_marked_as_such() -> None:
    assert {name for name, each in WRITING.items() if each.word_control} == set(EACH)
    with pytest.raises(RequestRefused, match="dry_multiplier, xtc_probability and banned"):
        completion(UNABLE, Request((1,), ALL, 10))


@pytest.mark.parametrize(("generated", "least"), [(0, 8), (5, 3), (8, None), (9, None)])
def test_the_least_number_of_tokens_is_less_what_was_generated(generated: int, least: int | None) -> None:
    body = completion(ABLE, Request((1,) * 10, Sampling(min_tokens=8), 20, generated=generated))
    assert body.get("min_tokens") == least


def test_the_least_number_of_tokens_is_never_beyond_the_most() -> None:
    body = completion(ABLE, Request((1,) * 95, Sampling(min_tokens=8), 20))
    assert (body["max_tokens"], body["min_tokens"]) == (5, 5)
