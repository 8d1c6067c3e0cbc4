"""What the model might have written instead, and how sure it was: questions to a vLLM server.

The probabilities are the model's own, before temperature, penalties and cuts: what it thinks, not how we draw.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Collection, Sequence
from itertools import pairwise
from typing import Any

from writer.engine.base import Alternative
from writer.engine.unreachable import UNREACHABLE
from writer.errors import EngineDied
from writer.text.sanitise import from_model

Ask = Callable[[dict[str, Any]], Awaitable[Any]]
Decode = Callable[[Sequence[int]], Awaitable[str]]
MOST = 20  # alternatives that vLLM tells of
_MORE = 4  # tokens at most that finish a word
_TAIL = 8  # ids before, that may matter to the first character
_UNFINISHED = "\ufffd"


async def alternatives(
    ask: Ask, decode: Decode, prompt_ids: Sequence[int], count: int, special: Collection[int] = ()
) -> tuple[Alternative, ...]:
    """The likeliest next words, likeliest first. `ask` sends a completion, `decode` turns ids into text.

    `special` are the ids without text, if they are known.
    """
    likeliest = await _likeliest(ask, prompt_ids, min(count, MOST))
    endings = await _endings(ask, prompt_ids, [token for token, _ in likeliest])
    tail = list(prompt_ids[-_TAIL:])
    before = (await decode(tail)).rstrip(_UNFINISHED) if tail else ""
    made = [
        _whole_word(decode, tail, before, _before_special((token, *ending), special), chance)
        if token not in special
        else _the_end(token, chance)
        for (token, chance), ending in zip(likeliest, endings, strict=True)
    ]
    found: dict[str, Alternative] = {}
    for each in await asyncio.gather(*made):
        found.setdefault(each.text, each)  # one word by two ways: the likelier
    return tuple(found.values())


async def confidence(ask: Ask, prompt_ids: Sequence[int], start: int) -> tuple[float, ...]:
    """The probability of each id from `start` on, given all before it. The server reads the whole prompt for this:
    vLLM takes nothing from its cache where it has to tell probabilities of a prompt."""
    answer = await ask({"prompt": list(prompt_ids), "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0})
    try:
        told = answer["choices"][0]["prompt_logprobs"]
        return tuple(math.exp(told[at][str(prompt_ids[at])]["logprob"]) for at in range(start, len(prompt_ids)))
    except (LookupError, TypeError, ValueError, OverflowError):
        raise EngineDied(UNREACHABLE, detail="no probabilities in the answer") from None


async def _likeliest(ask: Ask, prompt_ids: Sequence[int], count: int) -> list[tuple[int, float]]:
    wanted = {"logprobs": count, "return_tokens_as_token_ids": True}
    answer = await ask({"prompt": list(prompt_ids), "max_tokens": 1, "temperature": 0, **wanted})
    try:
        told = answer["choices"][0]["logprobs"]["top_logprobs"][0]
        found = [(int(name.removeprefix("token_id:")), math.exp(value)) for name, value in told.items()]
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
        raise EngineDied(UNREACHABLE, detail="no alternatives in the answer") from None
    return sorted(found, key=lambda each: -each[1])[:count]


async def _endings(ask: Ask, prompt_ids: Sequence[int], tokens: list[int]) -> list[tuple[int, ...]]:
    """For each token, the few that would most likely follow it: one request for all."""
    prompts = [[*prompt_ids, token] for token in tokens]
    answer = await ask({"prompt": prompts, "max_tokens": _MORE, "temperature": 0, "return_token_ids": True})
    try:
        choices = sorted(answer["choices"], key=lambda choice: int(choice["index"]))
        endings = [tuple(int(each) for each in choice["token_ids"]) for choice in choices]
    except (LookupError, TypeError, ValueError):
        raise EngineDied(UNREACHABLE, detail="no token ids in the answer") from None
    if len(endings) != len(tokens):
        raise EngineDied(UNREACHABLE, detail="not an answer for each alternative")
    return endings


async def _the_end(token: int, chance: float) -> Alternative:
    return Alternative((token,), "", chance)


def _before_special(token_ids: tuple[int, ...], special: Collection[int]) -> tuple[int, ...]:
    return next((token_ids[:at] for at, each in enumerate(token_ids) if each in special), token_ids)


async def _whole_word(
    decode: Decode, tail: list[int], before: str, token_ids: tuple[int, ...], chance: float
) -> Alternative:
    """As many of the ids as finish the word that the first one begins."""
    texts = []
    for count in range(1, len(token_ids) + 1):
        texts.append((await decode([*tail, *token_ids[:count]])).removeprefix(before))
        if len(texts) > 1 and (kept := word_end(texts)) < len(texts):
            break
    else:
        kept = len(texts)
    return Alternative(token_ids[:kept], from_model(texts[kept - 1].rstrip(_UNFINISHED)), chance)


def word_end(texts: Sequence[str]) -> int:
    """How many tokens make a whole word, if the first 1, 2, 3, … of them make these texts; all, if none ends it."""
    for count, (here, more) in enumerate(pairwise(texts), 1):
        if here.endswith(_UNFINISHED):
            continue
        if not (here and _joins(here[-1]) and _joins(more[len(here) : len(here) + 1])):
            return count
    return len(texts)


def _joins(letter: str) -> bool:
    """Whether words of this letter's script are parted by spaces, so that it may be in the middle of one."""
    return letter.isalnum() and (letter < "\u0e00" or "\u1e00" <= letter < "\u2000" or "\uac00" <= letter < "\ud7a4")
