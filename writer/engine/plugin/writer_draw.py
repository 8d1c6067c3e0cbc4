"""How one token is drawn: a pure function of a row of logits, a seed and an absolute position.

Sources: Gumbel-max: Maddison, Tarlow, Minka, "A* Sampling" (2014), section 2. Mixing: splitmix64, Steele, Lea,
Flood, "Fast Splittable Pseudorandom Number Generators" (2014), with Stafford's variant 13 of the finaliser. XTC
("exclude top choices"): pull request 6335 of oobabooga's text-generation-webui (2024) defines it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import torch

_WORD = (1 << 64) - 1
_FIRST, _SECOND, _STEP = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x9E3779B97F4A7C15
_SALT = 0x5DEECE66D  # keeps seed 0 at position 0 away from the fixed point of the mixer
_COIN_SALT = 0xD1342543DE82EF95  # the coin of XTC shares no bits with the noise
_FIRST_LOOK = 256  # tokens sorted at first; top_p 0.95 rarely needs more


class Drawing(NamedTuple):
    """How one request is drawn."""

    seed: int
    top_k: int
    top_p: float
    xtc_threshold: float = 0.1
    xtc_probability: float = 0.0
    xtc_spared: Collection[int] = ()  # ids without which a text would never end a line or itself


def choose(row: torch.Tensor, drawing: Drawing, position: int) -> int:
    """The token of this row: the largest of logit plus noise among the candidates."""
    ids, logits = candidates(row, drawing.top_k, drawing.top_p)
    if drawing.xtc_probability > 0 and coin(drawing.seed, position) < drawing.xtc_probability:
        ids, logits = without_top(ids, logits, drawing.xtc_threshold, drawing.xtc_spared)
    return int(ids[np.argmax(logits + gumbel(drawing.seed, position, ids))])


def gumbel(seed: int, position: int, ids: np.ndarray) -> np.ndarray:
    """Standard Gumbel noise, float64, one value per token id: a pure function of its arguments."""
    key = _mix((_mix((seed ^ _SALT) & _WORD) + position * _STEP) & _WORD)
    mixed = np.uint64(key) + ids.astype(np.uint64) * np.uint64(_STEP)  # wraps, as it should
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(_FIRST)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(_SECOND)
    mixed ^= mixed >> np.uint64(31)
    uniform = ((mixed >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53  # never 0, never 1
    noise: np.ndarray = -np.log(-np.log(uniform))
    return noise


def coin(seed: int, position: int) -> float:
    """A number in [0, 1), a pure function of its arguments and independent of the noise."""
    return (_mix((_mix((seed ^ _COIN_SALT) & _WORD) + position * _STEP) & _WORD) >> 11) * 2.0**-53


def candidates(row: torch.Tensor, top_k: int, top_p: float) -> tuple[np.ndarray, np.ndarray]:
    """Ids and logits (float64) that top_k and then top_p leave of one row, exactly as a full sort would."""
    size = row.shape[0]
    top_k = top_k if 0 < top_k < size else size
    if top_p < 1.0:
        values, ids = _nucleus(row, top_k, top_p)
    elif top_k < size:
        values, ids = torch.topk(row, top_k)
    else:
        values, ids = row, torch.arange(size)
    logits = values.double().numpy()
    finite = logits > -np.inf
    return ids.numpy()[finite], logits[finite]


def without_top(
    ids: np.ndarray, logits: np.ndarray, threshold: float, spared: Collection[int] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Of the tokens that have at least `threshold` of the probability, only the least likely stays.

    If that would take away one of `spared`, nothing is taken.
    """
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    top = np.flatnonzero(chances >= threshold)
    if len(top) < 2:
        return ids, logits
    kept: np.ndarray = np.ones(len(ids), dtype=bool)
    kept[top] = False
    kept[top[np.argmin(logits[top])]] = True
    if not {int(each) for each in ids[~kept]}.isdisjoint(spared):
        return ids, logits
    return ids[kept], logits[kept]


def _mix(word: int) -> int:
    word = ((word ^ (word >> 30)) * _FIRST) & _WORD
    word = ((word ^ (word >> 27)) * _SECOND) & _WORD
    return word ^ (word >> 31)


def _nucleus(row: torch.Tensor, top_k: int, top_p: float) -> tuple[torch.Tensor, torch.Tensor]:
    """The likeliest tokens whose probabilities (after top_k) first reach `top_p`, in descending order.

    Sorts a few tokens and looks again with more only if they do not reach it: a full sort costs ten times as much.
    """
    if top_k < row.shape[0]:
        values, ids = torch.topk(row, top_k)
        return _cut(values, ids, torch.logsumexp(values, 0), top_p)
    total = torch.logsumexp(row, 0)
    look = min(top_k, _FIRST_LOOK)
    while True:
        values, ids = torch.topk(row, look)
        kept, kept_ids = _cut(values, ids, total, top_p)
        if len(kept) < look or look == top_k:
            return kept, kept_ids
        look = min(top_k, look * 8)


def _cut(
    values: torch.Tensor, ids: torch.Tensor, total: torch.Tensor, top_p: float
) -> tuple[torch.Tensor, torch.Tensor]:
    reached = torch.cumsum(torch.exp((values - total).double()), 0)
    kept = int((reached < top_p).sum()) + 1  # the token that crosses the line stays
    return values[:kept], ids[:kept]
