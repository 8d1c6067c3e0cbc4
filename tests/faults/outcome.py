"""What a stage of fault injection came to: how many trials, what failed, and which planted bugs it caught.

A stage is a module `stage_<name>.py` with

    NAME = "kill"; FULL = 2000; ROOT = False        # full count; whether it needs root
    def run(count: int, seed: int, scratch: Path) -> Outcome

`run` is given an empty folder, and works the same for the same count and seed. Its failures say how they come again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Outcome:
    """`skipped` says why nothing was tried; it is never counted as a pass."""

    stage: str
    trials: int
    failures: tuple[str, ...]
    mutants: int
    mutants_caught: int
    skipped: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    """Figures for the table, by their name."""

    @property
    def passed(self) -> bool:
        """Whether all trials held and every mutant was caught; false if it was skipped."""
        return not self.skipped and self.trials > 0 and not self.failures and self.mutants_caught == self.mutants
