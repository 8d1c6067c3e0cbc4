"""Markdown is found where CommonMark finds it, in Chinese too, at the same cost whatever the paragraph is."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from writer.editing import markdown
from writer.editing.markdown import Kind, Mark, kind, runs

M, E, S, C, L = Mark.MARKUP, Mark.EMPHASIS, Mark.STRONG, Mark.CODE, Mark.LINK


def seen(text: str) -> list[tuple[str, Mark]]:
    """The marked runs of a whole paragraph, as text."""
    return [(text[a:b], mark) for a, b, mark in runs(text, 0, len(text))]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", Kind.TEXT),
        ("She ran.", Kind.TEXT),
        ("# One", Kind.HEADING),
        ("###### Six", Kind.HEADING),
        ("####### Seven", Kind.TEXT),
        ("#hashtag", Kind.TEXT),
        ("##", Kind.HEADING),
        ("> He said", Kind.QUOTE),
        (">", Kind.QUOTE),
        ("- item", Kind.LIST),
        ("12. item", Kind.LIST),
        ("  * item", Kind.LIST),
        ("-item", Kind.TEXT),
        ("1984 was a year.", Kind.TEXT),
        ("-5 degrees", Kind.TEXT),
        ("***", Kind.BREAK),
        ("---", Kind.BREAK),
        ("* * *", Kind.BREAK),
        ("#", Kind.BREAK),
        ("⁂", Kind.BREAK),
        ("\u3000\u3000***", Kind.BREAK),
        ("--", Kind.TEXT),
        ("*-*", Kind.TEXT),
        ("\u3000\u3000黎明", Kind.TEXT),
        ("***" + " x" * 10, Kind.TEXT),
    ],
)
def test_a_paragraph_is_of_the_kind_that_its_beginning_says(text: str, wanted: Kind) -> None:
    assert kind(text) is wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("*a*", [("*", M), ("a", E), ("*", M)]),
        ("_a b_", [("_", M), ("a b", E), ("_", M)]),
        ("**a**", [("**", M), ("a", S), ("**", M)]),
        ("***a***", [("*", M), ("**", M | E), ("a", S | E), ("**", M | E), ("*", M)]),
        ("so *very* **much**", [("*", M), ("very", E), ("*", M), ("**", M), ("much", S), ("**", M)]),
        ("`a*b*`", [("`", M), ("a*b*", C), ("`", M)]),
        ("``a`b``", [("``", M), ("a`b", C), ("``", M)]),
        ("`a", []),
        (r"\*a\*", [("\\", M), ("\\", M)]),
        ("[a](b_c_)", [("[", M), ("a", L), ("](b_c_)", M)]),
        ("![a](b)", [("![", M), ("a", L), ("](b)", M)]),
        ("[a] b", []),
        ("https://a.b/c_d_e", [("https://a.b/c_d_e", L)]),
        ("# A *b*", [("#", M), ("*", M), ("b", E), ("*", M)]),
        ("> > a", [("> >", M)]),
        ("- a", [("-", M)]),
        ("10. a", [("10.", M)]),
        ("* * *", []),
        ("他说**“你好”**然后", [("**", M), ("“你好”", S), ("**", M)]),
        ("中**文**字", [("**", M), ("文", S), ("**", M)]),
        ('"*No*," he said', [("*", M), ("No", E), ("*", M)]),
    ],
)
def test_marks_are_found(text: str, wanted: list[tuple[str, Mark]]) -> None:
    assert seen(text)[: len(wanted)] == wanted
    assert wanted or not seen(text)


@pytest.mark.parametrize(
    "text",
    [
        "snake_case_name",
        "2 * 3 * 4",
        "a * b",
        "** a **",
        "5_000_000",
        "*a",
        "a*",
        "_",
        "****",
        "a _ b _ c",
        "plain [x]",
    ],
)
def test_what_only_looks_like_emphasis_is_left_alone(text: str) -> None:
    assert seen(text) == []


def test_marks_in_marks_have_both() -> None:
    assert dict(seen("**a *b* c**"))["b"] == S | E
    assert dict(seen("*a **b** c*"))["b"] == S | E
    assert dict(seen("*[a](b)*"))["a"] == L | E


def test_a_run_that_crosses_a_pair_is_no_mark() -> None:
    assert seen("*a _b* c_") == [("*", M), ("a _b", E), ("*", M)]


TEXTS = st.text(alphabet=st.sampled_from(list("ab *_`[]()\\#>-1.中”https:/")), max_size=120)


@given(TEXTS)
@settings(max_examples=300)
def test_runs_are_sorted_apart_and_inside(text: str) -> None:
    at = 0
    for a, b, mark in runs(text, 0, len(text)):
        assert at <= a < b <= len(text)
        assert mark
        at = b
    if kind(text) is Kind.BREAK:
        assert seen(text) == []


@given(TEXTS, st.lists(st.integers(0, 120), max_size=4))
@settings(max_examples=300)
def test_each_row_of_a_paragraph_shows_its_part_of_the_whole(text: str, breaks: list[int]) -> None:
    edges = sorted({0, len(text), *(b for b in breaks if b < len(text))})
    marks: list[Mark | None] = [None] * len(text)
    for a, b, mark in runs(text, 0, len(text)):
        marks[a:b] = [mark] * (b - a)
    by_row: list[Mark | None] = [None] * len(text)
    for low, high in itertools.pairwise(edges):
        for a, b, mark in runs(text, low, high):
            assert low <= a < b <= high
            by_row[a:b] = [mark] * (b - a)
    assert by_row == marks


def test_far_down_in_a_long_paragraph_marks_are_found_as_in_a_short_one() -> None:
    """R4"""
    text = "word " * 100_000 + "an *old house* by the sea" + " word" * 100_000
    a = text.index("*")
    found = [(text[x:y], mark) for x, y, mark in runs(text, a - 40, a + 40)]
    assert found == [("*", M), ("old house", E), ("*", M)]
    assert [text[x:y] for x, y, _ in runs(text, a + 5, a + 40)] == ["house", "*"]


def test_only_a_window_around_the_row_is_looked_at() -> None:
    """R4"""
    text = "**" + "x" * 5000 + "**"
    assert runs(text, 2400, 2480) == []
    assert runs("*" * 1_000_000, 0, 1_000_000) == runs("*" * 1_000_000, 0, 4000)


HOSTILE = {
    "openers": "*a _b " * 350,
    "closers": "a* b_ " * 350,
    "both": "a*b_c**d__e***" * 150,
    "odd": "a**b*" * 400,
    "ticks": "".join("`" * (n % 60 + 1) + " " for n in range(70)),
    "brackets": "[" * 2000,
    "targets": "](" * 1000,
    "long targets": ("](" + "x" * 290) * 7,
    "escapes": "\\*" * 1000,
    "addresses": "https://" * 250,
}


def steps(text: str) -> int:
    """Lines of the reader that run for the text."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Callable[..., object] | None:
        nonlocal count
        count += event == "line"
        return trace if frame.f_code.co_filename == markdown.__file__ else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        runs(text, 0, 80)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_needs_more_than_its_length_in_steps(text: str) -> None:
    """A reader that goes back and forth would need a thousand steps for each character."""
    assert steps(text[:1500] + "x") < 60 * 1500
