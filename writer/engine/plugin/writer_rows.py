"""Which request is which row of the running batch, and what ids it has so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

T = TypeVar("T")
_SPARE = 512  # ids of room behind a prompt at first


class Rows(Generic[T]):
    """Follows vLLM's batch. `make(params, prompt, output)` gives a row's value, or None if it is none of ours."""

    def __init__(self, make: Callable[[Any, Any, Any], T | None]) -> None:
        self._make = make
        self.values: dict[int, T] = {}

    def follow(self, update: Any) -> None:
        """Removed, added, moved, in that order: vLLM's rule."""
        if update is None:
            return
        for row in update.removed:
            self.values.pop(row, None)
        for row, params, prompt, output in update.added:
            self.values.pop(row, None)
            if prompt is not None and (value := self._make(params, prompt, output)) is not None:
                self.values[row] = value
        for source, target, direction in update.moved:
            self._move(source, target, direction.name == "SWAP")

    def _move(self, source: int, target: int, swap: bool) -> None:
        moving, displaced = self.values.pop(source, None), self.values.pop(target, None)
        if moving is not None:
            self.values[target] = moving
        if swap and displaced is not None:
            self.values[source] = displaced


class History:
    """All ids of a request so far, as one array. `output` is vLLM's own list, which grows (and may be mended)."""

    def __init__(self, prompt: list[int], output: list[int]) -> None:
        self._prompt = len(prompt)
        self._output = output
        self._seen = 0  # ids of the output that are in the buffer
        self._buffer: np.ndarray = np.empty(len(prompt) + _SPARE, dtype=np.int64)
        self._buffer[: len(prompt)] = prompt

    def ids(self) -> np.ndarray:
        """Prompt and output. The array is valid until the next call."""
        length = self._prompt + len(self._output)
        self._seen = min(self._seen, len(self._output))
        if length > len(self._buffer):
            self._buffer = np.concatenate([self._buffer, np.empty(length, dtype=np.int64)])
        self._buffer[self._prompt + self._seen : length] = self._output[self._seen :]
        self._seen = len(self._output)
        return self._buffer[:length]
