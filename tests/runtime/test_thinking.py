"""A model that thinks before it writes: its thought is in the journal alone, and goes on at the very next token."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, bench
from thinking_bench import START, THINKING, TOKENS, go_on, paused_after, stored, thinking, thought, whole

from writer.engine import scripted_words as words
from writer.generation.model import Sampling, Saved, State
from writer.generation.thinking import Stage, beyond, stage, thought_ids
from writer.runtime.events import BatchCommitted, GenerationStarted, Noted, PromptPlanned
from writer.runtime.orders import DraftOrder
from writer.runtime.runner import Runner
from writer.storage.integrity import check


async def test_the_thought_is_shown_apart_and_the_text_goes_on_in_the_middle_of_a_sentence(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        outcome = await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
        generation, saved = stored(b)
        after = beyond(generation, saved)
        assert outcome.state is State.TRUNCATED
        assert len(after.saved.token_ids) == THINKING.max_tokens
        assert words.detokenize(generation.prompt_ids).endswith("<assistant>\n<think>\n")
        assert words.detokenize(after.prompt_ids).endswith("</think>\n\nThe rain")
        assert (b.ids, b.text) == (list(saved.token_ids), saved.text)
        assert saved.ends[: after.offset] == (0,) * after.offset
        batches = b.of(BatchCommitted)
        assert [each.thinking for each in batches] == sorted([each.thinking for each in batches], reverse=True)
        assert all(each.thinking or not each.thought for each in batches)
        assert thought(b) == words.detokenize(thought_ids(generation, saved)).lstrip()
        assert thought(b) not in saved.text
        assert [each.thinking for each in b.of(GenerationStarted)] == [True, False]


async def test_nothing_of_the_text_before_is_lost_or_doubled_in_the_prompt(tmp_path: Path) -> None:
    async with bench(tmp_path, think=3) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
        said = words.detokenize(beyond(*stored(b)).prompt_ids)
        assert said.count("The lamp had gone out.") == said.count("The rain") == 1
        assert said.index("The lamp had gone out.") < said.index("Go on with the chapter") < said.index("The rain")


async def test_a_pause_inside_and_after_the_thought_leaves_no_seam(tmp_path: Path) -> None:
    ids, text = await whole(tmp_path / "whole")
    for tokens in (1, 17, 33, TOKENS - 1, TOKENS, TOKENS + 2, TOKENS + 9, TOKENS + 30):
        async with bench(tmp_path / str(tokens), batch=[1, 3], think=TOKENS) as b:
            await paused_after(b, tokens)
            assert 0 < len(b.ids) < len(ids)
            told = thought(b)
            await b.desk.resume(go_on(b))
            assert (b.ids, b.text) == (ids, text), tokens
            generation, saved = stored(b)
            assert thought(b) == words.detokenize(thought_ids(generation, saved)).lstrip()
            assert thought(b).startswith(told)
            assert [each.ordinal for each in b.of(BatchCommitted)] == list(range(len(b.of(BatchCommitted))))


async def test_what_is_sent_to_go_on_is_the_prompt_and_the_ids_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids, _ = await whole(tmp_path / "whole")
    async with bench(tmp_path / "cut", batch=[1, 1], think=TOKENS) as b:
        await paused_after(b, 20)
        sent: list[tuple[int, ...]] = []
        engine = b.desk._room.attached
        assert engine is not None
        honest = engine.stream
        monkeypatch.setattr(engine, "stream", lambda request: sent.append(request.prompt_ids) or honest(request))
        await b.desk.resume(go_on(b))
        prompt, sizes = stored(b)[0].prompt_ids, [len(each) - len(stored(b)[0].prompt_ids) for each in sent]
        assert all(each == prompt + tuple(ids[:size]) for each, size in zip(sent, sizes, strict=True))
        assert 0 <= sizes[0] <= 20 < TOKENS < sizes[1]


async def test_a_dead_engine_is_restarted_and_the_thought_goes_on(tmp_path: Path) -> None:
    ids, text = await whole(tmp_path / "whole")
    async with bench(tmp_path / "cut", batch=[1, 3], think=TOKENS, die_at=30, die_once=True) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
        assert (b.ids, b.text) == (ids, text)


async def test_a_stop_between_the_thought_and_what_follows_it_loses_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids, text = await whole(tmp_path / "whole")

    async def killed(self: Runner, generation: str, saved: Saved, ids: tuple[int, ...]) -> None:
        raise asyncio.CancelledError

    async with bench(tmp_path / "cut", batch=[1, 3], think=TOKENS) as b:
        with monkeypatch.context() as patch:
            patch.setattr(Runner, "lead_back", killed)
            await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
        generation, saved = stored(b)
        assert stage(thinking(generation), saved) is Stage.ENDED
        await b.desk.resume(go_on(b))
        assert (b.ids, b.text) == (ids, text)


async def test_a_thought_that_has_used_up_its_tokens_is_closed_and_told(tmp_path: Path) -> None:
    drawn = replace(THINKING, think_tokens=25)
    ids, _ = await whole(tmp_path / "whole", drawn, think=500)
    async with bench(tmp_path / "cut", batch=[1, 3], think=500) as b:
        await paused_after(b, 10, drawn)
        await b.desk.resume(go_on(b))
        generation, saved = stored(b)
        assert b.ids == ids
        assert len(saved.token_ids) == 25 + len(thinking(generation).cut) + drawn.max_tokens
        assert words.detokenize(saved.token_ids).count("</think>") == 1
        assert any("used up its 25 tokens" in each.sentence for each in b.of(Noted))


async def test_a_model_that_ends_inside_its_thought_writes_all_the_same(tmp_path: Path) -> None:
    drawn = replace(THINKING, ignore_eos=False)
    async with bench(tmp_path, batch=[1, 3], think=500, finish_at=12) as b:
        outcome = await b.desk.draft(DraftOrder(CHAPTER, START), drawn)
        assert outcome.state is State.FINISHED
        generation, saved = stored(b)
        assert saved.token_ids[12 : 12 + len(thinking(generation).cut)] == thinking(generation).cut
        assert b.text


async def test_the_chapters_file_and_the_check_of_the_state_know_the_text_alone(tmp_path: Path) -> None:
    for tokens in (10, TOKENS + 20):
        async with bench(tmp_path / str(tokens), batch=[1, 3], think=TOKENS) as b:
            await paused_after(b, tokens)
            state = b.desk._means.state
            [found] = check(state, lambda generation: words.detokenize)
            assert (found.decoded, found.problem) == (True, "")
            [take] = b.desk.takes(CHAPTER)
            assert take.text == b.text
        async with bench(tmp_path / str(tokens), think=TOKENS) as again:
            [offer] = again.opened.offers
            assert (offer.intact, offer.words > 0) == (True, tokens > TOKENS)
            assert again.file() == START + b.text


async def test_a_text_that_its_ids_do_not_say_is_found_behind_a_thought_too(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=TOKENS) as b:
        await paused_after(b, TOKENS + 20)
        [found] = check(b.desk._means.state, lambda generation: lambda ids: words.detokenize(ids).replace("e", "x"))
        assert "not what its token ids say" in found.problem


async def test_a_model_that_cannot_think_writes_at_once_and_that_is_told(tmp_path: Path) -> None:
    async with bench(tmp_path / "cannot", batch=[1, 3]) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), THINKING)
        assert any("does not think" in note for note in b.of(PromptPlanned)[-1].plan.notes)
        cannot = b.text
    async with bench(tmp_path / "unasked", batch=[1, 3]) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), replace(THINKING, think=False))
        assert b.text == cannot
        assert b.of(PromptPlanned)[-1].plan.notes == ()


async def test_without_the_wish_a_model_that_can_think_finds_an_empty_thought(tmp_path: Path) -> None:
    async with bench(tmp_path, think=TOKENS) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), replace(THINKING, think=False))
        generation, saved = stored(b)
        assert words.detokenize(generation.prompt_ids).endswith(START)
        assert words.detokenize(generation.prompt_ids).count("<think>\n\n</think>") == 1
        assert beyond(generation, saved).offset == 0


async def test_raw_text_goes_without_the_template(tmp_path: Path) -> None:
    async with bench(tmp_path, think=TOKENS) as b:
        await b.desk.draft(DraftOrder(CHAPTER, START), replace(THINKING, raw=True))
        said = words.detokenize(stored(b)[0].prompt_ids)
        assert said.endswith(START)
        assert "<user>" not in said
        assert "<think>" not in said


async def test_a_small_window_shortens_the_thought_and_the_text_has_its_room(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3], think=5000, window=900) as b:
        outcome = await b.desk.draft(DraftOrder(CHAPTER, START), Sampling(seed=1, max_tokens=40, think=True))
        assert outcome.state is State.TRUNCATED
        assert len(beyond(*stored(b)).saved.token_ids) == 40
