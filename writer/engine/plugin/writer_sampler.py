"""Position-keyed sampling for vLLM's V1 model runner: the same words after a resume. Runs inside vLLM only.

V1 restarts a request's random generator with every request, so a resumed text would go another way. Here a request
with a `seed` and a temperature draws its noise from (seed, absolute position, token id) instead, as the V2 runner
does. `prompt + generated` sent again as a prompt then goes on as the uninterrupted request would.

Passed as `--logits-processors writer_sampler:PositionSeededSampler`, never registered as an entry point (in vLLM
0.26 any registered processor forces V1, on GPUs too). It says that it is argmax-invariant, so V1 calls it after
penalties, temperature and min_p, and not for greedy requests. It applies top_k and top_p exactly, picks the token by
the Gumbel-max rule and leaves only that one finite: the sampling that follows has one choice.

Sources: Gumbel-max: Maddison, Tarlow, Minka, "A* Sampling" (2014), section 2. Mixing: splitmix64, Steele, Lea,
Flood, "Fast Splittable Pseudorandom Number Generators" (2014), with Stafford's variant 13 of the finaliser.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from vllm.v1.sample.logits_processor import LogitsProcessor, MoveDirectionality

_WORD = (1 << 64) - 1
_FIRST, _SECOND, _STEP = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0x9E3779B97F4A7C15
_SALT = 0x5DEECE66D  # keeps seed 0 at position 0 away from the fixed point of the mixer
_GREEDY_BELOW = 1e-5  # vLLM's own limit
_FIRST_LOOK = 256  # tokens sorted at first; top_p 0.95 rarely needs more


class _Request(NamedTuple):
    """What is needed of one row. `output` is vLLM's own list, which grows."""

    seed: int
    top_k: int
    top_p: float
    prompt_length: int
    output: list[int]


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


def choose(row: torch.Tensor, request: _Request) -> int:
    """The token of this row: the largest of logit plus noise among the candidates."""
    ids, logits = candidates(row, request.top_k, request.top_p)
    position = request.prompt_length + len(request.output)
    return int(ids[np.argmax(logits + gumbel(request.seed, position, ids))])


class PositionSeededSampler(LogitsProcessor):  # type: ignore[misc]  # vLLM is not seen by the type checker
    """vLLM's interface to the above. One instance per worker; rows are indices of the running batch."""

    def __init__(self, vllm_config: Any, device: Any, is_pin_memory: bool) -> None:
        self._requests: dict[int, _Request] = {}

    def is_argmax_invariant(self) -> bool:
        """So that it runs last, and never for a batch that is all greedy."""
        return True

    def update_state(self, batch_update: Any) -> None:
        """Follows the batch: removed, added, moved, in that order (vLLM's rule)."""
        if batch_update is None:
            return
        for row in batch_update.removed:
            self._requests.pop(row, None)
        for row, params, prompt, output in batch_update.added:
            self._requests.pop(row, None)
            if params.seed is not None and params.temperature >= _GREEDY_BELOW and prompt is not None:
                self._requests[row] = _Request(params.seed, params.top_k, params.top_p, len(prompt), output)
        for source, target, direction in batch_update.moved:
            self._move(source, target, direction == MoveDirectionality.SWAP)

    def apply(self, logits: torch.Tensor) -> torch.Tensor:
        """Leaves one token finite in each row that is ours; the others are vLLM's business."""
        for row, request in self._requests.items():
            chosen = choose(logits[row], request)
            logits[row].fill_(-float("inf"))
            logits[row, chosen] = 0.0
        return logits

    def _move(self, source: int, target: int, swap: bool) -> None:
        moving, displaced = self._requests.pop(source, None), self._requests.pop(target, None)
        if moving is not None:
            self._requests[target] = moving
        if swap and displaced is not None:
            self._requests[source] = displaced


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
