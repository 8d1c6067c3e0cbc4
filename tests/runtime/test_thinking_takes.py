"""Takes, other words, retries and edits of a text that was thought about: nothing goes on from inside a thought."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aside_bench import ORDER, store, text_of
from desk_fixture import CHAPTER, bench
from thinking_bench import START, THINKING, TOKENS, go_on, paused_after, stored, thinking

from writer.config import Settings, WritingSettings
from writer.engine import scripted_words as words
from writer.generation.model import State
from writer.generation.sampling import thinking_of
from writer.generation.thinking import beyond
from writer.runtime.alternatives_found import AlternativesFound, ConfidenceFound, WordAsked
from writer.runtime.events import GenerationStarted
from writer.runtime.orders import DraftOrder
from writer.runtime.prompting import known_texts

TAKE = replace(ORDER, text=START, start=len(START), end=len(START), sampling=THINKING)


async def test_each_take_thinks_by_itself_over_one_prompt(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        outcomes = await b.desk.aside(replace(TAKE, count=3))
        found = [stored(b, outcome.generation) for outcome in outcomes]
        assert len({generation.prompt_ids for generation, _ in found}) == 1
        assert len({saved.token_ids[:TOKENS] for _, saved in found}) == 3
        assert all(saved.text == text_of(b, generation.id) != "" for generation, saved in found)
        assert all(thinking(generation) == thinking(found[0][0]) for generation, _ in found)


async def test_a_child_goes_on_behind_the_thought_with_the_parents_ids_or_thinks_anew(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        [first] = await b.desk.aside(TAKE)
        parent, saved = stored(b, first.generation)
        start = beyond(parent, saved).offset
        for tokens in (0, 5, TOKENS, start, start + 12, len(saved.token_ids)):
            [outcome] = await b.desk.aside(replace(TAKE, parent=parent.id, parent_tokens=tokens))
            child = store(b).generation(outcome.generation)
            kept = child.parent_tokens
            assert child.prompt_ids == parent.prompt_ids + saved.token_ids[:kept]
            assert (kept == 0) == (tokens < start)
            assert thinking_of(child.sampling) == (None if kept else thinking_of(parent.sampling))
            assert (kept >= start) == (tokens >= start)


async def test_a_take_that_is_paused_inside_its_thought_goes_on_in_it(tmp_path: Path) -> None:
    async with bench(tmp_path / "whole", batch=[1, 3], think=TOKENS) as b:
        [whole] = await b.desk.aside(TAKE)
        _, expected = stored(b, whole.generation)
    async with bench(tmp_path / "cut", batch=[1, 3], think=TOKENS, die_at=20) as b:  # it stops for good
        [cut] = await b.desk.aside(TAKE)
        assert (cut.state, stored(b, cut.generation)[1].text) == (State.INTERRUPTED, "")
    async with bench(tmp_path / "cut", batch=[1, 3], think=TOKENS) as b:
        await b.desk.go_on(cut.generation)
        assert stored(b, cut.generation)[1].token_ids == expected.token_ids


async def test_other_words_for_the_first_word_stand_behind_the_thought(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
        generation, saved = stored(b)
        after = beyond(generation, saved)
        await b.desk.wondering.answer(WordAsked("t", CHAPTER, generation.id, 0))
        [found] = b.of(AlternativesFound)
        assert (found.tokens, found.start) == (after.offset, 0)
        assert saved.text.startswith(found.word)
        await b.desk.wondering.answer(WordAsked("t", CHAPTER, generation.id, -1))
        [sure] = b.of(ConfidenceFound)
        assert sure.ends == after.saved.ends


async def test_an_edit_of_the_very_first_word_keeps_the_thought(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        await paused_after(b, TOKENS + 25)
        generation, saved = stored(b)
        after = beyond(generation, saved)
        await b.desk.resume(go_on(b, START + " fell, and nobody came."))
        child = store(b).generation(b.of(GenerationStarted)[-1].generation)
        assert child.prompt_ids[: len(after.prompt_ids)] == after.prompt_ids
        assert words.detokenize(child.prompt_ids).endswith("\n\nThe rain fell, and nobody came.")
        assert thinking_of(child.sampling) is None


async def test_what_was_written_keeps_its_ids_in_later_prompts_and_the_thought_is_not_among_them(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
        generation, saved = stored(b)
        [found] = known_texts(store(b), CHAPTER, generation.fingerprint.tokenizer)
        assert saved.text.startswith(found.text)
        assert words.detokenize(found.token_ids) == found.text


async def test_a_retry_thinks_anew(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
        first, saved = stored(b)
        await b.desk.draft(DraftOrder(CHAPTER, START, instead=first.id), replace(THINKING, seed=99))
        second, other = stored(b, b.of(GenerationStarted)[-1].generation)
        assert second.prompt_ids == first.prompt_ids
        assert other.token_ids[:TOKENS] != saved.token_ids[:TOKENS]
        assert store(b).generation(first.id).role == "take"


async def test_what_is_typed_while_a_thought_is_paused_is_text_and_no_part_of_the_thought(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        await paused_after(b, 20)
        b.desk.settings(Settings(writing=WritingSettings(think=True, max_tokens=20)))
        await b.desk.resume(go_on(b, START + " had stopped by then, and"))
        child = store(b).generation(b.of(GenerationStarted)[-1].generation)
        said = words.detokenize(child.prompt_ids)
        assert said.endswith("<think>\n")
        assert words.detokenize(thinking(child).then) == "\n\nThe rain had stopped by then, and"
