"""The thought of a text is read when it is asked for: the newest of a chapter, or that of one text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from desk_fixture import CHAPTER, bench
from thinking_bench import START, THINKING, TOKENS, paused_after, stored, thought

from writer.runtime.events import EngineAttached
from writer.runtime.orders import DraftOrder


async def test_a_thought_is_read_while_it_is_paused_and_after_its_text(tmp_path: Path) -> None:
    for tokens in (20, TOKENS + 20):
        async with bench(tmp_path / str(tokens), batch=[1, 3], think=TOKENS) as b:
            await paused_after(b, tokens)
            found = await b.desk.recalling.tell(CHAPTER)
            assert b.events[-1] is found
            assert (found.text, found.why) == (thought(b), "")
            assert (found.generation, found.tokens) == (stored(b)[0].id, len(b.ids))
            assert found.open == (tokens < TOKENS)
            assert found.thought <= TOKENS


async def test_the_thoughts_of_a_chapter_are_listed_newest_first(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        assert "Sampling (F5)" in (await b.desk.recalling.tell(CHAPTER)).why
        await b.desk.draft(DraftOrder(CHAPTER, START), replace(THINKING, think=False))
        first = await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
        second = await b.desk.draft(DraftOrder(CHAPTER, START), replace(THINKING, seed=9))
        found = await b.desk.recalling.tell(CHAPTER)
        assert (found.generation, found.others) == (second.generation, (second.generation, first.generation))
        older = await b.desk.recalling.tell(CHAPTER, first.generation)
        assert (older.generation, older.others) == (first.generation, found.others)
        assert older.text != found.text


async def test_no_engine_is_started_to_read_one(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
    async with bench(tmp_path, think=TOKENS) as again:
        found = await again.desk.recalling.tell(CHAPTER)
        assert (found.text, again.of(EngineAttached)) == ("", [])
        assert "Start the engine" in found.why
        await again.desk.warm_up()
        assert (await again.desk.recalling.tell(CHAPTER)).text == thought(b)


async def test_another_models_thought_is_not_misread(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
        b.alter("tokenizer_fp", "of another model")
        found = await b.desk.recalling.tell(CHAPTER)
        assert (found.text, "another model" in found.why) == ("", True)
