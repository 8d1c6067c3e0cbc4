"""Turns the prompt of a chapter into token ids, once: they are stored with the generation and never made again."""

from __future__ import annotations

from writer.engine.base import Engine
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
