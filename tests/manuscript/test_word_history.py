"""Words per day and chapter: counted from where the day began, carried along by renames, readable after a kill."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from writer.manuscript import word_history
from writer.manuscript.word_history import FILE, Count, WordHistory

ONE, TWO = "chapters/01.md", "chapters/02.md"


def test_what_is_written_counts_from_where_the_day_began(tmp_path: Path) -> None:
    history = WordHistory(tmp_path)
    for day, chapter, words in (("2026-11-28", ONE, 1000), ("2026-11-28", ONE, 1300), ("2026-11-29", ONE, 1250)):
        history.note(chapter, words, day=day)
    history.note(TWO, 400, day="2026-11-29", new=True)
    assert WordHistory(tmp_path).counts() == (
        Count("2026-11-28", ONE, 1300, 1000),
        Count("2026-11-29", ONE, 1250, 1300),
        Count("2026-11-29", TWO, 400, 0),
    )
    assert WordHistory(tmp_path).days() == {"2026-11-28": 300, "2026-11-29": 350}


def test_words_of_another_program_count_on_the_day_they_are_seen(tmp_path: Path) -> None:
    WordHistory(tmp_path).note(ONE, 1000, day="2026-11-28")
    WordHistory(tmp_path).note(ONE, 1500, day="2026-11-30")
    assert WordHistory(tmp_path).days() == {"2026-11-28": 0, "2026-11-30": 500}


def test_a_renamed_chapter_and_a_merged_one_keep_their_words(tmp_path: Path) -> None:
    history = WordHistory(tmp_path)
    history.note(ONE, 100, day="2026-11-28")
    history.note(TWO, 50, day="2026-11-29", new=True)
    history.note(ONE, 120, day="2026-11-29")
    for _ in range(2):
        history.carry([(ONE, "chapters/03.md"), (TWO, "chapters/03.md")])
    assert history.counts() == WordHistory(tmp_path).counts()
    assert history.counts()[1] == Count("2026-11-29", "chapters/03.md", 170, 100)


def test_a_chapter_that_was_not_touched_on_a_day_still_counts_when_another_is_merged_into_it(tmp_path: Path) -> None:
    history = WordHistory(tmp_path)
    history.note(ONE, 100, day="2026-11-28")
    history.note(TWO, 50, day="2026-11-29", new=True)
    history.carry([(TWO, ONE)])
    history.note(ONE, 150, day="2026-11-29")
    assert history.days() == {"2026-11-28": 0, "2026-11-29": 50}


def test_a_torn_line_is_left_out_and_the_next_one_is_whole(tmp_path: Path) -> None:
    WordHistory(tmp_path).note(ONE, 100, day="2026-11-28")
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"day": "2026-11-2')
    WordHistory(tmp_path).note(ONE, 130, day="2026-11-29")
    assert WordHistory(tmp_path).days() == {"2026-11-28": 0, "2026-11-29": 30}


def test_the_file_does_not_grow_without_end(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(word_history, "_SPARE", 10)
    history = WordHistory(tmp_path)
    for words in range(100):
        history.note(ONE, words, day="2026-11-28")
    WordHistory(tmp_path).tidy()
    assert len((tmp_path / FILE).read_bytes().splitlines()) == 1
    assert WordHistory(tmp_path).days() == {"2026-11-28": 99}


def test_a_folder_that_refuses_loses_counts_only(tmp_path: Path) -> None:
    history = WordHistory(tmp_path / "missing")
    history.note(ONE, 1)
    assert len(history.counts()) == 1


@given(st.binary(max_size=200))
def test_any_file_is_read(tmp_path_factory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("history")
    (folder / FILE).write_bytes(data)
    history = WordHistory(folder)
    history.note(ONE, 5, new=True, day="2026-11-29")
    assert WordHistory(folder).days()["2026-11-29"] == 5
