"""New takes from a place in a text that is told by characters: exactly the parent's tokens up to there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from aside_bench import ORDER, store
from desk_fixture import CHAPTER, bench
from test_desk import INTRO, SAMPLING

from writer.generation.model import Saved
from writer.generation.resume import clean_cut
from writer.runtime.branching import branch, tokens_within
from writer.runtime.orders import Cut, DraftOrder


async def test_every_place_of_a_text_is_a_count_of_its_tokens(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        [first] = await b.desk.aside(ORDER)
        parent, saved = store(b).generation(first.generation), store(b).load(first.generation)
    for characters in range(len(saved.text) + 2):
        made = branch(parent, saved, tokens_within(saved, characters))
        assert saved.text[:characters].startswith(made.text)
        ends = [end for kept, end in enumerate(saved.ends, 1) if clean_cut(saved, kept) and end <= characters]
        assert len(made.text) == max(ends, default=0)  # it never goes back further than to where the token begins


def test_a_character_of_several_tokens_is_never_cut() -> None:
    saved = Saved((1, 2, 3, 4), "aé b", (1, 1, 2, 4), 1)
    assert [tokens_within(saved, characters) for characters in range(5)] == [0, 2, 3, 3, 4]


@pytest.mark.parametrize("inside_a_token", [0, 1])
async def test_takes_go_on_from_a_place_of_a_text_in_the_chapter(tmp_path: Path, inside_a_token: int) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        made = await b.desk.draft(DraftOrder(CHAPTER, INTRO), SAMPLING)
        parent, saved = store(b).generation(made.generation), store(b).load(made.generation)
        kept = next(n for n in range(20, 60) if clean_cut(saved, n) and saved.ends[n] > saved.ends[n - 1] + 1)
        shown = saved.ends[kept - 1]
        text, before = INTRO + saved.text, b.file()
        cut = Cut(shown + inside_a_token, standing=True)
        start = len(INTRO) + cut.characters
        order = replace(
            ORDER, text=text, start=start, end=len(text), parent=parent.id, parent_tokens=9, cut=cut, count=2
        )
        for outcome in await b.desk.aside(order):
            child = store(b).generation(outcome.generation)
            assert child.prompt_ids == parent.prompt_ids + saved.token_ids[:kept]
            assert (child.parent, child.parent_tokens) == (parent.id, kept)
            assert child.place == (len(INTRO) + shown, len(text))  # what goes is what the take begins after
        assert b.file() == before


async def test_what_stands_beside_the_chapter_keeps_its_place(tmp_path: Path) -> None:
    async with bench(tmp_path, batch=[1, 3]) as b:
        [first] = await b.desk.aside(ORDER)
        [second] = await b.desk.aside(replace(ORDER, parent=first.generation, cut=Cut(25)))
        child = store(b).generation(second.generation)
        assert child.place == (len(INTRO), len(INTRO))
        shown = branch(store(b).generation(first.generation), store(b).load(first.generation), child.parent_tokens).text
        listed = {take.generation: take for take in b.desk.takes(CHAPTER)}
        assert listed[child.id].before == shown
        assert 0 < len(shown) <= 25
