"""Shapes one request's logits: presence and frequency penalties, DRY, banned words.

What counts as generated begins behind the original prompt, whose length comes with the request: after a resume the
request's own prompt holds generated ids as well. Presence and frequency are defined as in OpenAI's interface.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
import writer_dry
from writer_banned import Banned
from writer_rows import History
from writer_vocabulary import load
from writer_wishes import Wishes


class Control:
    """One request's. `model` is the folder whose vocabulary is needed for words."""

    def __init__(self, wishes: Wishes, model: str, prompt: list[int], output: list[int]) -> None:
        self._wishes = wishes
        self._history = History(prompt, output)
        self._prompt = len(prompt) if wishes.prompt < 0 else min(wishes.prompt, len(prompt))
        self._model = model
        self._banned = _banned(wishes.banned, model) if wishes.banned else None

    def apply(self, row: torch.Tensor) -> None:
        """Changes the row in place."""
        ids = self._history.ids()
        if self._wishes.presence or self._wishes.frequency:
            used, counts = np.unique(ids[self._prompt :], return_counts=True)
            _subtract(row, used, self._wishes.presence + self._wishes.frequency * counts)
        if self._wishes.dry_multiplier:
            _subtract(row, *self._repetitions(ids, row.shape[0]))
        if self._banned is not None:
            forbidden = [each for each in self._banned.after(ids) if each < row.shape[0]]
            row[torch.tensor(forbidden, dtype=torch.int64, device=row.device)] = -float("inf")

    def _repetitions(self, ids: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
        wishes = self._wishes
        found: tuple[np.ndarray, np.ndarray] = writer_dry.penalties(
            ids,
            _breaks(wishes.dry_breakers, self._model, size),
            multiplier=wishes.dry_multiplier,
            base=wishes.dry_base,
            allowed=wishes.dry_length,
            reach=wishes.dry_range,
        )
        return found


def _subtract(row: torch.Tensor, ids: np.ndarray, amounts: np.ndarray) -> None:
    if len(ids):
        where = torch.from_numpy(ids.astype(np.int64)).to(row.device)
        row[where] -= torch.from_numpy(amounts).to(row.device, row.dtype)


@lru_cache(maxsize=8)
def _breaks(breakers: tuple[str, ...], model: str, size: int) -> np.ndarray:
    """For each id, whether a sequence breaker stands in its text."""
    breaks: np.ndarray = np.zeros(size, dtype=bool)
    for breaker in breakers:
        breaks[[each for each in load(model).containing(breaker.encode()) if each < size]] = True
    return breaks


@lru_cache(maxsize=8)
def _banned(words: tuple[str, ...], model: str) -> Banned:
    return Banned(words, load(model))
