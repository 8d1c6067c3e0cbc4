"""DRY, XTC, penalties and banned words as they run inside vLLM, against plain definitions."""

from __future__ import annotations

import json
import random
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plugin_modules import update

torch = pytest.importorskip("torch")
tokenizers = pytest.importorskip("tokenizers")

WORDS = [
    "the",
    "Ġthe",
    "Ġkeeper",
    "Ġcat",
    "cat",
    "hedral",
    "Ġcathedral",
    "Ġcon",
    "cat",
    "enate",
    ".",
    "Ċ",
    "ĊĊ",
    "Ġdel",
]
WORDS += ["ve", "ved", "vet", "ĠDEL", "VE", '."', "æµ", "·", "Ġsea", "s", "Ġconcatenate", '"', "Ġdelve", "Ġdelve,", "a"]
WORDS += ["Ġto"]


@pytest.fixture(autouse=True)
def modules(writer_sampler: ModuleType) -> None:
    """The plugin's modules can be imported by name."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model folder with the tokenizer of a byte-level model."""
    folder = tmp_path_factory.mktemp("model")
    vocabulary = {token: index for index, token in enumerate(dict.fromkeys(WORDS))}
    table = {"type": "BPE", "vocab": vocabulary, "merges": []}
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    end = {"id": len(vocabulary), "content": "<|end|>", **added}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    (folder / "tokenizer.json").write_text(
        json.dumps({"version": "1.0", "added_tokens": [end], "decoder": byte_level, "model": table})
    )
    return str(folder)


def ids_of(*tokens: str) -> list[int]:
    order = list(dict.fromkeys(WORDS))
    return [order.index(token) for token in tokens]


def module(name: str) -> Any:
    return sys.modules[name]


def dry_by_definition(
    ids: list[int], breakers: set[int], allowed: int, base: float, multiplier: float
) -> dict[int, float]:
    """For every id: the longest n for which the last n ids, none of them a breaker, stand just before it earlier."""
    longest: dict[int, int] = {}
    for at in range(1, len(ids)):
        if ids[at] in breakers:
            continue
        n = 0
        while n < at and ids[at - 1 - n] == ids[-1 - n] and ids[at - 1 - n] not in breakers:
            n += 1
        longest[ids[at]] = max(n, longest.get(ids[at], 0))
    return {token: multiplier * base ** (n - allowed) for token, n in longest.items() if n >= max(1, allowed)}


@settings(max_examples=300)
@given(
    ids=st.lists(st.integers(0, 4), min_size=1, max_size=60),
    breakers=st.sets(st.integers(0, 4), max_size=2),
    allowed=st.integers(1, 4),
    reach=st.sampled_from([0, 0, 3, 20]),
)
def test_dry_is_what_its_definition_says(ids: list[int], breakers: set[int], allowed: int, reach: int) -> None:
    breaks = np.array([each in breakers for each in range(5)])
    tokens, lost = module("writer_dry").penalties(
        np.array(ids), breaks, multiplier=0.8, base=1.75, allowed=allowed, reach=reach
    )
    found = dict(zip(tokens.tolist(), lost.tolist(), strict=True))
    assert found == pytest.approx(dry_by_definition(ids[-reach:], breakers, allowed, 1.75, 0.8))


def test_an_endless_repetition_has_a_finite_penalty() -> None:
    tokens, lost = module("writer_dry").penalties(
        np.zeros(4000, dtype=np.int64), np.zeros(1, dtype=bool), multiplier=0.8, base=4.0, allowed=2, reach=0
    )
    assert tokens.tolist() == [0]
    assert np.isfinite(np.float32(lost[0] * 100))


def test_xtc_leaves_the_least_likely_of_the_top_choices() -> None:
    chances = np.array([0.4, 0.3, 0.15, 0.1, 0.05])
    ids, logits = np.arange(5) + 10, np.log(chances) + 3
    kept, kept_logits = module("writer_draw").without_top(ids, logits, 0.12)
    assert kept.tolist() == [12, 13, 14]
    assert np.array_equal(kept_logits, logits[2:])
    assert module("writer_draw").without_top(ids, logits, 0.35)[0].tolist() == ids.tolist()  # only one is at the top
    assert module("writer_draw").without_top(ids, logits, 0.12, {11})[0].tolist() == ids.tolist()
    assert module("writer_draw").without_top(ids, logits, 0.12, {12})[0].tolist() == [12, 13, 14]


def test_the_coin_is_fair_and_apart_from_the_noise() -> None:
    draw = module("writer_draw")
    coins = np.array([draw.coin(42, position) for position in range(20_000)])
    assert abs(coins.mean() - 0.5) < 0.01
    assert abs((coins < 0.3).mean() - 0.3) < 0.013
    assert coins[7] == draw.coin(42, 7)
    assert abs(np.corrcoef(coins, [draw.coin(43, position) for position in range(20_000)])[0, 1]) < 0.03
    noise = [float(draw.gumbel(42, position, np.array([5]))[0]) for position in range(20_000)]
    assert abs(np.corrcoef(coins, noise)[0, 1]) < 0.03


def test_xtc_is_tossed_for_with_its_probability() -> None:
    draw = module("writer_draw")
    row = torch.tensor([3.0, 2.9, -50.0, -60.0])
    drawing = draw.Drawing(7, 0, 1.0, xtc_threshold=0.1, xtc_probability=0.5)
    firsts = sum(draw.choose(row, drawing, position) == 0 for position in range(2000))
    assert 440 < firsts < 610  # half of 52 %


