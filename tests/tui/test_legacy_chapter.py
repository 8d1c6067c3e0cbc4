"""A chapter that is not UTF-8: read but never changed, and copied on request."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import Desktop, make_novel, offer, running
from fake_desk import FakeDesk
from textual.widgets import Button, Label

from writer.manuscript.legacy import UNKNOWN, LegacyText, recognise
from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript
from writer.runtime.events import ChapterSaved
from writer.runtime.orders import DraftOrder, SaveOrder
from writer.tui.commands import WriterCommands
from writer.tui.screens.ask import Ask
from writer.tui.screens.convert import ConvertCard, card_lines

TEXT = "# 海港\n\n雨下了一夜。清晨，船终于进港了。\n"
BYTES = TEXT.encode("gb18030")


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    """Two chapters; the first is not UTF-8."""
    manuscript = make_novel(tmp_path)
    (manuscript.folder / manuscript.chapters[0].path).write_bytes(BYTES)
    return open_manuscript(manuscript.folder)


def original(novel: Manuscript) -> bytes:
    return (novel.folder / novel.chapters[0].path).read_bytes()


def shown(data: bytes) -> LegacyText:
    found = recognise(data)
    assert found is not None
    return found


def carded(desktop: Desktop) -> bool:
    return isinstance(desktop.app.screen, ConvertCard)


def commands(desktop: Desktop) -> list[str]:
    return [name for name, _, _ in WriterCommands(desktop.screen)._commands()]


async def test_it_is_shown_with_a_card_in_plain_words(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: carded(desktop))
        lines = [str(label.render()) for label in desktop.app.screen.query(Label)]
        assert "is not UTF-8 text; it looks like GB 18030 (Chinese). It can be read here but not changed." in lines[0]
        labels = [str(button.label) for button in desktop.app.screen.query(Button)]
        assert labels == ["Make a copy in UTF-8 and open it", "Just read"]
        assert all(button.region.right <= 100 for button in desktop.app.screen.query(Button))
        assert desktop.page.editor.text == TEXT
        assert desktop.page.editor.read_only
        assert set(desk.orders) <= {"warm_up"}, (
            "the writing thread is not told that it was opened: it will never be saved"
        )


async def test_just_read_changes_nothing_whatever_is_pressed(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk, autosave=0.05) as desktop:
        await desktop.until(lambda: carded(desktop))
        await desktop.press("right", "enter")
        await desktop.until(lambda: not carded(desktop))
        await desktop.press("x", "enter", "backspace", "delete", "ctrl+z", "ctrl+y", "ctrl+s", "y")
        await desktop.until(lambda: "read only: GB 18030 (Chinese)" in desktop.status)
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.page.chapter.number == 2)
        await desktop.press("z")
        await desktop.until(lambda: desk.given(SaveOrder), seconds=5)
        assert {order.chapter for order in desk.given(SaveOrder)} == {novel.chapters[1].path}
        desktop.screen.open_chapter(novel.chapters[0].path)
        await desktop.until(lambda: desktop.page.chapter.number == 1)
        await desktop.pilot.pause()
        assert not carded(desktop), "the question is not asked again"
        assert desktop.page.editor.text == TEXT
    assert original(novel) == BYTES


async def test_drafting_into_it_is_refused_with_one_sentence(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: carded(desktop))
        await desktop.press("escape")
        await desktop.until(lambda: not carded(desktop))
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desktop.told)
        await desktop.press("f2")
        await desktop.until(lambda: len(desktop.told) == 2)
        assert set(desktop.told) == {desktop.page.only_read}
        assert "choose Make a UTF-8 copy" in desktop.told[0]
        assert not isinstance(desktop.app.screen, Ask)
        assert desk.given(DraftOrder) == []
        assert not desktop.screen.writing.busy


async def test_the_copy_is_made_and_opened_in_its_place(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: carded(desktop))
        await desktop.press("enter")
        await desktop.until(lambda: desktop.page.legacy is None)
        copy = desktop.page.chapter
        assert (copy.number, copy.path) == (1, "chapters/01-chapter-1 (UTF-8).md")
        assert [chapter.path for chapter in desktop.screen.manuscript.chapters] == [copy.path, novel.chapters[1].path]
        assert f"opened {copy.path}" in desk.orders
        await desktop.until(lambda: "海港" in desktop.outline[0])
        await desktop.until(lambda: desktop.page.editor.has_focus)
        await desktop.press("x", "ctrl+s")
        await desktop.until(lambda: desk.given(SaveOrder))
        assert desk.given(SaveOrder)[0].chapter == copy.path
        assert desk.given(SaveOrder)[0].text == TEXT + "x"
        await desktop.until(lambda: desktop.status.endswith("· saved"))
        assert (novel.folder / copy.path).read_text("utf-8") == TEXT
        desktop.screen.open_chapter(novel.chapters[0].path)
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.page.chapter.number == 2)
        assert len(open_manuscript(novel.folder).chapters) == 2
    assert original(novel) == BYTES


async def test_the_palette_offers_the_copy_only_while_it_helps(novel: Manuscript) -> None:
    async with running(novel, FakeDesk()) as desktop:
        await desktop.until(lambda: carded(desktop))
        await desktop.press("escape")
        await desktop.until(lambda: not carded(desktop))
        assert "Make a UTF-8 copy" in commands(desktop)
        desktop.screen.opening.convert()
        desktop.screen.opening.convert()
        await desktop.until(lambda: desktop.page.legacy is None)
        assert "Make a UTF-8 copy" not in commands(desktop)
        await desktop.pilot.pause()
        assert len(list((novel.folder / "chapters").iterdir())) == 3, "asked twice, made once"


async def test_leaving_that_is_cancelled_leaves_it_read_only(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: carded(desktop))
        await desktop.press("escape")
        legacy = desktop.page
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.page is not legacy)
        desk.refusal = "The disk is full."
        await desktop.press("x", "ctrl+q")
        await desktop.until(lambda: desktop.app.screen is not desktop.screen)
        assert legacy.editor.read_only
        await desktop.press("enter")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        await desktop.until(lambda: not desktop.page.editor.read_only)
        assert legacy.editor.read_only


async def test_it_does_not_keep_the_author_from_leaving(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: carded(desktop))
        await desktop.press("escape")
        await desktop.press("ctrl+q")
        await desktop.until(lambda: "close" in desk.orders)
        assert desk.given(SaveOrder) == []


async def test_saved_as_utf8_meanwhile_it_opens_for_writing(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: carded(desktop))
        await desktop.press("escape")
        (novel.folder / novel.chapters[0].path).write_text("Now UTF-8: é", "utf-8")
        desktop.screen.opening.convert()
        await desktop.until(lambda: desktop.told)
        assert "was changed by another program. Open it again" in desktop.told[0]
        desktop.screen.open_chapter(novel.chapters[0].path)
        await desktop.until(lambda: desktop.page.legacy is None)
        assert desktop.page.editor.text == "Now UTF-8: é"
        await desktop.press("x", "ctrl+s")
        await desktop.until(lambda: desk.given(SaveOrder))
        order = desk.given(SaveOrder)[0]
        desk.report(ChapterSaved(order.chapter, order.serial))
        assert order.text == "Now UTF-8: éx"


async def test_what_waits_in_it_is_not_offered_and_typing_ahead_is_kept(novel: Manuscript) -> None:
    desk = FakeDesk(offer(novel))
    async with running(novel, desk) as desktop:
        await desktop.until(lambda: carded(desktop))
        assert desktop.page.resumable == ""
        assert desktop.page.editor.generated_span() is None
        desktop.screen.typed_ahead = "early "
        await desktop.press("enter")
        await desktop.until(lambda: desktop.page.legacy is None)
        assert desktop.page.editor.text == TEXT + "early "


async def test_an_unknown_encoding_can_only_be_read(novel: Manuscript) -> None:
    (novel.folder / novel.chapters[0].path).write_bytes(bytes(range(0x80, 0x100)) * 3)
    async with running(novel, FakeDesk()) as desktop:
        await desktop.until(lambda: carded(desktop))
        assert [str(button.label) for button in desktop.app.screen.query(Button)] == ["Just read"]
        await desktop.press("enter")
        await desktop.until(lambda: not carded(desktop))
        assert "Make a UTF-8 copy" not in commands(desktop)
        await desktop.press("ctrl+g")
        await desktop.until(lambda: desktop.told)
        assert "Save it as UTF-8 in the program it comes from" in desktop.told[0]
        await desktop.until(lambda: f"read only: {UNKNOWN}" in desktop.status)


async def test_what_is_no_text_is_told_as_before(novel: Manuscript) -> None:
    (novel.folder / novel.chapters[1].path).write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(400))
    async with running(novel, FakeDesk()) as desktop:
        await desktop.until(lambda: carded(desktop))
        await desktop.press("escape")
        desktop.screen.open_chapter(novel.chapters[1].path)
        await desktop.until(lambda: desktop.told)
        assert "is not UTF-8 text (byte 0 does not fit)" in desktop.told[0]
        assert desktop.page.chapter.number == 1


def test_the_card_speaks_plainly_of_what_is_known() -> None:
    known = card_lines("One", shown(BYTES))
    assert known[0].startswith("One: the file is not UTF-8 text; it looks like GB 18030 (Chinese).")
    assert "stays as it is" in known[1]
    damaged = card_lines("One", shown(BYTES + b"\xff"))
    assert "GB 18030 (Chinese), damaged" in damaged[0]
    assert damaged[1].startswith("Save it as UTF-8")
    assert "its encoding is not known" in card_lines("One", shown(bytes(range(0x80, 0x100))))[0]
