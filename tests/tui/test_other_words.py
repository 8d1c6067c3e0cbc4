"""Other words for a generated one: the sheet with bars, and the take that goes on from the choice."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk_fixture import bench
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk
from real_window import window
from textual.widgets import OptionList

from writer.editing.find import Match
from writer.engine.base import Alternative
from writer.engine.scripted_words import detokenize
from writer.generation.model import State
from writer.manuscript.model import Manuscript
from writer.runtime.alternatives_found import AlternativesFound, AlternativesRefused, ConfidenceFound, WordAsked
from writer.runtime.events import AsideBegun, BatchCommitted, GenerationFinished
from writer.runtime.orders import AsideOrder
from writer.runtime.takes import Take
from writer.tui.rewriting.card import RewriteCard
from writer.tui.rewriting.word_places import WordPlace, word_place
from writer.tui.rewriting.words_sheet import WordsSheet, bar

WORDS = (
    Alternative((4,), " sang", 0.5),
    Alternative((5, 6), " glimmered", 0.25),
    Alternative((7,), "\x1b[2J", 0.1),
    Alternative((0,), "", 0.05),
)


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


async def asked(desktop: Desktop) -> tuple[WordAsked, int]:
    """A text was generated, and the author asks for other words in it; where it begins."""
    desk = desktop.desk
    await desktop.press("ctrl+g")
    await desktop.until(lambda: desktop.screen.writing.busy)
    desk.begin()
    desk.batch(0, " The lamp sang to itself.")
    desk.finish()
    await desktop.until(lambda: not desktop.screen.writing.busy)
    span = desktop.page.editor.generated_span()
    assert span is not None
    desktop.page.editor.move_to(span.start + 11)
    await desktop.press("ctrl+e")
    await desktop.until(lambda: desk.given(WordAsked))
    return desk.given(WordAsked)[0], span.start


async def test_a_choice_goes_on_as_a_take_that_replaces_what_follows_in_one_step(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        order, start = await asked(desktop)
        assert (order.generation, order.at) == ("g1", 11)
        former = desktop.page.editor.text
        desk.report(AlternativesFound(order.tag, "g1", 3, 9, " sang", WORDS))
        await desktop.until(lambda: isinstance(desktop.app.screen, WordsSheet))
        rows = [str(option.prompt) for option in desktop.app.screen.query_one(OptionList).options]
        assert "50.0%" in rows[0]
        assert "stands there" in rows[0]
        assert rows[0].count("█") == 2 * rows[1].count("█") == 10
        assert not any("\x1b" in row for row in rows)
        await desktop.press("enter")  # the first that is not what stands there
        await desktop.until(lambda: desk.given(AsideOrder))
        take = desk.given(AsideOrder)[0]
        assert (take.parent, take.parent_tokens, take.opening) == ("g1", 3, ((5, 6), " glimmered"))
        assert (take.start, take.end, take.role) == (start + 9, len(former), "take")
        desk.report(AsideBegun(take.tag, "t1", take.chapter, "take", 1, 1))
        desk.report(BatchCommitted("t1", 0, (5, 6), " glimmered", 2))
        desk.report(BatchCommitted("t1", 1, (8,), " once.", 3))
        desk.report(GenerationFinished("t1", 3, "stop"))
        await desktop.until(lambda: isinstance(desktop.app.screen, RewriteCard))
        card = desktop.app.screen
        assert isinstance(card, RewriteCard)
        await desktop.until(lambda: card._answers.shown.usable)
        await desktop.press("enter")
        await desktop.until(lambda: "choose t1" in desk.orders)
        assert desktop.page.editor.text == former[: start + 9] + " glimmered once."
        await desktop.press("ctrl+z")
        assert desktop.page.editor.text == former
        await desktop.until(lambda: desk.orders[-1] == "unchoose t1")


async def test_writing_on_after_a_choice_sends_exactly_its_tokens(novel: Manuscript) -> None:
    async with window(novel, finish_at=30) as desktop:
        start = len(desktop.page.editor.text)
        await desktop.press("ctrl+g")
        await desktop.until(lambda: len(desktop.page.editor.text) > start and not desktop.screen.writing.busy)
        text = desktop.page.editor.text
        desktop.page.editor.move_to(start + 20)
        await desktop.press("ctrl+e")
        await desktop.until(lambda: isinstance(desktop.app.screen, WordsSheet))
        await desktop.press("enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, RewriteCard))
        card = desktop.app.screen
        assert isinstance(card, RewriteCard)
        await desktop.until(lambda: card._answers.shown.usable)
        await desktop.press("enter")
        await desktop.until(lambda: desktop.app.screen is desktop.screen and desktop.page.editor.text != text)
        chosen, text = card._answers.shown.generation, desktop.page.editor.text
        await desktop.press("ctrl+g")
        await desktop.until(lambda: len(desktop.page.editor.text) > len(text) and not desktop.screen.writing.busy)
    async with bench(novel.folder) as b:
        store = b.desk._means.state.generations
        newest, take = store.all()[-1], store.generation(chosen)
        assert (newest.role, newest.parent) == ("text", chosen)
        *ids, _the_end = store.load(chosen).token_ids  # which showed nothing
        while detokenize(ids).endswith("\ufffd"):  # a character that was never finished shows nothing, either
            ids.pop()
        assert newest.parent_tokens == len(ids)
        assert store.generation(newest.id).prompt_ids == (*take.prompt_ids, *ids)


async def test_a_text_that_has_changed_meanwhile_is_not_gone_on_from(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        order, _ = await asked(desktop)
        await desktop.press("x")
        desk.report(AlternativesFound(order.tag, "g1", 3, 9, " sang", WORDS))
        await desktop.until(lambda: any("changed before this word" in each for each in desktop.told))
        assert desktop.app.screen is desktop.screen


async def test_outside_of_generated_text_there_are_none(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.press("ctrl+e")
        await desktop.until(lambda: any("a model has written" in each for each in desktop.told))
        assert not desk.given(WordAsked)


async def test_a_refusal_is_told_in_its_sentence(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        order, _ = await asked(desktop)
        desk.report(AlternativesRefused(order.tag, "This engine tells no alternatives."))
        await desktop.until(lambda: any("tells no alternatives" in each for each in desktop.told))


async def test_unsure_words_are_tinted_until_the_next_change(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        _, start = await asked(desktop)
        desktop.screen.action_tint()
        order = desk.given(WordAsked)[-1]
        assert order.at == -1
        desk.report(ConfidenceFound(order.tag, "g1", (4, 9, 14), (0.9, 0.1, 0.01)))
        editor = desktop.page.editor
        await desktop.until(lambda: any(editor.unsure))
        assert editor.unsure == ([Match(start + 4, start + 9)], [Match(start + 9, start + 14)])
        await desktop.press("x")
        assert not any(editor.unsure)


def test_a_bar_is_never_empty_and_never_longer_than_its_room() -> None:
    assert [len(bar(chance)) for chance in (0.0, 0.001, 0.5, 1.0, 1.5)] == [20] * 5
    assert all(bar(chance).strip() for chance in (0.0, 0.001))


async def test_an_earlier_passage_has_other_words_too_and_one_that_was_edited_says_why_not(novel: Manuscript) -> None:
    async with window(novel, finish_at=30) as desktop:
        passages: list[tuple[int, int]] = []
        for _ in range(2):
            start = len(desktop.page.editor.text)
            await desktop.press("ctrl+g")
            await desktop.until(lambda at=start: len(desktop.page.editor.text) > at and not desktop.screen.writing.busy)
            desktop.screen.keep(desktop.page)
            passages.append((start, len(desktop.page.editor.text)))
        text, (start, end) = desktop.page.editor.text, passages[0]
        desktop.page.editor.move_to(start + 20)
        await desktop.press("ctrl+e")
        await desktop.until(lambda: isinstance(desktop.app.screen, WordsSheet))
        word = desktop.app.screen._word  # type: ignore[attr-defined]
        at = text.rfind(word, start, start + 21 + len(word))
        await desktop.press("enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, RewriteCard))
        card = desktop.app.screen
        assert isinstance(card, RewriteCard)
        await desktop.until(lambda: card._answers.shown.usable)
        answer = card._answers.shown
        assert answer.order is not None
        assert (answer.start, answer.end, answer.base) == (at, end, text)
        await desktop.press("escape")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        desktop.page.editor.move_to(start + 5)
        await desktop.press("x")
        desktop.page.editor.move_to(start + 20)
        await desktop.press("ctrl+e")
        await desktop.until(lambda: any("changed before this word" in each for each in desktop.told))


def a_take(generation: str, text: str, before: str = "", parent: str = "", role: str = "text") -> Take:
    about = {"parent": parent, "parent_tokens": 0, "depth": 0, "place": (0, 0), "instruction": "", "created": 0.0}
    more = {"state": State.FINISHED, "reason": None, "tokens": 1, "words": 1, "text": text, "before": before}
    return Take(generation, "c", role, **about, **more)  # type: ignore[arg-type]


def test_the_word_at_the_cursor_is_found_in_the_text_that_wrote_it() -> None:
    old, take = a_take("a", "The sea was"), a_take("b", " calm now.", "The sea", "a", "take")
    known = {"a": old, "b": take, "r": a_take("r", "Rewritten.", role="rewrite")}.get
    whole, alone = ">> The sea calm now. <<", ">> calm now. <<"
    assert word_place(("b", 3, 20), whole, 12, known) == WordPlace("b", 2, 10, 20)
    assert word_place(("b", 3, 20), whole, 5, known) == WordPlace("a", 2, 3, 20)
    assert word_place(("b", 2, 12), alone, 12, known) == WordPlace("b", 9, 2, 12)
    assert word_place(("b", 3, 20), whole.replace("calm", "cald"), 16, known) is None
    assert word_place(("b", 3, 20), whole.replace("now", "then"), 12, known) == WordPlace("b", 2, 10, 20)
    assert word_place(("gone", 3, 20), whole, 12, known) is None
    assert word_place(("r", 0, 10), "Rewritten.", 3, known) is None