def params(seed: int | None = 1, temperature: float = 0.8, **wishes: object) -> SimpleNamespace:
    extra = {f"writer_{name}": value for name, value in wishes.items()}
    return SimpleNamespace(
        seed=seed, temperature=temperature, top_k=0, top_p=0.95, extra_args=extra or None, all_stop_token_ids={9}
    )


def shaped(sampler: ModuleType, model: str, before: list[int], output: list[int], **wishes: object) -> Any:
    """The row of zeros that a request with these ids and wishes makes."""
    config = SimpleNamespace(model_config=SimpleNamespace(model=model))
    control = sampler.WordControl(config, None, False)
    control.update_state(update(added=[(0, params(**wishes), before, output)]))
    return control.apply(torch.zeros(1, 64))[0]


def test_penalties_count_what_was_generated_wherever_the_request_was_cut(
    writer_sampler: ModuleType, model: str
) -> None:
    prompt, output = [1, 2, 3], [4, 5, 4, 1]
    whole = shaped(writer_sampler, model, prompt, output, presence=0.5, frequency=0.25, prompt=3)
    expected = torch.zeros(64)
    expected[4], expected[5], expected[1] = -1.0, -0.75, -0.75
    assert torch.equal(whole, expected)
    for cut in range(5):
        joined = [*prompt, *output[:cut]]
        again = shaped(writer_sampler, model, joined, output[cut:], presence=0.5, frequency=0.25, prompt=3)
        assert torch.equal(again, whole)
    mistaken = shaped(writer_sampler, model, [*prompt, *output[:2]], output[2:], presence=0.5, frequency=0.25)
    assert not torch.equal(mistaken, whole)  # so it is the prompt's length that does it


@pytest.mark.parametrize(
    ("before", "token", "forbidden"),
    [
        (["the", "Ġdel"], "ve", True),
        (["the", "Ġdel"], "ved", False),  # "delved" is another word
        (["the", "Ġdel"], "vet", False),
        (["the", "ĠDEL"], "VE", True),
        (["the", "ĠDEL"], "ve", False),
        (["the"], "Ġdelve", True),
        (["the"], "Ġdelve,", True),
        (["the", "Ġcon"], "cat", False),
        (["the", '"'], "cat", True),
        ([], "cat", False),  # "thecat"
        (["the"], "Ġcat", True),
        (["the"], "Ġcathedral", False),
        (["the"], "Ġconcatenate", False),
        (["the", "Ġsea"], "s", False),
        (["a", "æµ"], "·", True),  # a character of two tokens, in a script without spaces
        (["the"], "·", False),
    ],
)
def test_a_banned_word_is_never_completed(
    writer_sampler: ModuleType, model: str, before: list[str], token: str, forbidden: bool
) -> None:
    banned = ["delve", "cat", "海"]
    row = shaped(writer_sampler, model, ids_of("the", *before), [], banned=banned)
    assert bool(torch.isinf(row[ids_of(token)[0]])) is forbidden
    assert torch.equal(row, shaped(writer_sampler, model, ids_of("the"), ids_of(*before), banned=banned))


def test_breakers_and_ends_of_lines_are_found_in_the_vocabulary(writer_sampler: ModuleType, model: str) -> None:
    breaks = module("writer_control")._breaks(('"', "\n"), model, 64)
    assert np.flatnonzero(breaks).tolist() == sorted(ids_of('."', '"', "Ċ", "ĊĊ"))
    assert module("writer_vocabulary").load(model).newlines == set(ids_of("Ċ", "ĊĊ"))


def test_a_sentence_piece_vocabulary_is_read_as_bytes(writer_sampler: ModuleType) -> None:
    read = module("writer_vocabulary")._sentence_piece
    assert [read("▁sea"), read("<0xE6>"), read("夜")] == [b" sea", b"\xe6", "夜".encode()]


def test_dry_does_the_same_wherever_the_request_was_cut(writer_sampler: ModuleType, model: str) -> None:
    ids = [*random.Random(3).choices(range(6), k=60), 1, 2, 3, 4, 1, 2, 3]
    wishes = {"dry_multiplier": 0.8, "dry_length": 2, "dry_breakers": ["."]}
    whole = shaped(writer_sampler, model, ids[:5], ids[5:], **wishes)
    assert whole.min() < -0.5
    for cut in (6, 30, len(ids)):
        assert torch.equal(shaped(writer_sampler, model, ids[:cut], ids[cut:], **wishes), whole)


def test_the_history_follows_a_list_that_grows_and_is_mended() -> None:
    output: list[int] = []
    history = module("writer_rows").History([1, 2], output)
    assert history.ids().tolist() == [1, 2]
    output += range(2000)
    assert history.ids().tolist() == [1, 2, *range(2000)]
    del output[1990:]
    assert history.ids().tolist() == [1, 2, *range(1990)]
    output.append(7)
    assert history.ids().tolist() == [1, 2, *range(1990), 7]


@pytest.mark.parametrize(
    "extra", [{"writer_bannd": ["a"]}, {"writer_banned": "a"}, {"writer_presence": "much"}, {"writer_banned": [""]}]
)
def test_a_wish_that_is_none_of_ours_refuses_the_request(writer_sampler: ModuleType, extra: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="writer_"):
        writer_sampler.WordControl.validate_params(SimpleNamespace(extra_args=extra))


def test_other_peoples_extra_arguments_are_not_ours(writer_sampler: ModuleType) -> None:
    writer_sampler.WordControl.validate_params(SimpleNamespace(extra_args={"session_id": "a"}))


def test_requests_without_wishes_are_left_alone(writer_sampler: ModuleType, model: str) -> None:
    assert torch.equal(shaped(writer_sampler, model, [1, 1, 1], [1, 1], xtc_probability=0.5), torch.zeros(64))
