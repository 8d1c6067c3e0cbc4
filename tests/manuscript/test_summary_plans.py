"""Summaries of chapters that become one: no word of them is lost, and the author is told where they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from arranged import TEXTS, a_book, done, words_on_disk

from writer.errors import ManuscriptError
from writer.manuscript import chapter_plans as plans
from writer.manuscript.arranging import Shelf, arrange
from writer.manuscript.book import read_book
from writer.manuscript.encoding import digest
from writer.manuscript.summaries import Summary, read_summary, summary_path, write_summary

ONE, TWO, THREE = TEXTS


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return a_book(tmp_path)


def summed_up(shelf: Shelf, chapter: str, text: str, of: str = "now") -> None:
    of = digest((shelf.folder / chapter).read_bytes()) if of == "now" else of
    write_summary(shelf.folder, Summary(chapter, text, of))


def merged(shelf: Shelf, *numbers: int) -> str:
    """What is told when these two become one."""
    return " ".join(arrange(shelf, plans.merged(read_book(shelf.folder), *numbers)))


def files(shelf: Shelf) -> list[str]:
    return sorted(str(path.relative_to(shelf.folder)) for path in shelf.folder.glob("notes/summaries/*"))


def test_two_summaries_become_one_that_is_of_the_whole(shelf: Shelf) -> None:
    summed_up(shelf, ONE, "Mara comes.")
    summed_up(shelf, TWO, "No oil.\n\nAnd no wick.")
    assert summary_path(ONE) in merged(shelf, 1, 2)
    now = digest((shelf.folder / ONE).read_bytes())
    assert read_summary(shelf.folder, ONE) == Summary(ONE, "Mara comes.\n\nNo oil.\n\nAnd no wick.", now)
    assert files(shelf) == [summary_path(ONE)]
    assert len(shelf.versions.listing(summary_path(ONE))) == len(shelf.versions.listing(summary_path(TWO))) == 1


def test_the_whole_of_an_old_summary_is_still_known_as_old(shelf: Shelf) -> None:
    summed_up(shelf, ONE, "Mara comes.")
    summed_up(shelf, TWO, "No oil.", of="ab")
    merged(shelf, 1, 2)
    found = read_summary(shelf.folder, ONE)
    assert found is not None
    assert found.of_sha256 != digest((shelf.folder / ONE).read_bytes())


def test_the_only_summary_of_two_chapters_is_that_of_both(shelf: Shelf) -> None:
    summed_up(shelf, TWO, "No oil.")
    assert "nothing of the text before" in merged(shelf, 1, 2)
    found = read_summary(shelf.folder, ONE)
    assert found is not None
    assert (found.text, files(shelf)) == ("No oil.", [summary_path(ONE)])


def test_the_summary_of_the_first_chapter_stays_as_it_is(shelf: Shelf) -> None:
    summed_up(shelf, ONE, "Mara comes.")
    before = (shelf.folder / summary_path(ONE)).read_bytes()
    assert merged(shelf, 1, 2) == ""
    assert (shelf.folder / summary_path(ONE)).read_bytes() == before


@pytest.mark.parametrize("head", ["chapter: chapters/99.md\n", "title: My own\n"])
def test_what_the_author_made_of_a_summary_is_left_where_it_is_and_told(shelf: Shelf, head: str) -> None:
    summed_up(shelf, ONE, "Mara comes.")
    summed_up(shelf, TWO, "No oil.")
    theirs = ONE if "99" in head else TWO
    (shelf.folder / summary_path(theirs)).write_text(f"---\n{head}---\nMine.\n")
    assert f"still in {summary_path(TWO)}" in merged(shelf, 1, 2)
    assert (shelf.folder / summary_path(theirs)).read_text() == f"---\n{head}---\nMine.\n"
    assert len(files(shelf)) == 2


def test_summaries_by_hand_are_joined_without_a_word_lost(shelf: Shelf) -> None:
    summed_up(shelf, ONE, "x")
    for chapter, text in ((ONE, "Mara comes."), (TWO, "\n---\nNo oil.\r\n")):
        (shelf.folder / summary_path(chapter)).write_bytes(text.encode())
    merged(shelf, 1, 2)
    assert {"Mara", "comes", "No", "oil"} <= words_on_disk(shelf)
    assert files(shelf) == [summary_path(ONE)]


def test_a_summary_with_a_broken_head_is_told_before_anything_is_changed(shelf: Shelf) -> None:
    summed_up(shelf, TWO, "x")
    (shelf.folder / summary_path(TWO)).write_text("---\nwhat is this\n---\nNo oil.\n")
    with pytest.raises(ManuscriptError, match="Correct that line"):
        merged(shelf, 1, 2)
    assert read_book(shelf.folder).paths == list(TEXTS)


def test_a_chapter_without_summaries_tells_nothing(shelf: Shelf) -> None:
    assert done(shelf, plans.merged(read_book(shelf.folder), 1, 3)) == [ONE, TWO]
    assert files(shelf) == []


def test_a_summary_follows_the_new_title_of_its_chapter_and_is_not_old_for_it(shelf: Shelf) -> None:
    summed_up(shelf, ONE, "Mara comes.")
    plan = plans.renamed(read_book(shelf.folder), 1, "Quite another title")
    arrange(shelf, plan)
    new = read_book(shelf.folder).paths[0]
    assert new != ONE
    now = digest((shelf.folder / new).read_bytes())
    assert read_summary(shelf.folder, new) == Summary(new, "Mara comes.", now)
    assert (summary_path(ONE), summary_path(new)) in plan.renames
