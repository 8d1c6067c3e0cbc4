"""Alternatives and confidence: whole words, each once; and answers that are none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from writer.engine.base import Alternative
from writer.engine.odds import alternatives, confidence, word_end
from writer.engine.scripted import Script, ScriptedEngine, prefix_cache
from writer.errors import EngineDied

PIECES = {
    1: "The",
    2: " del",
    3: "ve",
    4: " cat",
    5: ".",
    6: " delve",
    7: "<|end|>",
    8: " и",
    9: "夜",
    10: "晚",
    11: " s",
}
SPECIAL = frozenset({7})


async def decode(ids: Sequence[int]) -> str:
    return "".join(PIECES[each] for each in ids)


class Server:
    """Answers like vLLM: `likeliest` for the first question, `endings` for the second."""

    def __init__(self, likeliest: dict[int, float], endings: dict[int, list[int]]) -> None:
        self.likeliest, self.endings = likeliest, endings
        self.asked: list[dict[str, Any]] = []

    async def __call__(self, body: dict[str, Any]) -> Any:
        self.asked.append(body)
        if "logprobs" in body:
            told = {f"token_id:{token}": math.log(chance) for token, chance in self.likeliest.items()}
            return {"choices": [{"index": 0, "logprobs": {"top_logprobs": [told]}}]}
        each = [{"index": n, "token_ids": self.endings[ids[-1]]} for n, ids in enumerate(body["prompt"])]
        return {"choices": each[::-1]}  # in no order


async def test_each_alternative_is_a_whole_word_and_comes_once() -> None:
    server = Server(
        {4: 0.1, 2: 0.5, 6: 0.2, 5: 0.15, 7: 0.05},
        {2: [3, 5, 1, 1], 4: [2, 3, 5, 1], 6: [5, 1, 1, 1], 5: [2, 3, 5, 1], 7: [1, 1, 1, 1]},
    )
    found = await alternatives(server, decode, (1,), 5, SPECIAL)
    assert [(each.token_ids, each.text, round(each.probability, 2)) for each in found] == [
        ((2, 3), " delve", 0.5),
        ((5,), ".", 0.15),
        ((4,), " cat", 0.1),
        ((7,), "", 0.05),
    ]
    assert [len(server.asked), len(server.asked[1]["prompt"])] == [2, 5]


async def test_a_word_ends_where_the_text_does() -> None:
    server = Server({11: 0.9}, {11: [3, 7, 1, 1]})
    assert await alternatives(server, decode, (1,), 1, SPECIAL) == (Alternative((11, 3), " sve", pytest.approx(0.9)),)


@pytest.mark.parametrize(
    ("texts", "tokens"),
    [
        ([" del", " delve", " delve,"], 2),
        ([" cat", " cat sat"], 1),
        ([".", ".\n"], 1),
        (["夜", "夜晚"], 1),  # no spaces between words: one character is a choice of its own
        (["\ufffd", "\ufffd", "夜", "夜晚"], 3),
        ([" un", " und", " unde", " under", " underm"], 5),
        ([" don", " don't"], 1),
        ([" naï", " naïve", " naïve "], 2),
    ],
)
def test_where_a_word_ends(texts: list[str], tokens: int) -> None:
    assert word_end(texts) == tokens


async def test_confidence_is_read_for_each_id_from_a_start() -> None:
    async def ask(body: dict[str, Any]) -> Any:
        assert body["prompt_logprobs"] == 0
        told = [None, *({str(each): {"logprob": math.log(each / 10), "rank": 1}} for each in body["prompt"][1:])]
        return {"choices": [{"prompt_logprobs": told}]}

    assert await confidence(ask, (1, 2, 5, 9), 2) == pytest.approx((0.5, 0.9))
    assert await confidence(ask, (1, 2), 2) == ()


NONSENSE: list[Any] = [{}, [], "x", {"choices": []}, {"choices": [{"prompt_logprobs": None, "logprobs": None}]}]
NONSENSE += [
    {"choices": [{"prompt_logprobs": [None, {"2": {"logprob": "x"}}], "logprobs": {"top_logprobs": [{"a": 0}]}}]}
]


@pytest.mark.parametrize("answer", NONSENSE)
async def test_an_answer_that_is_none_is_a_death(answer: Any) -> None:
    async def ask(body: dict[str, Any]) -> Any:
        return answer

    with pytest.raises(EngineDied):
        await alternatives(ask, decode, (1,), 3)
    with pytest.raises(EngineDied):
        await confidence(ask, (1, 2), 1)


async def test_an_answer_with_too_few_endings_is_a_death() -> None:
    async def ask(body: dict[str, Any]) -> Any:
        if "logprobs" in body:
            return {"choices": [{"logprobs": {"top_logprobs": [{"token_id:2": -1.0, "token_id:4": -2.0}]}}]}
        return {"choices": [{"index": 0, "token_ids": [3]}]}

    with pytest.raises(EngineDied):
        await alternatives(ask, decode, (1,), 3)


async def test_the_scripted_engine_has_different_words_that_get_less_likely() -> None:
    script = Script()
    engine = ScriptedEngine(script, prefix_cache(script))
    prompt = await engine.tokenize("Once upon a time", special=True)
    found = await engine.alternatives(prompt, 6)
    assert found == await engine.alternatives(prompt, 6)
    assert len({each.text for each in found}) == 6
    assert [each.probability for each in found] == sorted((each.probability for each in found), reverse=True)
    for each in found:
        assert each.text == await engine.detokenize(each.token_ids)
    sure = await engine.confidence(prompt, 1)
    assert len(sure) == len(prompt) - 1
    assert all(0 < each < 1 for each in sure)
    assert sure[3:] == await engine.confidence(prompt, 4)
