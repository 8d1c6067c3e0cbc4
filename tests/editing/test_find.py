"""Finding and replacing: what is found, what is counted, and that no pattern can hang the screen."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing import find
from writer.editing.change import Change
from writer.editing.find import BadPattern, Finder, Match, Query


def found(text: str, pattern: str, *, case: bool = False, word: bool = False, regex: bool = False) -> list[str]:
    matches = find.compile(Query(pattern, case, word, regex)).all(text)
    return [text[match.start : match.end] for match in matches]


def applied(text: str, changes: list[Change]) -> str:
    for change in changes:
        text = text[: change.at] + change.inserted + text[change.at + change.removed :]
    return text


def replaced(text: str, query: Query, replacement: str) -> str:
    finder = find.compile(query)
    return applied(text, finder.changes(text, finder.all(text), replacement))


WORDS = [
    ("The harbour. the Harbour's", "harbour", ["harbour", "Harbour"]),
    ("Anna and Annabel, Joanna", "anna", ["Anna"]),
    ("Anna's coat, _Anna_ said “Anna”", "Anna", ["Anna", "Anna", "Anna"]),
    ("cafe\u0301 cafe", "cafe", ["cafe"]),
    ("Über den überfluss", "über", ["Über"]),
    ("我在中国的家", "中国", ["中国"]),
    ("用iPhone打", "iphone", ["iPhone"]),
    ("カレーライス", "カレー", ["カレー"]),
    ("a -- b--c", "--", ["--", "--"]),
    ("ba a a", "a a", ["a a"]),
]


@pytest.mark.parametrize(("text", "pattern", "expected"), WORDS)
@pytest.mark.parametrize("regex", [False, True])
def test_a_whole_word_ends_where_a_writer_says_so(text: str, pattern: str, expected: list[str], regex: bool) -> None:
    assert found(text, pattern, word=True, regex=regex) == expected


def test_case_is_ignored_unless_it_is_asked_for() -> None:
    text = "STRASSE Straße strasse ΣΊΣΥΦΟΣ σίσυφος"
    assert found(text, "straße") == ["STRASSE", "Straße", "strasse"]
    assert found(text, "straße", case=True) == []
    assert found(text, "Straße", case=True) == ["Straße"]
    assert found(text, "σίσυφος") == ["ΣΊΣΥΦΟΣ", "σίσυφος"]
    assert found("Maß", "s") == []


def test_a_plain_pattern_is_taken_as_it_is() -> None:
    assert found("a.b axb (a.b)", "a.b") == ["a.b", "a.b"]
    assert found(r"one\ntwo", r"\n") == [r"\n"]
    assert found("one #2 [x] -", "#2 [x] -") == ["#2 [x] -"]
    assert found("one\ntwo", "one\ntwo") == ["one\ntwo"]
    assert found("anything", "") == []


def test_a_regular_expression_sees_lines() -> None:
    text = "One.\nTwo.\n\nThree\u2028four\fand\r five.\n"
    assert found(text, r"^\w+", regex=True) == ["One", "Two", "Three"]
    assert found(text, r"\.$", regex=True) == [".", ".", "."]
    assert found(text, r"\.\n+T", regex=True) == [".\nT", ".\n\nT"]
    assert found(text, "Thr.*", regex=True) == ["Three\u2028four\fand\r five."]


def test_empty_matches_are_left_out() -> None:
    assert found("abcb", "b*", regex=True) == ["b", "b"]
    assert found("one\n\ntwo", "^", regex=True) == []


def test_a_search_from_the_end_is_listed_from_the_start() -> None:
    finder = find.compile(Query("(?r)a.", regex=True))
    assert list(finder.all("ab ac")) == [Match(0, 2), Match(3, 5)]


@given(
    st.lists(st.sampled_from(["a", "A", "b", "ab", " ", "\n", ".", "é", "中"]), max_size=30).map("".join),
    st.sampled_from(["a", "ab", "aa", "b.", ".", "é", "中a", " a"]),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_a_plain_search_finds_what_python_finds(text: str, pattern: str, case: bool) -> None:
    expected = [m.span() for m in re.finditer(re.escape(pattern), text, 0 if case else re.IGNORECASE)]
    assert [tuple(match) for match in find.compile(Query(pattern, case)).all(text)] == expected


def test_no_more_than_the_most_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "MOST", 3)
    finder = find.compile(Query("a"))
    assert (len(finder.all("aaaa")), finder.all("aaaa").more) == (3, True)
    assert (len(finder.all("aaa")), finder.all("aaa").more) == (3, False)


def test_next_and_previous_go_round() -> None:
    matches = [Match(2, 4), Match(6, 8), Match(8, 9)]
    assert [Finder.next(matches, offset) for offset in (0, 2, 3, 6, 8, 9, 99)] == [0, 0, 1, 1, 2, 0, 0]
    assert [Finder.previous(matches, offset) for offset in (0, 2, 3, 6, 8, 9, 99)] == [2, 2, 0, 0, 1, 2, 2]
    assert Finder.next([], 5) is None
    assert Finder.previous([], 5) is None


@given(
    st.text("ab\n", max_size=40),
    st.sampled_from(["a", "ab", "b\n", "aa"]),
    st.text("abX", max_size=4),
)
@settings(max_examples=200, deadline=None)
def test_each_change_holds_after_the_ones_before_it(text: str, pattern: str, replacement: str) -> None:
    assert replaced(text, Query(pattern, case=True), replacement) == text.replace(pattern, replacement)


def test_a_plain_replacement_is_taken_as_it_is() -> None:
    assert replaced("a b", Query("a"), r"\1\n\g<x>") == r"\1\n\g<x> b"


def test_a_regular_expression_gives_its_groups_to_the_replacement() -> None:
    swap = Query(r"(?P<first>\w+) (\w+)(!)?", regex=True)
    assert replaced("Anna Berg, Carl Dahl!", swap, r"\2\n\g<first>\3\\") == "Berg\nAnna\\, Dahl\nCarl!\\"
    assert replaced("a\nb\n\nc", Query(r"(?<!\n)\n(?!\n)", regex=True), " ") == "a b\n\nc"
    assert replaced("aXbX", Query(r"\w\KX", regex=True), "-") == "a-b-"


def test_one_match_can_be_replaced_alone() -> None:
    finder = find.compile(Query(r"(a)(\d)", regex=True))
    text = "a1 a2 a3"
    assert finder.changes(text, finder.all(text)[1:2], r"\2\1") == [Change(3, 2, "2a")]


def test_what_already_reads_like_the_replacement_is_left_alone() -> None:
    finder = find.compile(Query("anna"))
    text = "anna Anna ANNA"
    assert finder.changes(text, finder.all(text), "Anna") == [Change(0, 4, "Anna"), Change(10, 4, "Anna")]


BAD = ["(", "[a", "a{2,1}", "*", r"\1", r"\p{Foo}", "a\\", "(?u)(?a)x", r"\L<a>", "(?&x)", "a)(b"]
HUGE = ["(" * 3000 + ")" * 3000, "((a{1000}){1000}){1000}", "a{99999999}", "a{9999999999999999999}", "a" * 20_000]


@pytest.mark.parametrize("pattern", BAD + HUGE)
@pytest.mark.parametrize("word", [False, True])
def test_a_bad_pattern_is_told_in_one_sentence(pattern: str, word: bool) -> None:
    with pytest.raises(BadPattern) as error:
        find.compile(Query(pattern, word=word, regex=True))
    assert error.value.sentence.endswith(("turn Regex off.", "Make it simpler."))
    assert "\n" not in error.value.sentence
    assert len(error.value.sentence) < 160


@pytest.mark.parametrize("replacement", [r"\2", r"\g<zz>", r"\g<", r"\q", "\\"])
def test_a_bad_replacement_is_told_in_one_sentence(replacement: str) -> None:
    finder = find.compile(Query("(a)", regex=True))
    with pytest.raises(BadPattern, match="The replacement is not right"):
        finder.changes("a", finder.all("a"), replacement)


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"^(\w+\s?)*$", r"(?:a?){30}a{30}c"])
def test_a_catastrophic_pattern_is_stopped(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "SECONDS", 0.05)
    text = ("a" * 3000 + "!\n") * 20 + "c"
    with pytest.raises(BadPattern, match="takes too long"):
        find.compile(Query(pattern, regex=True)).all(text)


def test_a_catastrophic_replacement_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "_REPLACING", 0.05)
    text = "a" * 3000 + "!"
    with pytest.raises(BadPattern, match="takes too long"):
        find.compile(Query("(a+)+$", regex=True)).changes(text, [Match(0, 1)], "b")


def test_a_comment_in_a_verbose_pattern_ends_with_it() -> None:
    assert found("cat concat", "(?x) cat # the animal", word=True, regex=True) == ["cat"]


@given(st.text(r"ab(){}[]|*+?.\^$<>=!:P1,-&&#xrR~", max_size=12), st.booleans())
@settings(max_examples=300, deadline=None)
def test_no_pattern_fails_in_another_way(pattern: str, word: bool) -> None:
    text = "ab a1\n{x} (b) <a> \\ ^$"
    try:
        finder = find.compile(Query(pattern, word=word, regex=True))
        matches = finder.all(text)
        changes = finder.changes(text, matches, "_")
    except BadPattern:
        return
    assert all(start < end for start, end in matches)
    assert all(left.end <= right.start for left, right in pairwise(matches))
    assert len(applied(text, changes)) == len(text) - sum(end - start - 1 for start, end in matches)


def test_a_straight_quote_finds_curly_ones_but_not_the_other_way_round() -> None:
    text = '“Don’t,” he said, "don\'t."'
    assert found(text, "don't") == ["Don’t", "don't"]
    assert found(text, '"') == ["“", "”", '"', '"']
    assert found(text, "don’t") == ["Don’t"]
