"""Rewritings that were interrupted are offered again: on their card they are taken, left, or gone on with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from desktop import Desktop, make_novel, offer, running
from fake_desk import FakeDesk
from real_window import window
from textual.widgets import Button, Label

from writer.manuscript.model import Manuscript
from writer.runtime.events import DeskOpened
from writer.tui.rewriting.card import RewriteCard
from writer.tui.screens.choice import Choice

PASSAGE = "The ship came in."


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


def card(desktop: Desktop) -> RewriteCard:
    assert isinstance(desktop.app.screen, RewriteCard)
    return desktop.app.screen


async def interrupted(novel: Manuscript, times: int = 1) -> None:
    """The app ends while a rewriting of the passage, or several, are being written."""
    async with window(novel, hang_at=12) as desktop:
        desktop.page.editor.move_to(desktop.page.editor.text.index("ship"))
        await desktop.press("f12", "r")
        await desktop.until(lambda: isinstance(desktop.app.screen, RewriteCard))
        for number in range(times):
            await desktop.until(lambda: card(desktop)._answers.shown.raw)
            if number + 1 < times:
                await desktop.press("a")


async def offered(desktop: Desktop) -> None:
    await desktop.until(lambda: isinstance(desktop.app.screen, Choice))
    assert "before its end" in str(desktop.app.screen.query(Label).first().content)


async def test_it_is_shown_gone_on_with_and_taken(novel: Manuscript) -> None:
    file = novel.folder / novel.chapters[0].path
    before = file.read_text()
    await interrupted(novel)
    async with window(novel, finish_at=24) as desktop:
        await offered(desktop)
        await desktop.press("enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, RewriteCard))
        answer = card(desktop)._answers.shown
        assert (answer.original, answer.stopped) == (PASSAGE, True)
        half = answer.raw
        await desktop.press("g")
        await desktop.until(lambda: answer.usable and not answer.stopped)
        assert answer.raw.startswith(half)
        assert len(answer.raw) > len(half)
        assert answer.found is not None
        await desktop.press("enter")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        assert desktop.page.editor.text == before.replace(PASSAGE, answer.found.text)
        await desktop.until(lambda: file.read_text() == desktop.page.editor.text)
    async with window(novel) as desktop:
        assert desktop.app.screen is desktop.screen  # nothing is left to offer


async def test_what_is_left_is_not_offered_again_and_later_is(novel: Manuscript) -> None:
    await interrupted(novel, times=2)
    async with window(novel) as desktop:
        await offered(desktop)
        assert "1 more" in " ".join(str(label.content) for label in desktop.app.screen.query(Label))
        await desktop.press("enter")
        await desktop.until(lambda: isinstance(desktop.app.screen, RewriteCard))
        await desktop.press("escape")  # leaves the first
        await offered(desktop)
        assert len(desktop.app.screen.query(Button)) == 2
        await desktop.press("escape")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        assert len(desktop.screen.revising.recalling.waiting) == 1
    async with window(novel) as desktop:
        await offered(desktop)
        await desktop.press("escape")
        desktop.screen.revising.recalling.show()  # what the palette does
        await desktop.until(lambda: isinstance(desktop.app.screen, RewriteCard))
        await desktop.press("escape")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
    async with window(novel) as desktop:
        assert desktop.app.screen is desktop.screen


async def test_a_passage_that_is_gone_is_told(novel: Manuscript) -> None:
    await interrupted(novel)
    file = novel.folder / novel.chapters[0].path
    file.write_text(file.read_text().replace("ship", "boat"))
    async with window(novel) as desktop:
        await desktop.until(lambda: any("passage is not in the chapter any more" in each for each in desktop.told))
        assert desktop.app.screen is desktop.screen


async def test_the_answer_to_an_authors_own_prompt_is_told_and_kept(novel: Manuscript) -> None:
    desk = FakeDesk()
    asides = (replace(offer(novel, "i1"), role="idea"),)
    desk.start = lambda notify: (setattr(desk, "_notify", notify), desk.report(DeskOpened((), desk.engine, (), asides)))  # type: ignore[method-assign, assignment]
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: "keep i1" in desk.orders)
        assert "prompt of yours" in desktop.told[0]
        assert desktop.app.screen is desktop.screen
