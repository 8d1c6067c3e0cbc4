"""Prompts of rewriting: what the model sees, what it is asked, how long its answer may be, and who is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.errors import RequestRefused
from writer.generation.rewriting import (
    AFTER,
    BEFORE,
    Kind,
    Passage,
    answer_sampling,
    require_able,
    rewriting_prompt,
    task,
    token_limit,
)
from writer.generation.rewriting_answer import cleaned
from writer.generation.rewriting_examples import END
from writer.generation.rewriting_recipes import fill
from writer.generation.sampling import Sampling

PASSAGE = Passage("It was late. ", "The lamp went out.", " Nobody spoke.")
REVISIONS = [kind for kind in Kind if kind is not Kind.INSERT]


@pytest.mark.parametrize("kind", REVISIONS)
def test_the_model_sees_the_passage_and_both_sides_and_the_task_last(kind: Kind) -> None:
    prompt = rewriting_prompt(kind, PASSAGE, "darker")
    user = prompt.messages[-1].content
    for name, text in (("before", "It was late."), ("passage", "The lamp went out."), ("after", "Nobody spoke.")):
        assert f"<{name}>\n{text}\n</{name}>" in user
    assert user.endswith(task(kind, "darker"))
    assert prompt.prefill == ""


def test_the_authors_notes_stand_in_front() -> None:
    user = rewriting_prompt(Kind.SHORTEN, PASSAGE, notes=["Mara is tall.", "No adverbs."]).messages[-1].content
    assert user.startswith("<notes>\nMara is tall.\n\nNo adverbs.\n</notes>\n\n<before>")
    assert "<notes>" not in rewriting_prompt(Kind.SHORTEN, PASSAGE).messages[-1].content


def test_all_kinds_share_the_prompt_up_to_the_task() -> None:
    users = [rewriting_prompt(kind, PASSAGE, "x").messages[-1].content for kind in REVISIONS]
    shared = users[0][: users[0].index("</passage>")]
    assert all(user.startswith(shared) for user in users)


def test_a_wish_becomes_part_of_the_task() -> None:
    assert (
        task(Kind.TENSE, "the past tense.") == "Change the tense of the passage to the past tense. Change nothing else."
    )
    assert "third person" in task(Kind.VIEW)
    assert task(Kind.FREE, " make it\nrain ") == "Revise the passage: make it rain."
    assert task(Kind.SHORTEN, "Keep the dog.").endswith("Keep the dog.")


def test_a_free_revision_needs_a_wish() -> None:
    with pytest.raises(RequestRefused, match="Say what should become of the passage"):
        rewriting_prompt(Kind.FREE, PASSAGE, "  ")


@pytest.mark.parametrize("kind", [Kind.REWRITE, Kind.SHORTEN, Kind.EXPAND])
@pytest.mark.parametrize("text", ["The lamp went out.", "灯灭了，谁也没有说话。"])
def test_a_model_that_only_continues_gets_examples_in_the_language_of_the_passage(kind: Kind, text: str) -> None:
    prompt = rewriting_prompt(kind, Passage("", text, ""))
    require_able(prompt, has_template=False)
    assert prompt.plain.count(END) == 2
    assert prompt.plain.endswith(":\n")
    assert f"Original:\n{text}\n\n" in prompt.plain
    assert ("缩写" in rewriting_prompt(Kind.SHORTEN, Passage("", text, "")).plain) is (text[0] == "灯")
    assert cleaned(f"New.\n\n{END}\n\nOriginal:\nMore", text) == "New."


@pytest.mark.parametrize(
    ("kind", "text", "wish"),
    [
        (Kind.TENSE, "He went.", ""),
        (Kind.VIEW, "He went.", ""),
        (Kind.FREE, "He went.", "faster"),
        (Kind.SHORTEN, "He went.", "keep the dog"),
        (Kind.SHORTEN, "彼は行った。そして、戻らなかった。", ""),
        (Kind.SHORTEN, "Он ушёл и не вернулся.", ""),
    ],
)
def test_what_has_no_examples_is_refused_for_such_a_model_and_for_no_other(kind: Kind, text: str, wish: str) -> None:
    prompt = rewriting_prompt(kind, Passage("", text, ""), wish)
    require_able(prompt, has_template=True)
    with pytest.raises(RequestRefused, match="only continues text"):
        require_able(prompt, has_template=False)


def test_an_answer_may_be_as_long_as_its_kind_needs() -> None:
    assert token_limit(Kind.SHORTEN, 100) < token_limit(Kind.REWRITE, 100) < token_limit(Kind.EXPAND, 100)
    assert all(token_limit(kind, 100) >= 100 and token_limit(kind, 1) >= 40 for kind in Kind)


def test_a_rewriting_is_drawn_without_punishing_the_words_of_the_passage() -> None:
    strict = Sampling(
        temperature=0.5, repetition_penalty=1.2, dry_multiplier=0.8, presence_penalty=1, min_tokens=9, seed=3
    )
    drawn = answer_sampling(strict, 77, by_example=False)
    assert (drawn.repetition_penalty, drawn.dry_multiplier, drawn.presence_penalty, drawn.min_tokens) == (1.0, 0, 0, 0)
    assert (drawn.temperature, drawn.seed, drawn.max_tokens, drawn.stop) == (0.5, 3, 77, ())
    assert answer_sampling(strict, 77, by_example=True).stop == (f"\n{END}",)


@given(st.text(alphabet="ab. 。\n", max_size=50), st.integers(0, 300), st.integers(0, 300))
def test_a_passage_is_cut_out_of_its_chapter_with_bounded_surroundings(word: str, start: int, length: int) -> None:
    chapter = (word or "x") * 200
    start = min(start, len(chapter))
    end = min(start + length, len(chapter))
    passage = Passage.of(chapter, start, end)
    assert passage.text == chapter[start:end]
    assert chapter[:start].endswith(passage.before)
    assert chapter[end:].startswith(passage.after)
    assert len(passage.before) <= BEFORE
    assert len(passage.after) <= AFTER


def test_surroundings_begin_and_end_with_whole_sentences() -> None:
    chapter = "The sea was grey that day. " * 400
    passage = Passage.of(chapter, 27 * 200, 27 * 201)
    assert passage.before.startswith("The sea")
    assert passage.after.endswith("day. ")
    assert len(passage.before) > BEFORE - 60


RECIPE = "Describe {selection} in chapter {chapter}.\n\nSo far: {before}\n\nUse {no} braces."


def test_a_recipe_is_filled_once() -> None:
    prompt = fill(RECIPE, selection=" the {chapter} door ", before="He came.", chapter="One")
    said = "Describe the {chapter} door in chapter One.\n\nSo far: He came.\n\nUse {no} braces."
    assert prompt.messages[-1].content == said
    assert prompt.plain == said + "\n\n"


def test_a_recipe_without_what_it_needs_is_refused() -> None:
    with pytest.raises(RequestRefused, match="Select a passage"):
        fill(RECIPE, selection=" ", before="", chapter="One")
    with pytest.raises(RequestRefused, match="empty"):
        fill(" \n", selection="x", before="", chapter="One")
    assert fill("Brainstorm on {chapter}.", selection="", before="", chapter="One").messages[-1].content
