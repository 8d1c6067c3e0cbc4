"""What becomes of takes: chosen, kept, gone on with from any place, listed as a tree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from aside_bench import FOUR, ORDER, in_flight, store, text_of
from desk_fixture import CHAPTER, bench
from test_desk import INTRO, SAMPLING

from writer.engine.scripted import ScriptedEngine
from writer.generation.model import State
from writer.generation.resume import clean_cut
from writer.runtime.events import (
    AsideBegun,
    ChoiceUndone,
    Event,
    GenerationFinished,
    TakeChosen,
    TakesListed,
)
from writer.runtime.orders import DraftOrder, ResumeOrder
from writer.runtime.takes import digest


async def test_what_is_chosen_is_marked_and_the_others_are_kept(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        others = await b.desk.aside(replace(FOUR, tag="other", instruction="a storm"))
        ids = [outcome.generation for outcome in await b.desk.aside(FOUR)]
        b.desk.choose(ids[2])
        assert b.of(TakeChosen) == [TakeChosen(ids[2], (ids[0], ids[1], ids[3]))]
        reasons = {g.id: g.finish_reason for g in store(b).all()}
        assert [reasons[each] for each in ids] == ["kept", "kept", "chosen", "kept"]
        assert {reasons[outcome.generation] for outcome in others} == {"length"}  # of another order
        b.desk.choose(ids[0])  # he has changed his mind
        reasons = {g.id: g.finish_reason for g in store(b).all()}
        assert [reasons[each] for each in ids] == ["chosen", "kept", "kept", "kept"]
        assert all(store(b).load(each).text == text_of(b, each) for each in ids)
    async with bench(tmp_path) as again:
        assert {offer.generation for offer in again.opened.asides} == {outcome.generation for outcome in others}
        again.desk.keep_all(CHAPTER)
    async with bench(tmp_path) as again:
        assert again.opened.asides == ()
        assert len(again.desk.takes(CHAPTER)) == 8


async def test_a_choice_that_is_taken_back_is_kept_and_can_be_made_again(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        ids = [outcome.generation for outcome in await b.desk.aside(replace(ORDER, count=2))]
        b.desk.choose(ids[1])
        b.desk.unchoose(ids[1])
        b.desk.unchoose(ids[0])  # it was never chosen
        assert b.of(ChoiceUndone) == [ChoiceUndone(ids[1])]
        assert [(take.inside, take.reason) for take in b.desk.takes(CHAPTER)] == [(False, "kept")] * 2
        b.desk.choose(ids[1])
        assert [take.inside for take in b.desk.takes(CHAPTER)] == [False, True]
    async with bench(tmp_path) as again:
        assert again.opened.asides == ()


async def test_a_take_that_is_being_written_cannot_be_chosen(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        task = await in_flight(b, FOUR, 2)
        running = b.of(AsideBegun)[0].generation
        with pytest.raises(Exception, match="still being written"):
            b.desk.choose(running)
        b.desk.keep_all(CHAPTER)
        assert all(outcome.ended for outcome in await task)


async def test_continue_from_here_sends_exactly_the_parents_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        [first] = await b.desk.aside(ORDER)
        parent = store(b).generation(first.generation)
        saved = store(b).load(parent.id)
        monkeypatch.setattr(ScriptedEngine, "tokenize", None)  # nothing is tokenised
        for tokens in (0, 1, 7, 40, len(saved.token_ids), 10_000):
            kept = min(tokens, len(saved.token_ids))
            while not clean_cut(saved, kept):
                kept -= 1
            [outcome] = await b.desk.aside(replace(ORDER, parent=parent.id, parent_tokens=tokens))
            child = store(b).generation(outcome.generation)
            assert child.prompt_ids == parent.prompt_ids + saved.token_ids[:kept]
            assert (child.parent, child.parent_tokens) == (parent.id, kept)


async def test_a_child_with_its_parents_seed_goes_on_as_the_parent_did(tmp_path: Path) -> None:
    """Sampling is a function of seed and position."""
    async with bench(tmp_path, batch=[1, 3]) as b:
        [first] = await b.desk.aside(ORDER)
        saved = store(b).load(first.generation)
        [second] = await b.desk.aside(replace(ORDER, parent=first.generation, parent_tokens=40))
        child = store(b).generation(second.generation)
        assert store(b).load(child.id).token_ids[:20] == saved.token_ids[child.parent_tokens :][:20]


async def test_a_draft_can_go_on_from_inside_a_take(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 1]) as b:
        [first] = await b.desk.aside(ORDER)
        saved = store(b).load(first.generation)
        kept = next(n for n in range(30, 60) if clean_cut(saved, n))
        text = INTRO + saved.text[: saved.ends[kept - 1]]
        order = DraftOrder(CHAPTER, text, parent=first.generation, parent_tokens=kept)
        other = await b.desk.draft(replace(order, text=text + " The author."), SAMPLING)
        assert "does not end with that text" in other.sentence
        outcome = await b.desk.draft(order, replace(SAMPLING, seed=8))
        child = store(b).generation(outcome.generation)
        assert child.prompt_ids == store(b).generation(first.generation).prompt_ids + saved.token_ids[:kept]
        assert (child.role, child.parent, child.parent_tokens) == ("text", first.generation, kept)
    async with bench(tmp_path) as again:
        assert again.file() == text + text_of(b, child.id)


async def test_a_retry_keeps_the_former_text_as_a_take(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        first = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        retry = DraftOrder(CHAPTER, INTRO, instead=first.generation)
        second = await b.desk.draft(retry, replace(SAMPLING, seed=9))
        former, now = store(b).generation(first.generation), store(b).generation(second.generation)
        assert (former.role, former.finish_reason, former.place) == ("take", "discarded", (len(INTRO), len(INTRO)))
        assert (now.role, now.parent) == ("text", "")
        assert store(b).load(former.id).text == text_of(b, former.id)
        assert [take.generation for take in b.desk.takes(CHAPTER)] == [former.id, now.id]
        assert [take.inside for take in b.desk.takes(CHAPTER)] == [False, True]
    async with bench(tmp_path) as again:
        assert again.file() == INTRO + text_of(b, now.id)
        assert again.opened.asides == ()


async def test_a_discarded_text_is_a_take_until_the_discard_is_taken_back(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        made = (await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)).generation
        b.desk.discard(made, INTRO, (len(INTRO), len(INTRO)))
        assert store(b).generation(made).role == "take"
        [take] = b.desk.takes(CHAPTER)
        assert (take.place, take.of) == ((len(INTRO), len(INTRO)), digest(INTRO))
        b.desk.undiscard(made)
        assert (store(b).generation(made).role, store(b).generation(made).state) == ("text", State.PAUSED)


async def test_a_discarded_text_that_was_sealed_meanwhile_comes_back_as_ended(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        made = (await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)).generation
        b.desk.discard(made, INTRO, (len(INTRO), len(INTRO)))
    async with bench(tmp_path) as again:
        assert store(again).is_sealed(made)
        again.desk.undiscard(made)
        assert (store(again).generation(made).role, store(again).generation(made).state) == ("text", State.FINISHED)


async def test_the_takes_of_a_chapter_are_a_tree(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        two = [outcome.generation for outcome in await b.desk.aside(replace(ORDER, count=2))]
        [child] = await b.desk.aside(replace(ORDER, parent=two[0], parent_tokens=9))
        [grandchild] = await b.desk.aside(replace(ORDER, parent=child.generation, parent_tokens=9))
        await b.desk.draft(DraftOrder("chapters/02-x.md", ""), SAMPLING)
        listed = b.desk.takes(CHAPTER)
        assert [(take.generation, take.depth) for take in listed] == [
            (two[0], 0),
            (child.generation, 1),
            (grandchild.generation, 2),
            (two[1], 0),
        ]
        assert b.of(TakesListed)[-1] == TakesListed(CHAPTER, listed)
        assert all(take.text == text_of(b, take.generation) for take in listed)


async def test_a_take_can_be_chosen_as_soon_as_its_end_is_told(tmp_path: Path) -> None:
    """The front end may be faster than the desk, which is still leaving the work."""
    async with bench(tmp_path, finish_at=20) as b:
        honest, wrong = b.desk._drafting._notify, []

        def told(event: Event) -> None:
            honest(event)
            if isinstance(event, GenerationFinished):
                try:
                    b.desk.choose(event.generation)
                except Exception as error:
                    wrong.append(error)

        b.desk._drafting._notify = told
        [outcome] = await b.desk.aside(replace(ORDER, sampling=replace(SAMPLING, ignore_eos=False)))
        assert wrong == []
        assert store(b).generation(outcome.generation).finish_reason == "chosen"
        assert store(b).load(outcome.generation).text == text_of(b, outcome.generation)


async def test_a_take_is_not_gone_on_with_in_the_chapter(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        [made] = await b.desk.aside(ORDER)
        before = b.file()
        outcome = await b.desk.resume(ResumeOrder(made.generation, CHAPTER, before, len(before), len(before)))
        assert outcome.state is None
        assert "beside the chapter" in outcome.sentence
        assert b.file() == before
