"""What the scripted engine says of alternatives and of its confidence: made up, the same each time. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from writer.engine import scripted_words as words
from writer.engine.base import Alternative

_GREEDY = -1
_SEEDS = 200  # draws in which different words are looked for


def alternatives(model: str, prompt_ids: Sequence[int], count: int) -> tuple[Alternative, ...]:
    """Different whole words that some seed has at this position, each less likely than the one before it."""
    before = prompt_ids[-1] if prompt_ids else words.BOS
    drawn = (words.token_at(model, seed, len(prompt_ids), before) for seed in range(_GREEDY, _SEEDS))
    whole = [token for token in dict.fromkeys(drawn) if "\ufffd" not in words.detokenize([token])][:count]
    return tuple(
        Alternative((token,), words.detokenize([token]), 0.5 * 0.6**place) for place, token in enumerate(whole)
    )


def confidence(model: str, prompt_ids: Sequence[int], start: int) -> tuple[float, ...]:
    """A probability for each id from `start` on, by position and id."""
    return tuple(words.chance(model, at, prompt_ids[at]) for at in range(start, len(prompt_ids)))
