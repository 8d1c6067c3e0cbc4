"""Resume plans: for any stream, any cut and any re-chunking, what is written is what would have been."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.generation.model import Delta, Saved
from writer.generation.resume import Diverged, Replay, aligned, clean_cut, plain, splice

BLOCK = 32
# A token's own text; "" is a token inside a character, or one whose text came with the next.
pieces = st.lists(st.sampled_from(["a", " the", "\n", "夜", "", "", "👩‍🚀"]), min_size=0, max_size=120)


def saved_of(texts: list[str]) -> Saved:
    ends, shown = [], 0
    for text in texts:
        shown += len(text)
        ends.append(shown)
    return Saved(tuple(range(1000, 1000 + len(texts))), "".join(texts), tuple(ends), len(texts))


@given(pieces, st.integers(1, 200))
def test_an_aligned_cut_is_clean_and_leaves_one_token_to_compute(texts: list[str], prompt: int) -> None:
    saved = saved_of(texts)
    plan = aligned(range(prompt), saved, block_size=BLOCK, max_tokens=500)
    assert clean_cut(saved, plan.kept)
    assert plan.prompt_ids == (*range(prompt), *saved.token_ids[: plan.kept])
    assert plan.max_tokens == 500 - plan.kept
    if plan.replay_ids and plan.kept:
        assert (prompt + plan.kept) % BLOCK == 1
        assert plan.start == len(saved.token_ids)


@given(pieces, pieces, st.integers(1, 64), st.lists(st.integers(1, 5), min_size=1), st.booleans())
def test_replay_lets_through_exactly_what_is_new(
    old: list[str], new: list[str], prompt: int, sizes: list[int], merged: bool
) -> None:
    saved, whole = saved_of(old), saved_of(old + new)
    plan = aligned(range(prompt), saved, block_size=BLOCK, max_tokens=1000)
    replay = Replay(plan)
    ids, text, ends = [], "", []
    position, turn = plan.kept, 0
    while position < len(whole.token_ids):
        take = whole.token_ids[position : position + sizes[turn % len(sizes)]]
        got = replay.feed(delta_of(whole, position, len(take), merged))
        position, turn = position + len(take), turn + 1
        if got is not None:
            ends += [len(text) + e for e in got.ends]
            ids += got.token_ids
            text += got.text
    if plan.start == len(old):
        assert saved.token_ids + tuple(ids) == whole.token_ids
        assert saved.text + text == whole.text
        assert not merged or not ids or ends[-1] == len(text)
        if not merged:
            assert tuple(len(saved.text) + e for e in ends) == whole.ends[len(old) :]


def delta_of(whole: Saved, start: int, n: int, merged: bool) -> Delta:
    shown = whole.ends[start - 1] if start else 0
    ends = tuple(e - shown for e in whole.ends[start : start + n])
    if merged:  # the server joined several steps in one event: only the last token's end is known
        ends = (0,) * (n - 1) + ends[-1:]
    return Delta(whole.token_ids[start : start + n], whole.text[shown : whole.ends[start + n - 1]], ends)


def test_another_token_than_the_saved_one_is_a_divergence() -> None:
    saved = saved_of(["a"] * 40)
    plan = aligned(range(10), saved, block_size=BLOCK, max_tokens=100)
    assert plan.replay_ids
    with pytest.raises(Diverged):
        Replay(plan).feed(Delta((1,), "x", (1,)))


def test_other_text_for_the_same_tokens_is_a_divergence() -> None:
    saved = saved_of(["a"] * 40)
    plan = aligned(range(10), saved, block_size=BLOCK, max_tokens=100)
    n = len(plan.replay_ids)
    with pytest.raises(Diverged):
        Replay(plan).feed(Delta(plan.replay_ids, "b" * n, tuple(range(1, n + 1))))


@given(pieces)
def test_a_plain_plan_drops_only_tokens_that_showed_nothing(texts: list[str]) -> None:
    saved = saved_of(texts)
    plan = plain((1, 2), saved, max_tokens=200)
    assert plan.replay_ids == ()
    assert clean_cut(saved, plan.kept)
    assert (saved.ends[plan.kept - 1] if plan.kept else 0) == len(saved.text)


def test_what_was_saved_of_half_a_character_comes_again_and_is_told_once() -> None:
    saved = Saved((7, 8, 9), "ab", (1, 2, 2))  # 9 is the first half of a character
    plan = plain((1, 2), saved, max_tokens=20, compared=True)
    assert (plan.prompt_ids, plan.replay_ids, plan.start, plan.whole) == ((1, 2, 7, 8), (9,), 3, True)
    assert Replay(plan).feed(Delta((9, 10), "夜", (0, 1))) == Delta((10,), "夜", (1,))
    with pytest.raises(Diverged):
        Replay(plan).feed(Delta((5,), "x", (1,)))


def test_nothing_saved_replays_the_request() -> None:
    plan = aligned((1, 2, 3), Saved(), block_size=BLOCK, max_tokens=50)
    assert (plan.prompt_ids, plan.kept, plan.max_tokens) == ((1, 2, 3), 0, 50)


@given(pieces, st.text(alphabet="a the\n夜x", max_size=40), st.integers(0, 60))
def test_an_edit_keeps_the_ids_before_it(texts: list[str], tail: str, at: int) -> None:
    saved = saved_of(texts)
    edited = saved.text[:at] + tail
    cut = splice(saved, edited)
    kept_text = saved.text[: saved.ends[cut.kept - 1]] if cut.kept else ""
    assert kept_text + cut.rest == edited
    assert clean_cut(saved, cut.kept)


def test_an_unedited_text_keeps_all_its_ids() -> None:
    saved = saved_of(["It", " was", " night", "."])
    assert splice(saved, saved.text).kept == 4
    assert splice(saved, "It was dark").kept == 2
