"""A generation inside its thought: from which token it goes on, and what leads from the thought back to the chapter.

The engine is asked for the text of a few ids where the journal has none: thought is not stored as text.
"""

from __future__ import annotations

from collections.abc import Sequence

from writer.engine.base import Engine
from writer.generation.model import Generation, Saved
from writer.generation.resume import ResumePlan, look_back, planned
from writer.generation.sampling import Thinking, thinking_of
from writer.generation.thinking import Stage, ThoughtWatch, stage

_UNFINISHED = "\ufffd"
_CHARACTER = 4  # tokens of one character, at most
_NEAR = 8  # tokens that tell whether the last character is whole


async def said_by(engine: Engine, generation: Generation, saved: Saved) -> str:
    """The text of a thought so far, where that is needed to know its end; else "". Raises EngineDied."""
    thinking = thinking_of(generation.sampling)
    if thinking is None or saved.text or thinking.end_id is not None:
        return ""
    return await engine.detokenize(saved.token_ids)


def leading_back(generation: Generation, saved: Saved, said: str) -> tuple[int, ...]:
    """The ids that are to be saved before anything else is asked for; () if there are none."""
    thinking = thinking_of(generation.sampling)
    if thinking is None:
        return ()
    return behind(thinking, stage(thinking, saved, said))


def behind(thinking: Thinking, over: Stage | None) -> tuple[int, ...]:
    """What stands behind a thought that is over so."""
    return thinking.then if over is Stage.ENDED else thinking.cut if over is Stage.FULL else ()


async def inside(
    engine: Engine, generation: Generation, saved: Saved, *, exact: bool
) -> tuple[ResumePlan, ThoughtWatch] | None:
    """How the thought goes on; None if the generation does not stand inside one. Raises EngineDied."""
    thinking = thinking_of(generation.sampling)
    if thinking is None:
        return None
    if stage(thinking, saved, await said_by(engine, generation, saved)) is not Stage.INSIDE:
        return None
    kept, until = await _cut(engine, len(generation.prompt_ids), saved.token_ids, exact=exact)
    plan = planned(generation.prompt_ids, saved, kept, until, thinking.limit)
    said = await engine.detokenize(saved.token_ids[:kept]) if kept else ""
    return plan, ThoughtWatch(thinking, kept, said.rstrip(_UNFINISHED))


async def _cut(engine: Engine, prompt: int, ids: Sequence[int], *, exact: bool) -> tuple[int, int]:
    """Tokens that are sent, and up to which they are made again: as generation/resume.py has it for a text."""
    total, block = len(ids), engine.facts.block_size
    if exact and engine.facts.aligned:
        for kept in range(total, look_back(total, block) - 1, -1):
            if (kept == 0 or (block > 1 and (prompt + kept) % block == 1)) and await _whole(engine, ids[:kept]):
                return kept, total
    for kept in range(total, max(0, total - _CHARACTER), -1):
        if await _whole(engine, ids[:kept]):
            return kept, total if exact else kept
    return total, total


async def _whole(engine: Engine, ids: Sequence[int]) -> bool:
    """Whether the last character is finished."""
    return not ids or not (await engine.detokenize(ids[-_NEAR:])).endswith(_UNFINISHED)
