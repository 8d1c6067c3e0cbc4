"""A thought is known for one at whatever points the stream is cut and taken up again. Pure."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.generation.model import Delta, Saved
from writer.generation.prompt import ChapterPrompt, ChatMessage, before_thought
from writer.generation.sampling import Thinking
from writer.generation.thinking import Stage, ThoughtWatch, stage, text_start

END, BLANK = 900, 7
BY_TOKEN = Thinking("<think>", "</think>", END, 60, (BLANK, 8), (50, END, BLANK, 8))
BY_TEXT = Thinking("<think>", "</think>", None, 60, (BLANK, 8), (50, 51, BLANK, 8))
LETTERS = "ab<>/think 雨🌊\n"


def letter_ids(text: str) -> list[int]:
    return [1000 + ord(letter) for letter in text]


def deltas(ids: list[int], texts: list[str], cuts: list[int]) -> list[Delta]:
    """The tokens, each with its text, in pieces that end at the cuts."""
    places = sorted({min(cut, len(ids)) for cut in cuts} | {0, len(ids)})
    found = []
    for start, end in pairwise(places):
        ends, shown = [], 0
        for text in texts[start:end]:
            shown += len(text)
            ends.append(shown)
        found.append(Delta(tuple(ids[start:end]), "".join(texts[start:end]), tuple(ends)))
    return found


def watched(watch: ThoughtWatch, pieces: list[Delta]) -> tuple[list[int], str]:
    """Its ids, and what it says, up to where it is over."""
    ids: list[int] = []
    for piece in pieces:
        kept = watch.feed(piece)
        assert (kept.text, kept.ends, kept.finish_reason) == ("", (0,) * len(kept.token_ids), None)
        ids += kept.token_ids
        if watch.over:
            break
    return ids, watch.taken(1 << 30)


def answer(thinking: Thinking, thought: str, text: str) -> tuple[list[int], list[str]]:
    mark = [END] if thinking.end_id else letter_ids(thinking.end)
    shown = [thinking.end] if thinking.end_id else list(thinking.end)
    return letter_ids(thought) + mark + letter_ids(text), [*thought, *shown, *text]


@pytest.mark.parametrize("thinking", [BY_TOKEN, BY_TEXT])
@given(
    thought=st.text(LETTERS, max_size=40).filter(lambda text: "</think>" not in f"{text}</think"),
    text=st.text(LETTERS, max_size=20),
    cuts=st.lists(st.integers(0, 80), max_size=12),
    pause=st.integers(0, 40),
)
def test_any_cuts_and_any_pause_give_the_same_thought(
    thinking: Thinking, thought: str, text: str, cuts: list[int], pause: int
) -> None:
    ids, texts = answer(thinking, thought, text)
    quiet = len(ids) - len(text)
    whole = ThoughtWatch(thinking)
    assert watched(whole, deltas(ids, texts, cuts)) == (ids[:quiet], thought.lstrip())
    assert whole.over is Stage.ENDED
    pause = min(pause, len(thought))
    first, again = ThoughtWatch(thinking), ThoughtWatch(thinking, pause, thought[:pause])
    watched(first, deltas(ids[:pause], texts[:pause], cuts))
    assert first.over is None
    rest, said = watched(again, deltas(ids[pause:], texts[pause:], cuts))
    assert (rest, again.over) == (ids[pause:quiet], Stage.ENDED)
    assert thought.endswith(said)


@pytest.mark.parametrize("thinking", [BY_TOKEN, BY_TEXT])
@given(thought=st.text("ab 雨🌊\n", min_size=60, max_size=90), cuts=st.lists(st.integers(0, 90), max_size=9))
def test_a_thought_is_full_after_exactly_its_tokens(thinking: Thinking, thought: str, cuts: list[int]) -> None:
    watch = ThoughtWatch(thinking)
    ids, _ = watched(watch, deltas(letter_ids(thought), list(thought), cuts))
    assert (len(ids), watch.over) == (60, Stage.FULL)


@pytest.mark.parametrize("thinking", [BY_TOKEN, BY_TEXT])
@given(thought=st.text("ab ", max_size=40), shown=st.integers(0, 9), unshown=st.integers(0, 3))
def test_where_the_text_begins_is_found_in_the_ids(thinking: Thinking, thought: str, shown: int, unshown: int) -> None:
    mark = [END] if thinking.end_id else letter_ids("</think>")
    quiet = [*letter_ids(thought), *mark, *thinking.then]
    ids = (*quiet, *range(300, 300 + unshown + shown))
    ends = (*(0 for _ in range(len(quiet) + unshown)), *range(1, shown + 1))
    saved, said = Saved(ids, "x" * shown, ends), "" if shown else f"{thought}</think>\n\nIt"
    assert text_start(thinking, saved, said) == len(quiet)
    assert stage(thinking, saved, said) is Stage.WRITING


def test_a_model_that_ends_its_answer_inside_its_thought_is_not_heard() -> None:
    watch = ThoughtWatch(BY_TOKEN)
    assert watch.feed(Delta((1, 2), "ab", (1, 2))).token_ids == (1, 2)
    assert watch.feed(Delta((3, 0), "c", (1, 1), "stop")).token_ids == (3,)
    assert (watch.over, watch.taken(9)) == (Stage.FULL, "abc")


def test_a_mark_that_is_a_token_is_known_by_it_alone() -> None:
    watch = ThoughtWatch(BY_TOKEN, 1, "a</think>")
    pieces = deltas([*letter_ids("b</think>c"), END], [*"b</think>c", "</think>"], [4, 8])
    assert watched(watch, pieces) == ([*letter_ids("b</think>c"), END], "b</think>c")
    assert watch.over is Stage.ENDED
    merged = ThoughtWatch(BY_TOKEN)
    assert watched(merged, [Delta((1, 2, END), "ab</think>\n\n", (0, 0, 12))]) == ([1, 2, END], "ab")


def test_what_follows_the_mark_in_the_same_piece_is_left_to_the_text() -> None:
    watch = ThoughtWatch(BY_TOKEN)
    assert watch.feed(Delta((1, END, 5, 6), "a</think>\n\nIt", (1, 9, 11, 13), "length")).token_ids == (1, END)
    assert watch.over is Stage.ENDED


@pytest.mark.parametrize("text", ["", "The rain", "One.\n\nTwo.\n\nThe rain", "One.\n\n", "雨" * 4000, "word " * 900])
def test_the_end_of_a_text_stands_behind_the_thought_and_nothing_of_it_is_lost(text: str) -> None:
    talk = (ChatMessage("system", "s"), ChatMessage("user", "Write."))
    prompt, joint = before_thought(ChapterPrompt(talk, text, "plain"))
    said = "".join(message.content for message in prompt.messages if message.role == "assistant")
    assert said + joint == text
    assert len(joint) <= 1200
    assert (prompt.prefill, prompt.messages[-1].role, prompt.plain) == ("", "user", "plain")
    assert not said or said.strip()
