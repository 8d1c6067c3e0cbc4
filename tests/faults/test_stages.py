"""Every stage with about a tenth of its full count, and with every mutant. A failure says how it comes again."""

from __future__ import annotations

import os

import fault_stages as stages
import pytest

SEED = int(os.environ.get("WRITER_FAULT_SEED", "1"))
LIMIT = 300.0  # seconds; all stages together must stay below 720


@pytest.mark.parametrize("name", [stage.name for stage in stages.every()])
def test_the_stage_loses_nothing_and_catches_its_mutants(name: str) -> None:
    stage = stages.named(name)
    outcome = stages.run_apart(stage, stage.short, SEED, LIMIT)
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    again = " ".join(stages.command(name, stage.short, SEED))
    assert outcome.failures == (), f"{len(outcome.failures)} failures; again: {again}\n" + "\n".join(outcome.failures)
    assert outcome.trials > 0, f"nothing was tried; again: {again}"
    assert outcome.mutants_caught == outcome.mutants > 0, f"a mutant was missed: {outcome.notes}; again: {again}"
