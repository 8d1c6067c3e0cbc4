"""Word-level control and position-keyed sampling for vLLM's V1 model runner. Runs inside vLLM only.

V1 restarts a request's random generator with every request, so a resumed text would go another way. Here a request
with a seed and a temperature draws from (seed, absolute position, token id) instead, as the V2 runner does. `prompt +
generated` sent again as a prompt then goes on as the uninterrupted request would. What shapes the logits is a function
of all ids so far, and of how many of them were the original prompt.

Passed as `--logits-processors writer_sampler:WordControl writer_sampler:PositionSeededSampler`, never registered as an
entry point (in vLLM 0.26 any registered processor forces V1, on GPUs too). V1 calls WordControl before its own
repetition penalty and temperature, for greedy requests too; and the sampler, which says that it is argmax-invariant,
after them and after min_p, for others only. That one applies top_k, top_p and XTC exactly, picks the token and leaves
only it finite: the sampling that follows has one choice.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import writer_wishes
from vllm.v1.sample.logits_processor import LogitsProcessor
from writer_control import Control
from writer_draw import Drawing, candidates, choose, gumbel
from writer_rows import Rows
from writer_vocabulary import load
from writer_wishes import Wishes

__all__ = ["PositionSeededSampler", "WordControl", "candidates", "choose", "gumbel"]

_GREEDY_BELOW = 1e-5  # vLLM's own limit


class WordControl(LogitsProcessor):  # type: ignore[misc]  # vLLM is not seen by the type checker
    """Presence and frequency penalties, DRY, banned words. One instance per worker."""

    @classmethod
    def validate_params(cls, sampling_params: Any) -> None:
        """In the server, before a request is taken. Raises ValueError, which refuses it."""
        writer_wishes.read(sampling_params.extra_args)

    def __init__(self, vllm_config: Any, device: Any, is_pin_memory: bool) -> None:
        self._model = _model_of(vllm_config)
        self._rows: Rows[Control] = Rows(self._control)

    def is_argmax_invariant(self) -> bool:
        """It changes which token is the likeliest."""
        return False

    def update_state(self, batch_update: Any) -> None:
        """Follows the batch."""
        self._rows.follow(batch_update)

    def apply(self, logits: torch.Tensor) -> torch.Tensor:
        """Changes the rows that ask for it, in place."""
        for row, control in self._rows.values.items():
            control.apply(logits[row])
        return logits

    def _control(self, params: Any, prompt: list[int], output: list[int]) -> Control | None:
        wishes = writer_wishes.read(params.extra_args)
        return Control(wishes, self._model, prompt, output) if wishes.shapes_logits else None


class _Drawn(NamedTuple):
    """What is needed of one row. `output` is vLLM's own list, which grows."""

    drawing: Drawing
    prompt_length: int
    output: list[int]


class PositionSeededSampler(LogitsProcessor):  # type: ignore[misc]  # see above
    """vLLM's interface to `writer_draw`. One instance per worker; rows are indices of the running batch."""

    def __init__(self, vllm_config: Any, device: Any, is_pin_memory: bool) -> None:
        self._model = _model_of(vllm_config)
        self._rows: Rows[_Drawn] = Rows(self._drawn)

    def is_argmax_invariant(self) -> bool:
        """So that it runs last, and never for a batch that is all greedy."""
        return True

    def update_state(self, batch_update: Any) -> None:
        """Follows the batch."""
        self._rows.follow(batch_update)

    def apply(self, logits: torch.Tensor) -> torch.Tensor:
        """Leaves one token finite in each row that is ours; the others are vLLM's business."""
        for row, drawn in self._rows.values.items():
            chosen = choose(logits[row], drawn.drawing, drawn.prompt_length + len(drawn.output))
            logits[row].fill_(-float("inf"))
            logits[row, chosen] = 0.0
        return logits

    def _drawn(self, params: Any, prompt: list[int], output: list[int]) -> _Drawn | None:
        wishes = writer_wishes.read(params.extra_args)
        seed = params.seed if wishes.seed == Wishes().seed else wishes.seed
        if seed is None or params.temperature < _GREEDY_BELOW:
            return None
        spared = self._spared(params, wishes)
        drawing = Drawing(seed, params.top_k, params.top_p, wishes.xtc_threshold, wishes.xtc_probability, spared)
        return _Drawn(drawing, len(prompt), output)

    def _spared(self, params: Any, wishes: Wishes) -> frozenset[int]:
        """Ends of lines and of the text: XTC takes none of them away."""
        if not wishes.xtc_probability:
            return frozenset()
        return frozenset({*load(self._model).newlines, *params.all_stop_token_ids})


def _model_of(vllm_config: Any) -> str:
    return str(vllm_config.model_config.model) if vllm_config is not None else ""
