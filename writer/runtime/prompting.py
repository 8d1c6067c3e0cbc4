"""What a generation begins with: its prompt as token ids, made once and stored with it, and how it is drawn."""

from __future__ import annotations

import secrets

from writer.config import WritingSettings
from writer.engine.base import Engine
from writer.generation.model import Sampling
from writer.generation.prompt import chapter_prompt
from writer.manuscript.model import Manuscript
from writer.manuscript.names import title_of
from writer.runtime.orders import DraftOrder


async def prompt_ids(engine: Engine, manuscript: Manuscript, order: DraftOrder) -> tuple[int, ...]:
    """The ids of instructions and chapter so far, the assistant's turn left open. Raises EngineDied."""
    parts = chapter_prompt(
        manuscript_title=manuscript.title,
        chapter_title=title_of(manuscript.folder / order.chapter),  # it may have been added since the desk opened
        language=manuscript.language,
        text=order.text,
        instruction=order.instruction,
    )
    rendered = await engine.render(parts.messages)
    if rendered is None:
        return await engine.tokenize(parts.plain, special=True)
    return rendered + (await engine.tokenize(parts.prefill) if parts.prefill else ())


def fresh_sampling(settings: WritingSettings) -> Sampling:
    """The settings in force, with a seed of its own."""
    return Sampling(
        temperature=settings.temperature,
        top_p=settings.top_p,
        top_k=settings.top_k,
        min_p=settings.min_p,
        repetition_penalty=settings.repetition_penalty,
        seed=secrets.randbelow(2**31),
        max_tokens=settings.max_tokens,
    )
