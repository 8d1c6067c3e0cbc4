"""A state with every kind of row in it, and how the databases of old versions beside this file were made.

Before the schema changes, `python tests/storage/old_states.py` keeps a database of the version that is left behind.
"""

from __future__ import annotations

import sys
from pathlib import Path

from writer.generation.model import Fingerprint, Sampling, SpanRecord, State, StopCause, TokenBatch
from writer.storage.migrations import LATEST
from writer.storage.state_file import StateFile

FOLDER = Path(__file__).resolve().parent / "old_states"
CHAPTERS = ("chapters/01-one.md", "chapters/02-two.md", "chapters/03-three.md")


def fill(state: StateFile) -> None:
    """A sealed generation, a paused one with a superseded token, and one that is cut off in the middle."""
    generations = state.generations
    for chapter, ends in zip(CHAPTERS, (State.FINISHED, State.PAUSED, None), strict=True):
        made = generations.begin(
            chapter=chapter,
            prompt_ids=range(len(chapter), 300),
            sampling=Sampling(seed=len(chapter), temperature=0.7),
            fingerprint=Fingerprint("model", "tokenizer", "engine 1"),
            instruction=f"a storm in {chapter}",
        ).id
        generations.open_segment(
            made, resumed_from=0, prompt_tokens=300, cached_tokens=16, seconds=0.5, engine="engine 1"
        )
        for batch in batches(made, chapter):
            generations.append(batch)
        state.spans.record(SpanRecord(made, "0" * 64, 7, 19, 12))
        if ends is State.PAUSED:
            generations.mark(made, ends, cause=StopCause.PAUSED)
        elif ends is State.FINISHED:
            generations.mark(made, ends, reason="stop")
            generations.seal(made)


def batches(generation: str, chapter: str) -> list[TokenBatch]:
    """Twenty batches of two tokens; the sixth ends in a token that showed nothing and is taken back by the seventh."""
    made = [_batch(generation, n, 2 * n, f"{chapter} {n} — 夜。") for n in range(5)]
    made.append(TokenBatch(generation, 5, 10, (5, 240), "x", (1, 1)))
    return made + [_batch(generation, n, 2 * n - 1, f"word {n} ") for n in range(6, 20)]


def _batch(generation: str, ordinal: int, start: int, text: str) -> TokenBatch:
    return TokenBatch(generation, ordinal, start, (ordinal, 1000 + ordinal), text, (3, len(text)))


if __name__ == "__main__":
    target = Path(sys.argv[1]) if sys.argv[1:] else FOLDER / f"v{LATEST}.db"
    made = StateFile(target, boot_id="boot", now=lambda: 1_790_000_000.0)
    fill(made)
    made.close()
