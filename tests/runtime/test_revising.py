"""Rewritings on a desk: beside the chapter, durable, gone on with after a death, and put to a passage."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, bench
from test_desk import SAMPLING

from writer.editing.hunks import applied
from writer.errors import NotResumable
from writer.generation.model import State
from writer.generation.rewriting import Kind
from writer.runtime.events import (
    AsideBegun,
    GenerationFailed,
    GenerationStarted,
    PassageLost,
    PassageRecalled,
    PassageRewritten,
)
from writer.runtime.orders import AsideOrder, SaveOrder
from writer.runtime.rewriting import RewriteRequest, Rewritten, applied_to

TEXT = "# One\n\nIt was late. The lamp had gone out an hour before. Nobody spoke."
START = TEXT.index("The lamp")
END = TEXT.index(" Nobody")
SHORTEN = RewriteRequest(CHAPTER, TEXT, START, END, Kind.SHORTEN, tag="t1")
INSERT = RewriteRequest(CHAPTER, TEXT, START, START, Kind.INSERT, wish="rain")


async def test_rewritings_are_written_beside_the_chapter_and_never_into_it(tmp_path: Path) -> None:
    async with bench(tmp_path / "b", finish_at=12) as b:
        before = b.file()
        outcomes = await b.desk.rewrite(replace(SHORTEN, count=3), SAMPLING)
        found = [b.desk.rewritten(outcome.generation, TEXT) for outcome in outcomes]
        assert [event.role for event in b.of(AsideBegun)] == ["rewrite"] * 3
        assert {event.tag for event in b.of(AsideBegun)} == {"t1"}
        assert [event.rewritten for event in b.of(PassageRewritten)] == found
        assert len({each.text for each in found}) == 3
        assert b.file() == before
    for each in found:
        assert TEXT[each.start : each.end] == each.original == "The lamp had gone out an hour before."
        assert applied(each.original, each.hunks, range(len(each.hunks))) == each.text
        assert (each.kind, each.complete) == (Kind.SHORTEN, True)


async def test_an_insertion_goes_where_nothing_stood(tmp_path: Path) -> None:
    async with bench(tmp_path / "b", finish_at=12) as b:
        (outcome,) = await b.desk.rewrite(INSERT, SAMPLING)
        found = b.desk.rewritten(outcome.generation, TEXT)
    assert (found.original, found.start, found.end) == ("", START, START)
    assert applied_to(TEXT, found, found.text).replace(found.text, "", 1) == TEXT
    assert found.text.strip()


async def test_what_a_death_interrupts_goes_on_at_the_next_start(tmp_path: Path) -> None:
    whole, end = await _undisturbed(tmp_path / "whole")
    async with bench(tmp_path / "b", hang_at=9, end_position=end) as b:
        assert await b.desk.save(SaveOrder(CHAPTER, TEXT, 1))
        writing = asyncio.ensure_future(b.desk.rewrite(SHORTEN, SAMPLING))
        async with asyncio.timeout(60):
            while not b.ids:
                await asyncio.sleep(0)
        b.desk.pause()
        (outcome,) = await writing
        assert outcome.state is State.PAUSED
        half = b.desk.rewritten(outcome.generation, TEXT)
        assert not half.complete
    async with bench(tmp_path / "b", end_position=end) as b:
        (offer,) = b.opened.asides
        assert (offer.generation, offer.role) == (outcome.generation, "rewrite")
        b.desk.recall(offer.generation, TEXT)
        [recalled] = b.of(PassageRecalled)
        assert (recalled.rewritten, whole.text.startswith(recalled.raw.strip())) == (half, True)
        await b.desk.go_on(offer.generation)
        assert b.desk.rewritten(offer.generation, TEXT).text == whole.text


@pytest.mark.parametrize("when", ["while it was closed", "while it is open"])
async def test_an_interrupted_rewriting_without_its_passage_is_told_once_and_kept(tmp_path: Path, when: str) -> None:
    async with bench(tmp_path, hang_at=9) as b:
        assert await b.desk.save(SaveOrder(CHAPTER, TEXT, 1))
        writing = asyncio.ensure_future(b.desk.rewrite(SHORTEN, SAMPLING))
        async with asyncio.timeout(60):
            while not b.ids:
                await asyncio.sleep(0)
        b.desk.pause()
        (outcome,) = await writing
    changed = TEXT.replace("an hour", "a day")
    if when == "while it was closed":
        (tmp_path / CHAPTER).write_text(changed)
    async with bench(tmp_path) as b:
        if when == "while it was closed":
            assert b.opened.asides == ()
            assert ["passage is not in the chapter any more" in note for note in b.opened.notes] == [True]
        else:
            assert len(b.opened.asides) == 1
            b.desk.recall(outcome.generation, changed)
            assert b.of(PassageLost) == [PassageLost(outcome.generation)]
    async with bench(tmp_path) as b:
        assert (b.opened.asides, b.opened.notes) == ((), ())
        [take] = b.desk.takes(CHAPTER)
        assert (take.generation, take.reason, bool(take.text)) == (outcome.generation, "kept", True)


async def _undisturbed(folder: Path) -> tuple[Rewritten, int]:
    """The whole rewriting, and where it ends: tokens of prompt and text."""
    async with bench(folder, finish_at=40) as b:
        (outcome,) = await b.desk.rewrite(SHORTEN, SAMPLING)
        end = b.of(GenerationStarted)[0].prompt_tokens + 40
        return b.desk.rewritten(outcome.generation, TEXT), end


async def test_a_model_that_cannot_do_it_is_refused_in_one_sentence(tmp_path: Path) -> None:
    async with bench(tmp_path / "b", template=False) as b:
        (outcome,) = await b.desk.rewrite(INSERT, SAMPLING)
        assert outcome.state is None
        assert "not into the middle" in outcome.sentence
        assert [event.sentence for event in b.of(GenerationFailed)] == [outcome.sentence]
        assert b.of(AsideBegun) == []


async def test_a_rewriting_finds_its_passage_again_or_says_that_it_has_changed(tmp_path: Path) -> None:
    async with bench(tmp_path / "b", finish_at=5) as b:
        (outcome,) = await b.desk.rewrite(SHORTEN, SAMPLING)
    async with bench(tmp_path / "b") as b:
        moved = b.desk.rewritten(outcome.generation, "Before. " + TEXT + " More.")
        assert (moved.start, moved.end) == (START + 8, END + 8)
        with pytest.raises(NotResumable, match="passage has changed"):
            b.desk.rewritten(outcome.generation, TEXT.replace("an hour", "a day"))


async def test_what_is_no_rewriting_is_not_taken_for_one(tmp_path: Path) -> None:
    async with bench(tmp_path / "b", finish_at=5) as b:
        (outcome,) = await b.desk.aside(AsideOrder("t", CHAPTER, TEXT, START, START, "take", sampling=SAMPLING))
        with pytest.raises(NotResumable, match="no rewriting"):
            b.desk.rewritten(outcome.generation, TEXT)


async def test_an_accepted_rewriting_is_saved_and_marked_as_chosen(tmp_path: Path) -> None:
    async with bench(tmp_path / "b", finish_at=12) as b:
        first, second = await b.desk.rewrite(replace(SHORTEN, count=2), SAMPLING)
        found = b.desk.rewritten(first.generation, TEXT)
        assert await b.desk.save(SaveOrder(CHAPTER, applied_to(TEXT, found, found.text), 1))
        b.desk.choose(first.generation)
        takes = {take.generation: take for take in b.desk.takes(CHAPTER)}
        assert takes[first.generation].chosen
        assert not takes[second.generation].chosen
        assert found.text in b.file()


async def test_a_note_that_the_passage_mentions_is_in_the_prompt(tmp_path: Path) -> None:
    async with bench(tmp_path / "b", finish_at=5) as b:
        notes = b.folder / "notes" / "things"
        notes.mkdir(parents=True)
        (notes / "lamp.md").write_text(
            "---\ntitle: Lamp\nkeys: lamp\n---\nThe lamp burns whale oil.\n", encoding="utf-8"
        )
        (notes / "boat.md").write_text("---\ntitle: Boat\nkeys: boat\n---\nThe boat is green.\n", encoding="utf-8")
        (outcome,) = await b.desk.rewrite(SHORTEN, SAMPLING)
        engine = await b.desk._room.ready()
        said = await engine.detokenize(b.desk._means.state.generations.generation(outcome.generation).prompt_ids)
    assert "The lamp burns whale oil." in said.partition("<passage>")[0]
    assert "The boat is green." not in said
