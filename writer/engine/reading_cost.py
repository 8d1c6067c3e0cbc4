"""What reading a prompt cost, put on the first delta of its answer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from writer.engine.arrivals import Event
from writer.generation.model import Delta, Probe

ASKED = {"x-writer-cost": "1"}
"""The header that plugin/writer_costs.py answers to."""


class ReadingCost:
    """For one request, which begins now."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._counts: tuple[int, int] | None = None
        self._given = False

    def heard(self, events: Sequence[Event]) -> None:
        """What has arrived."""
        self._counts = next((event.cost for event in events if event.cost), self._counts)

    def on(self, delta: Delta) -> Delta:
        """The delta; the first one with the cost, if the engine has told it."""
        if self._given or self._counts is None:
            return delta
        self._given = True
        return replace(delta, read=Probe(*self._counts, time.monotonic() - self._begun))

    @property
    def missing(self) -> bool:
        """Whether nothing was told; asked once there is a delta."""
        return self._counts is None
