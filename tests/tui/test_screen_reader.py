"""For a screen reader: sentences when there is something to say, words in place of signs, pages in place of rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from all_sheets import show
from desktop import Desktop, make_novel, running
from drawn import drawing
from fake_desk import FakeDesk
from textual.screen import Screen
from textual.widgets import Label

from writer.editing.hunks import hunks
from writer.engine.base import EngineStatus
from writer.runtime.events import EngineProgressed, GenerationFailed
from writer.tui.calm import Calm
from writer.tui.rewriting.drawing import difference
from writer.tui.screens.resume import ResumeCard


def listen(desktop: Desktop) -> None:
    desktop.app.be(replace(desktop.app.presented, screen_reader=True))


async def test_news_are_sentences_and_nothing_else_changes_the_line(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), desk := FakeDesk()) as desktop:
        listen(desktop)

        async def told(sentence: str) -> None:
            await desktop.until(lambda: desktop.status == sentence)

        desktop.screen.open_chapter(desktop.screen.manuscript.chapters[1].path)
        await told("Chapter 2, The Lighthouse, is open.")
        desk.report(EngineProgressed(EngineStatus("starting", sentence="loading…", seconds=1)))
        await told("The engine is starting.")
        await desktop.press("ctrl+g")
        await told("The engine reads chapter 2, then it writes.")
        desk.report(EngineProgressed(EngineStatus("starting", sentence="loading…", seconds=2)))
        desk.begin()
        await told("Chapter 2 is being written.")
        for ordinal in range(9):
            desk.batch(ordinal, " It rained.")
        await desktop.until(lambda: desktop.page.editor.text.endswith("It rained. It rained."))
        assert desktop.status == "Chapter 2 is being written."
        assert desktop.outline[1] == "2 The Lighthouse, being written"
        await desktop.press("ctrl+g")
        await told("Paused after 18 words in chapter 2. Ctrl+G goes on.")
        await desktop.press("ctrl+s")
        await told("Saved.")
        await desktop.press("ctrl+s")
        await told("Again: Saved.")
        desk.report(GenerationFailed("", 0, "The engine could not be started."))
        await told("Error: The engine could not be started.")
        assert desktop.told == []
        assert desktop.outline[1] == "2 The Lighthouse, paused"


def test_what_goes_and_what_comes_is_said_in_words() -> None:
    old, new = "The sea was calm.", "The sea was rough."
    answer = SimpleNamespace(original=old, hunks=hunks(old, new), rejected=frozenset(), hunk=0)
    shown, _ = difference(answer, in_words=True)  # type: ignore[arg-type]
    assert "[old: calm]" in shown.plain
    assert "[new: rough]" in shown.plain
    assert "taken" in shown.plain


async def test_the_view_follows_by_pages(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("writer.tui.editor.viewport.calm_at", lambda app: Calm(still=True, reader=True))
    async with drawing("\n".join(f"row {number}" for number in range(30)), (60, 12)) as desk:
        desk.editor.show_end()
        await desk.idle()
        desk.begin()
        seen = []
        for number in range(40):
            desk.editor.append_generated(f"\nnew row {number}")
            await desk.painted()
            seen.append(desk.y)
            assert any(f"new row {number}" in row for row in desk.rows())
        assert desk.editor.follow
        assert 3 <= len(set(seen)) <= 40 // (12 - 12 // 3) + 1


async def test_cards_name_their_choices_by_key_and_do_not_count_seconds(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), FakeDesk()) as desktop:
        listen(desktop)
        for name, others in {"choice": 2, "convert": 1, "resume": 2}.items():
            card = await show(desktop, name)
            told = card_text(card)
            assert told.count("Press") == 1 + others, told
            assert told.count("Escape leaves this question.") == 1
            if isinstance(card, ResumeCard):
                card.engine_changed(EngineStatus("starting", sentence="loading…", seconds=9))
                assert card_text(card) == told
                card.engine_changed(EngineStatus("ready"))
                assert "the next word comes at once" in card_text(card)
            await desktop.press("2")
            assert desktop.app.screen is desktop.screen, name


def card_text(card: Screen[Any]) -> str:
    return " ".join(str(label.content) for label in card.query(Label))


async def test_a_window_that_only_reads_says_so_with_each_chapter(tmp_path: Path) -> None:
    async with running(make_novel(tmp_path), FakeDesk()) as desktop:
        listen(desktop)
        desktop.screen.only_reads = True
        desktop.screen.announcer.opened(desktop.page.chapter)
        assert desktop.status == "Chapter 1, Chapter 1, is open. This window only reads."
