"""What has been told is saved: proved by SIGKILL at random moments, and the proof by a bug that it must find.

Thousands of kills: scripts/faults --stage kill.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import crash_harness

from writer.storage.generations import GenerationStore

COUNT = int(os.environ.get("WRITER_KILLS", "100"))


def test_nothing_told_is_lost_or_doubled(tmp_path: Path) -> None:
    result = crash_harness.run(tmp_path, count=COUNT, seed=1)
    assert result.failures == 0, result
    assert result.killed_midway > COUNT // 2, f"most kills must hit a stream: {result}"


def test_a_kill_inside_a_thought_goes_on_in_the_thought(tmp_path: Path) -> None:
    drawn = crash_harness.THINKING
    result = crash_harness.run(tmp_path, count=COUNT // 5, seed=3, drawn=drawn, batches=35)  # most cuts are in it
    assert result.failures == 0, result
    assert result.killed_midway > COUNT // 10, f"most kills must hit a stream: {result}"
    assert "<think>" not in crash_harness.chapter_text(tmp_path / "0")


def test_a_planted_notify_before_commit_is_caught(tmp_path: Path) -> None:
    result = crash_harness.run(tmp_path, count=30, seed=2, plant=_notify_before_commit)
    assert result.lost > 0, f"the harness misses its mutant: {result}"


def _notify_before_commit() -> None:
    """The planted bug: each batch is committed only when the next one comes."""
    honest, waiting = GenerationStore.append, []

    def late(self: GenerationStore, batch: Any, **how: Any) -> None:
        waiting.append((batch, how))
        if len(waiting) > 1:
            old, its = waiting.pop(0)
            honest(self, old, **its)

    GenerationStore.append = late  # type: ignore[method-assign]
