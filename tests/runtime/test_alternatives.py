"""Other words for a generated one, and a text that begins with the word that was chosen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from desk_fixture import CHAPTER, Bench, bench
from test_desk import INTRO, SAMPLING

from writer.errors import NotResumable
from writer.generation.model import Saved, State
from writer.runtime.alternatives import word_tokens
from writer.runtime.alternatives_found import AlternativesFound, AlternativesRefused, ConfidenceFound, WordAsked
from writer.runtime.events import AsideBegun, BatchCommitted, TakesListed
from writer.runtime.orders import AsideOrder, DraftOrder

SAVED = Saved((1, 2, 3, 4, 5, 6), "The light house 雨夜.", (3, 9, 15, 16, 18, 19))


@pytest.mark.parametrize(("at", "tokens"), [(0, (0, 1)), (4, (1, 2)), (12, (2, 3)), (16, (4, 5)), (18, (5, 6))])
def test_the_word_at_a_place_is_found(at: int, tokens: tuple[int, int]) -> None:
    assert word_tokens(SAVED, at) == tokens


def test_a_word_of_several_tokens_is_one_word() -> None:
    assert word_tokens(Saved((1, 2, 3, 4), "A lighthouse.", (1, 7, 12, 13)), 9) == (1, 3)


def test_behind_the_text_there_is_none() -> None:
    with pytest.raises(NotResumable):
        word_tokens(SAVED, 30)


async def drafted(b: Bench) -> tuple[str, str]:
    """A generation in the chapter, and its text."""
    outcome = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
    return outcome.generation, b.text


async def test_alternatives_are_told_with_the_place_of_their_word(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        generation, text = await drafted(b)
        await b.desk.wondering.answer(WordAsked("w", CHAPTER, generation, 12, count=5))
        (found,) = b.of(AlternativesFound)
        assert (found.tag, found.generation, len(found.alternatives)) == ("w", generation, 5)
        assert text[found.start : found.start + len(found.word)] == found.word
        assert found.start <= 12 < found.start + len(found.word)
        saved = b.desk._means.state.generations.load(generation)
        assert saved.ends[found.tokens - 1] == found.start


async def test_what_cannot_be_told_is_said_in_a_sentence(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        generation, text = await drafted(b)
        await b.desk.wondering.answer(WordAsked("w", CHAPTER, generation, len(text) + 5))
        (refused,) = b.of(AlternativesRefused)
        assert "no generated word" in refused.sentence


async def test_a_take_goes_on_from_the_chosen_word_which_is_its_first(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        generation, text = await drafted(b)
        before = b.file()
        await b.desk.wondering.answer(WordAsked("w", CHAPTER, generation, 12))
        (found,) = b.of(AlternativesFound)
        chosen = found.alternatives[-1]
        whole = INTRO + text
        start = len(INTRO) + found.start
        order = AsideOrder("t", CHAPTER, whole, start, len(whole), "take", sampling=replace(SAMPLING, seed=9))
        opening = chosen.token_ids, chosen.text
        (outcome,) = await b.desk.aside(replace(order, parent=generation, parent_tokens=found.tokens, opening=opening))
        assert outcome.state in (State.TRUNCATED, State.FINISHED)
        (begun,) = b.of(AsideBegun)
        take = b.desk._means.state.generations.load(begun.generation)
        assert take.token_ids[: len(chosen.token_ids)] == chosen.token_ids
        assert take.text.startswith(chosen.text)
        assert len(take.token_ids) > len(chosen.token_ids)
        assert "".join(e.text for e in b.of(BatchCommitted) if e.generation == begun.generation) == take.text
        assert b.file() == before
        b.desk.choose(begun.generation)
        b.desk.takes(CHAPTER)
        assert {each.generation for each in b.of(TakesListed)[-1].takes} == {generation, begun.generation}


async def test_how_sure_the_model_was_is_told_of_each_token(tmp_path: Path) -> None:
    async with bench(tmp_path) as b:
        generation, text = await drafted(b)
        await b.desk.wondering.answer(WordAsked("c", CHAPTER, generation, -1))
        (found,) = b.of(ConfidenceFound)
        assert len(found.ends) == len(found.probabilities) == len(b.ids)
        assert found.ends[-1] == len(text)
        assert all(0 <= chance <= 1 for chance in found.probabilities)
