"""Prompts on the real engine: the ids made here are those that it would make, and going on finds them in its cache."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from a_book import make

from writer.bootstrap import open_desk, wording_for
from writer.generation.prompt import ChapterPrompt, chat
from writer.manuscript.project import open_manuscript
from writer.runtime.events import BatchCommitted, Event, GenerationStarted, PromptPlanned
from writer.runtime.orders import DraftOrder

pytestmark = pytest.mark.engine
TALK = chat(["You are a novelist.\n\n## Mara\n\n海边 🌊"], "Write the chapter.", "it rains", "It was late.\n\n")


async def test_the_ids_are_those_that_the_engine_makes_and_going_on_finds_them_in_its_cache(
    real_engine: dict[str, str], tmp_path: Path
) -> None:
    folder = make(tmp_path / "book", chapters=4, words=2000, notes=9)
    chapter = open_manuscript(folder).chapters[-1].path
    text = (folder / chapter).read_text(encoding="utf-8")
    events: list[Event] = []
    desk = open_desk(folder, os.environ, events.append)
    await desk.open()
    try:
        engine = await desk._room.ready()
        ids = await wording_for(engine).ids(ChapterPrompt(TALK, "The rain", ""))
        rendered = await engine.render(TALK)
        assert rendered is not None
        assert ids == rendered + await engine.tokenize("The rain")
        for seed in (1, 2, 3):
            sampling = replace(desk.sampling(), max_tokens=40, seed=seed, ignore_eos=True)
            await desk.draft(DraftOrder(chapter, text), sampling)
            text += "".join(each.text for each in events if isinstance(each, BatchCommitted))
            events[:] = [each for each in events if not isinstance(each, BatchCommitted)]
    finally:
        await desk.close()
    plans = [each.plan for each in events if isinstance(each, PromptPlanned)]
    started = [each for each in events if isinstance(each, GenerationStarted)]
    assert [each.tokens for each in plans] == [each.prompt_tokens for each in started]
    shares = [each.cached_tokens / each.prompt_tokens for each in started[1:]]
    assert min(shares) >= 0.95
