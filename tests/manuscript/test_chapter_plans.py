"""Chapters are added, renamed, moved, split, merged and given a status; nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from arranged import TEXTS, a_book, done, shelf_of, texts, words_of, words_on_disk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from writer.errors import ManuscriptError
from writer.manuscript import chapter_plans as plans
from writer.manuscript.arranging import Shelf, arrange
from writer.manuscript.book import read_book
from writer.manuscript.chapter_facts import ChapterFacts, day_goal, read_facts
from writer.manuscript.edits import applied
from writer.manuscript.project import open_manuscript
from writer.manuscript.summaries import Summary, read_summary, write_summary

ONE, TWO, THREE = TEXTS


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return a_book(tmp_path)


def titles(shelf: Shelf) -> list[str]:
    return [chapter.title for chapter in open_manuscript(shelf.folder).chapters]


def said(shelf: Shelf) -> str:
    return (shelf.folder / "writer.toml").read_text()


@pytest.mark.parametrize(("after", "place"), [(None, 3), (0, 0), (1, 1), (3, 3)])
def test_a_chapter_is_added_anywhere(shelf: Shelf, after: int | None, place: int) -> None:
    paths = done(shelf, plans.added(read_book(shelf.folder), "The storm", after=after))
    assert paths[place] == "chapters/04-the-storm.md"
    assert (shelf.folder / paths[place]).read_text() == "# The storm\n\n"
    assert [path for path in paths if path in TEXTS] == list(TEXTS)
    assert "# in order" in said(shelf)
    assert "# soon" in said(shelf)


def test_a_new_chapter_takes_the_part_of_its_heading_in_the_outline_or_of_its_neighbour(shelf: Shelf) -> None:
    (shelf.folder / "outline.md").write_text("# Two\n\n## The storm\n")
    done(shelf, plans.added(read_book(shelf.folder), "The storm"))
    done(shelf, plans.added(read_book(shelf.folder), "Oil", after=2))
    done(shelf, plans.added(read_book(shelf.folder), "End", part="Three"))
    facts = read_facts(shelf.folder)
    assert [facts[f"chapters/{name}.md"].part for name in ("04-the-storm", "05-oil", "06-end")] == [
        "Two",
        "One",
        "Three",
    ]


def test_a_rename_changes_heading_file_and_settings_and_nothing_else(shelf: Shelf) -> None:
    (shelf.folder / TWO).chmod(0o640)
    before = read_book(shelf.folder)
    plan = plans.renamed(before, 2, "The Lantern: Ça va")
    calls: list = []
    assert done(shelf_of(shelf.folder.parent, calls), plan) == [ONE, "chapters/02-the-lantern-ça-va.md", THREE]
    new = shelf.folder / "chapters/02-the-lantern-ça-va.md"
    assert new.read_text() == "# The Lantern: Ça va\n\nNobody had oil.\n\n\n"
    assert new.stat().st_mode & 0o777 == 0o640
    assert not (shelf.folder / TWO).exists()
    assert read_facts(shelf.folder) == {"chapters/02-the-lantern-ça-va.md": ChapterFacts("draft", "One")}
    ((carried,),) = calls
    assert (carried.old, carried.new) == (TWO, "chapters/02-the-lantern-ça-va.md")
    assert applied(TEXTS[TWO], carried.edits) == new.read_text()
    assert [version.sha256 for version in shelf.versions.listing(carried.new)] == [before.text(TWO).sha256]
    assert shelf.versions.listing(TWO) == []


def test_a_chapter_without_a_heading_gets_one_if_its_file_cannot_say_the_title(shelf: Shelf) -> None:
    done(shelf, plans.renamed(read_book(shelf.folder), 3, "Calm"))
    assert (shelf.folder / "chapters/03-calm.md").read_text() == TEXTS[THREE]
    done(shelf, plans.renamed(read_book(shelf.folder), 3, "Calm, at last"))
    assert (shelf.folder / "chapters/03-calm-at-last.md").read_text() == "# Calm, at last\n\n" + TEXTS[THREE]
    assert titles(shelf)[2] == "Calm, at last"


def test_a_new_title_with_the_same_letters_keeps_the_file(shelf: Shelf) -> None:
    assert done(shelf, plans.renamed(read_book(shelf.folder), 2, "The LAMP!")) == list(TEXTS)
    assert titles(shelf)[1] == "The LAMP!"


def test_a_rename_takes_no_other_files_name(shelf: Shelf) -> None:
    (shelf.folder / "chapters/02-calm.md").write_text("Other.")
    done(shelf, plans.renamed(read_book(shelf.folder), 2, "Calm"))
    assert (shelf.folder / "chapters/02-calm.md").read_text() == "Other."
    assert (shelf.folder / "chapters/02-calm-2.md").read_text().startswith("# Calm\n")


def test_the_same_title_again_changes_nothing(shelf: Shelf) -> None:
    assert plans.renamed(read_book(shelf.folder), 2, "The lamp").steps == ()


def test_a_rename_takes_the_summary_along(shelf: Shelf) -> None:
    write_summary(shelf.folder, Summary(TWO, "No oil.", "ab"))
    (_, new, _) = done(shelf, plans.renamed(read_book(shelf.folder), 2, "Oil"))
    assert read_summary(shelf.folder, new) == Summary(new, "No oil.", "ab")
    assert [file.name for file in (shelf.folder / "notes" / "summaries").iterdir()] == ["02-oil.md"]


@pytest.mark.parametrize(
    ("number", "after", "order"), [(3, 0, "312"), (1, 3, "231"), (1, 2, "213"), (2, 2, "123"), (2, 1, "123")]
)
def test_a_chapter_is_moved_without_renaming_a_file(shelf: Shelf, number: int, after: int, order: str) -> None:
    plan = plans.moved(read_book(shelf.folder), number, after=after)
    assert all(step.path == "writer.toml" for step in plan.steps)
    assert done(shelf, plan) == [list(TEXTS)[int(digit) - 1] for digit in order]
    assert "# in order" in said(shelf)


def test_a_moved_chapter_belongs_to_the_part_it_comes_to_stand_in(shelf: Shelf) -> None:
    for number, part in ((1, "One"), (3, "Two")):
        done(shelf, plans.moved(read_book(shelf.folder), number, part=part))
    done(shelf, plans.moved(read_book(shelf.folder), 3, after=1))
    assert read_facts(shelf.folder)[THREE].part == "One"
    done(shelf, plans.moved(read_book(shelf.folder), 3, part="Four"))
    assert [read_facts(shelf.folder)[path].part for path in read_book(shelf.folder).paths] == ["One", "One", "Four"]


def test_chapters_that_were_not_listed_are_once_one_is_moved(shelf: Shelf) -> None:
    (shelf.folder / "chapters/07-late.md").write_text("Late.")
    assert done(shelf, plans.moved(read_book(shelf.folder), 4, after=0))[0] == "chapters/07-late.md"


def test_a_chapter_is_split_and_its_rest_is_the_next_one(shelf: Shelf) -> None:
    at = TEXTS[ONE].index("The lamp was")
    calls: list = []
    paths = done(shelf_of(shelf.folder.parent, calls), plans.split(read_book(shelf.folder), 1, at, "Light"))
    assert paths == [ONE, "chapters/04-light.md", TWO, THREE]
    assert texts(shelf)[:2] == ["# The harbour\n\nMara came home. ünïcode\n", "# Light\n\nThe lamp was lit.\n"]
    rest, first = calls[0]
    assert applied(TEXTS[ONE], first.edits) == texts(shelf)[0]
    assert applied(TEXTS[ONE], rest.edits) == texts(shelf)[1]
    assert (first.new, rest.new, rest.beyond) == (ONE, paths[1], at)


def test_a_split_before_a_heading_takes_it_as_the_title(shelf: Shelf) -> None:
    (shelf.folder / ONE).write_bytes(b"\xef\xbb\xbf# A\r\n\r\none\r\n# B\r\n\r\ntwo\r\n")
    book = read_book(shelf.folder)
    done(shelf, plans.split(book, 1, book.text(ONE).text.index("# B")))
    assert titles(shelf)[:2] == ["A", "B"]
    assert (shelf.folder / "chapters/04-b.md").read_bytes() == b"\xef\xbb\xbf# B\r\n\r\ntwo\r\n"
    assert (shelf.folder / ONE).read_bytes() == b"\xef\xbb\xbf# A\r\n\r\none\r\n"


def test_a_split_before_a_text_with_a_heading_further_down_leaves_that_one_alone(shelf: Shelf) -> None:
    (shelf.folder / ONE).write_text("# A\n\none\n\ntwo\n\n# B\n")
    done(shelf, plans.split(read_book(shelf.folder), 1, len("# A\n\none\n\n")))
    assert texts(shelf)[1] == "# A 2\n\ntwo\n\n# B\n"


@pytest.mark.parametrize("offset", [-1, 0, len(TEXTS[ONE]), 9999])
def test_a_split_at_no_place_is_refused(shelf: Shelf, offset: int) -> None:
    with pytest.raises(ManuscriptError, match="nothing to split"):
        plans.split(read_book(shelf.folder), 1, offset)


def test_two_chapters_become_one(shelf: Shelf) -> None:
    calls: list = []
    done(shelf, plans.said(read_book(shelf.folder), 1, status="done"))
    assert done(shelf_of(shelf.folder.parent, calls), plans.merged(read_book(shelf.folder), 1, 2)) == [ONE, THREE]
    whole = TEXTS[ONE].rstrip() + "\n\n## The lamp\n\nNobody had oil.\n\n\n"
    assert texts(shelf)[0] == whole
    assert read_facts(shelf.folder) == {ONE: ChapterFacts("draft")}
    (first, second) = calls[0]
    assert applied(TEXTS[ONE], first.edits) == whole
    assert applied(TEXTS[TWO], second.edits) == whole
    assert {version.size for version in shelf.versions.listing(ONE)} == {len(TEXTS[p].encode()) for p in (ONE, TWO)}


def test_a_chapter_cannot_be_merged_with_itself(shelf: Shelf) -> None:
    with pytest.raises(ManuscriptError, match="itself"):
        plans.merged(read_book(shelf.folder), 1, 1)


def test_status_and_goals_are_said_and_taken_back(shelf: Shelf) -> None:
    done(shelf, plans.said(read_book(shelf.folder), 3, status="revised", goal=3000))
    done(shelf, plans.day_goal(read_book(shelf.folder), 1000))
    assert read_facts(shelf.folder)[THREE] == ChapterFacts("revised", "", 3000)
    assert day_goal(shelf.folder) == 1000
    done(shelf, plans.said(read_book(shelf.folder), 3, status="", goal=0))
    done(shelf, plans.said(read_book(shelf.folder), 2, status="", part=""))
    done(shelf, plans.day_goal(read_book(shelf.folder), 0))
    assert (read_facts(shelf.folder), day_goal(shelf.folder)) == ({}, 0)
    with pytest.raises(ManuscriptError, match="idea, draft, revised, done"):
        plans.said(read_book(shelf.folder), 1, status="perfect")


@pytest.mark.parametrize("number", [0, 4, -1])
def test_a_chapter_that_is_not_there_is_refused(shelf: Shelf, number: int) -> None:
    with pytest.raises(ManuscriptError, match=r"no chapter.*the last one is 3"):
        plans.renamed(read_book(shelf.folder), number, "X")


TITLE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
NUMBER = st.integers(1, 5)
STEPS = st.one_of(
    st.tuples(st.just("added"), TITLE, st.integers(0, 5)),
    st.tuples(st.just("renamed"), NUMBER, TITLE),
    st.tuples(st.just("moved"), NUMBER, st.integers(0, 5)),
    st.tuples(st.just("split"), NUMBER, st.integers(0, 60)),
    st.tuples(st.just("merged"), NUMBER, NUMBER),
)


@given(st.lists(STEPS, max_size=6))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_row_of_changes_loses_a_word_or_the_order(tmp_path_factory: pytest.TempPathFactory, steps: list) -> None:
    """The order is compared with a plain list that goes through the same."""
    shelf = a_book(tmp_path_factory.mktemp("book"))
    wanted = words_of(*(text for path, text in TEXTS.items()))
    order = list(TEXTS)
    for kind, *arguments in steps:
        book = read_book(shelf.folder)
        try:
            if kind in ("added", "moved"):
                plan = getattr(plans, kind)(book, arguments[0], after=arguments[1])
            else:
                plan = getattr(plans, kind)(book, *arguments)
        except ManuscriptError:
            continue
        before = texts(shelf)
        arrange(shelf, plan)
        order = _followed(order, plan, kind, arguments)
        if kind == "renamed":  # words of a heading give way
            wanted = {word for word in wanted if word in words_on_disk(shelf)} | words_of("Mara came home oil Storm")
        if kind == "split":  # it may have cut a word in two
            assert_split(before[arguments[0] - 1], *texts(shelf)[arguments[0] - 1 : arguments[0] + 1])
            wanted = words_of(*texts(shelf))
        assert read_book(shelf.folder).paths == order
        assert wanted <= words_on_disk(shelf)


def assert_split(whole: str, first: str, second: str) -> None:
    """Every sign of the whole is in one of the two, in order; the second one may begin with a title of its own."""
    signs, head, rest = ("".join(text.split()) for text in (whole, first, second))
    assert signs.startswith(head)
    assert rest.endswith(signs[len(head) :])


def _followed(order: list[str], plan, kind: str, arguments: list) -> list[str]:
    made = [step.path for step in plan.steps if step.kind == "make" and step.path.startswith("chapters/")]
    renames = dict(plan.renames)
    if kind == "added":
        return [*order[: arguments[1]], *made, *order[arguments[1] :]]
    if kind == "split":
        return [*order[: arguments[0]], *made, *order[arguments[0] :]]
    if kind == "merged":
        return [path for path in order if path not in renames]
    if kind == "moved" and arguments[0] != arguments[1]:
        path = order[arguments[0] - 1]
        after = order[arguments[1] - 1] if arguments[1] else ""
        rest = [one for one in order if one != path]
        rest.insert(rest.index(after) + 1 if after else 0, path)
        return rest
    return [renames.get(path, path) for path in order]
