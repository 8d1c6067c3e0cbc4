"""Who wrote what survives edits and a restart of the app; the passage at the cursor is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import make_novel, running
from fake_desk import FakeDesk

from writer.editing.change import Change
from writer.editing.provenance import Provenance
from writer.manuscript.model import Manuscript
from writer.runtime.events import GenerationTold, OriginsFound
from writer.runtime.orders import SaveOrder


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


def found(desk: FakeDesk) -> OriginsFound:
    """What is on record: the model wrote the ship."""
    chapter, text = desk.traced[0]
    start, end = text.index("The ship"), len(text)
    return OriginsFound(chapter, text, text, Provenance.of([(start, end, "g7")]).stored(), ())


async def test_what_is_on_record_is_recalled_though_the_author_types_already_and_is_kept_with_the_next_save(
    novel: Manuscript,
) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        editor = desktop.page.editor
        editor.move_to(editor.text.index("ship"))
        await desktop.press(*"big", "space")
        await desktop.press("ctrl+s")
        await desktop.until(lambda: desk.given(SaveOrder))
        assert desk.given(SaveOrder)[-1].origins == ""
        desk.report(found(desk))
        await desktop.until(lambda: desktop.page.traced)
        await desktop.press("ctrl+s")
        await desktop.until(lambda: desk.given(SaveOrder)[-1].origins)
        kept = Provenance.read(desk.given(SaveOrder)[-1].origins)
        assert [editor.text[r.start : r.end] for r in kept.ranges] == ["The ", "ship came in."]
        await desktop.press("ctrl+z")
        assert [editor.text[r.start : r.end] for r in editor.sheet.origins.ranges] == ["The ship came in."]


async def test_the_passage_at_the_cursor_is_told_with_model_date_and_take(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desk.report(found(desk))
        await desktop.until(lambda: desktop.page.traced)
        page, screen = desktop.page, desktop.screen
        page.editor.move_to(page.editor.text.index("ship"))
        screen.origins.ask(page)
        assert "who g7" in desk.orders
        told = GenerationTold("g7", "qwen\x1b[2J", 1_700_000_000.0, "rewrite", "shorten @0123456789abcdef")
        desk.report(told)
        await desktop.until(lambda: any("g7" in each for each in desktop.told))
        (sentence,) = [each for each in desktop.told if "g7" in each]
        assert "a rewriting (shorten)" in sentence
        assert "November 2023" in sentence
        assert "4 words" in sentence
        assert "\x1b" not in sentence


async def test_what_no_model_wrote_is_the_authors(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desktop.screen.origins.ask(desktop.page)
        await desktop.until(lambda: any("You wrote this" in each for each in desktop.told))


async def test_a_record_of_another_text_is_not_believed(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        sheet = desktop.page.editor.sheet
        desktop.page.editor.change([Change(0, 1, "")])
        assert not sheet.trace(Provenance.of([(0, 3, "g7")]), sheet.length)
        assert not sheet.origins.ranges
