"""Go on from here: from a place in a take, and from the cursor in the chapter, as new takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from desktop import Desktop, make_novel, running
from fake_desk import FakeDesk
from real_window import window
from textual.widgets import Label, Static

from writer.editing.provenance import Provenance
from writer.manuscript.model import Manuscript
from writer.text.sanitise import one_line
from writer.tui.takes.asking import AskTakes
from writer.tui.takes.beginnings import generated_at
from writer.tui.takes.columns import Column
from writer.tui.takes.place_sheet import PlaceSheet
from writer.tui.takes.stops import moved, stops
from writer.tui.takes.takes_sheet import TakesSheet


@pytest.fixture
def novel(tmp_path: Path) -> Manuscript:
    return make_novel(tmp_path)


def test_places_are_behind_words_sentences_and_paragraphs() -> None:
    text = "\nThe ship came. It's late!  \n\n船进港了。没人看见。"
    found = stops(text)
    assert [text[:at].split()[-1] for at in found.words[:4]] == ["The", "ship", "came", "came."]
    assert [text[:at] for at in found.sentences[:2]] == ["\nThe ship came.", "\nThe ship came. It's late!"]
    assert found.sentences[2:] == (len(text) - 5, len(text))
    assert found.paragraphs == (text.index("!") + 1, len(text))
    assert found.words[-1] == len(text)


def test_a_place_moves_to_its_neighbours_and_stays_at_the_ends() -> None:
    assert [moved((3, 7, 9), at, 1) for at in (0, 3, 8, 9)] == [3, 7, 9, 9]
    assert [moved((3, 7, 9), at, -1) for at in (9, 8, 7, 3)] == [7, 7, 3, 3]
    assert moved((), 4, 1) == 4


def test_the_word_that_ends_at_the_cursor_counts() -> None:
    origins = Provenance.of([(5, 9, "a"), (9, 12, "b"), (14, 20, "a")])
    assert [generated_at(origins, at) for at in (3, 5, 9, 12, 13)] == [
        None,
        ("a", 5, 20),
        ("a", 5, 20),
        ("b", 9, 12),
        None,
    ]


def text_of(desktop: Desktop) -> str:
    return desktop.page.editor.text


async def written(desktop: Desktop) -> int:
    """A text was generated at the end of the chapter; where it begins."""
    start = len(text_of(desktop))
    await desktop.press("ctrl+g")
    await desktop.until(lambda: len(text_of(desktop)) > start and not desktop.screen.writing.busy)
    return start


async def answered(desktop: Desktop, count: str, *keys: str) -> None:
    """The question is answered, and the takes are written."""
    await desktop.until(lambda: isinstance(desktop.app.screen, AskTakes))
    await desktop.press(count, "enter", *keys)
    await desktop.until(lambda: isinstance(desktop.app.screen, TakesSheet))
    await desktop.until(lambda: len(ended(desktop)) == int(count))


def ended(desktop: Desktop) -> list[Column]:
    columns = desktop.app.screen.query(Column)
    return [each for each in columns if each.display and ("ended" in each.shown.head or "limit" in each.shown.head)]


async def test_takes_from_the_cursor_replace_what_stands_behind_it_in_one_step(novel: Manuscript) -> None:
    async with window(novel, finish_at=40) as desktop:
        start = await written(desktop)
        whole = text_of(desktop)
        at = stops(whole[start:]).words[8] + start
        desktop.page.editor.move_to(at)
        desktop.screen.action_from_here()
        await answered(desktop, "2")
        takes = {each.generation: each for each in desktop.screen.board.takes(novel.chapters[0].path)}
        one, two = (column.shown for column in ended(desktop))
        assert takes[two.name].parent == takes[one.name].parent
        assert whole[start:at].startswith(takes[takes[one.name].parent].text[:8])
        await desktop.press("2")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        place = takes[two.name].place
        assert at - 3 <= place[0] <= at  # a token that the cursor stands in is written anew
        assert text_of(desktop) == whole[: place[0]] + takes[two.name].text
        await desktop.press("ctrl+z")
        assert text_of(desktop) == whole


async def test_after_a_restart_a_text_is_gone_on_with_although_the_author_has_changed_it_further_on(
    novel: Manuscript,
) -> None:
    async with window(novel, finish_at=40) as desktop:
        start = await written(desktop)
    async with window(novel, finish_at=40) as desktop:
        whole = text_of(desktop)
        desktop.page.editor.move_to(len(whole) - 3)
        await desktop.press("X")
        at = stops(whole[start:]).words[8] + start
        desktop.page.editor.move_to(at)
        desktop.screen.action_from_here()
        await desktop.until(lambda: isinstance(desktop.app.screen, AskTakes))
        assert not desktop.app.screen.query(".note")
        await answered(desktop, "1")
        takes = desktop.screen.board.takes(novel.chapters[0].path)
        assert [(take.role, take.parent) for take in takes] == [("text", ""), ("take", takes[0].generation)]
        assert takes[1].place[1] == len(whole) + 1  # what he has changed makes room, too


async def test_changed_words_before_the_cursor_are_gone_on_from_and_that_is_told(novel: Manuscript) -> None:
    async with window(novel, finish_at=40) as desktop:
        start = await written(desktop)
        desktop.page.editor.move_to(start + 5)
        await desktop.press("X")
        at = stops(text_of(desktop)[start:]).words[8] + start
        desktop.page.editor.move_to(at)
        whole = text_of(desktop)
        desktop.screen.action_from_here()
        await desktop.until(lambda: isinstance(desktop.app.screen, AskTakes))
        assert "go on from your words" in str(desktop.app.screen.query_one(".note", Label).content)
        await answered(desktop, "1")
        take = next(each for each in desktop.screen.board.takes(novel.chapters[0].path) if each.role == "take")
        assert (take.parent, take.place) == ("", (at, len(whole)))
        await desktop.press("enter")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        assert text_of(desktop) == whole[:at] + take.text


async def test_a_take_is_gone_on_with_from_a_place_inside_and_chosen_with_its_beginning(novel: Manuscript) -> None:
    async with window(novel, finish_at=40) as desktop:
        before = text_of(desktop)
        desktop.screen.action_new_takes()
        await answered(desktop, "1")
        await desktop.press("f")
        await desktop.until(lambda: isinstance(desktop.app.screen, PlaceSheet))
        sheet = desktop.app.screen
        assert isinstance(sheet, PlaceSheet)
        await desktop.press("home", "right", "right", "right")
        assert sheet.at == stops(sheet.text).words[3]
        assert "Go on from here: after" in str(sheet.query_one(".title", Static).content)
        await desktop.press("enter")
        await answered(desktop, "2")
        first, *_ = takes = desktop.screen.board.takes(novel.chapters[0].path)
        children = [each for each in takes if each.parent == first.generation]
        assert len(children) == 2
        assert first.text[: sheet.at].startswith(children[0].before)
        assert f"after “…{one_line(children[0].before[-40:])}”" in str(
            desktop.app.screen.query_one(".title", Static).content
        )
        await desktop.press("1")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        chosen = next(each for each in children if text_of(desktop).endswith(each.text))
        assert text_of(desktop) == before + chosen.before + chosen.text
        desktop.page.editor.move_to(len(before) + len(chosen.before) - 1)  # these words are the first take's
        desktop.screen.action_from_here()
        await answered(desktop, "1")
        again = [each for each in desktop.screen.board.takes(novel.chapters[0].path) if each.parent == first.generation]
        whole = text_of(desktop)
        await desktop.press("1")
        await desktop.until(lambda: desktop.app.screen is desktop.screen)
        newest = max(again, key=lambda each: each.created)
        assert text_of(desktop) == whole[: newest.place[0]] + newest.text
        assert text_of(desktop).startswith(before + newest.before)


async def test_without_generated_text_at_the_cursor_it_says_what_to_do(novel: Manuscript) -> None:
    desk = FakeDesk()
    async with running(novel, desk) as desktop:
        desktop.screen.action_from_here()
        await desktop.until(lambda: desktop.told)
        assert desktop.told == ["No generated text stands at the cursor. Put the cursor into one, then try again."]
        await desktop.press("ctrl+g")
        desk.begin()
        desk.batch(0, " The lamp sang.")
        await desktop.until(lambda: "sang" in text_of(desktop))
        desktop.screen.action_from_here()
        await desktop.until(lambda: "is being written" in desktop.told[-1])
