"""Rows become strips of exactly the given width; what is marked is painted, and no control character ever is."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from textual.strip import Strip

from writer.editing import cells
from writer.editing.document import Document, Paragraph
from writer.editing.layout import Layout, Row
from writer.tui.editor.painting import Look, Marks, Painter

NAMES = [
    "heading", "quote", "scene_break", "link", "emphasis", "strong", "code", "markup",
    "tint", "unsure", "doubtful", "dim", "misspelt", "found", "current", "selected", "cursor",
]  # fmt: skip
LOOK = Look(text=Style(color="white", bgcolor="black"), **{name: Style.from_meta({name: 1}) for name in NAMES})
"""Each layer can be told from the strip."""


def row(text: str, start: int = 0, end: int | None = None, at: int = 0, last: bool = True) -> Row:
    return Row(Paragraph(text), at, 0, start, len(text) if end is None else end, 0, 1 if last else 2)


def paint(text: str, **marks: object) -> Strip:
    return Painter().strip(row(text), Marks(**{"width": 20, **marks}), LOOK)  # type: ignore[arg-type]


def shown(strip: Strip, name: str) -> str:
    """The text that is painted with this layer."""
    return "".join(segment.text for segment in strip if segment.style and name in segment.style.meta)


def measured(strip: Strip) -> int:
    return sum(cell_len(segment.text) for segment in strip)


# Shape --------------------------------------------------------------------------------------------------------


def test_a_plain_row_is_one_segment_as_wide_as_the_view() -> None:
    strip = paint("She ran.", margin=3)
    assert [segment.text for segment in strip] == ["   She ran.         "]
    assert strip.cell_length == measured(strip) == 20


def test_controls_are_painted_as_stand_ins() -> None:
    """R1"""
    hostile = "\x1b]0;title\x07 \x9b31m \x00\x7f\r\u202e\u2066"
    strip = paint(hostile, width=60, cursor=3, selection=(0, 5), tint=((2, 9),))
    assert "␛]0;title␇ �31m ␀␡␍��" in "".join(segment.text for segment in strip)
    sent = "".join(segment.text for segment in strip)
    assert all(ord(c) >= 0x20 and not 0x7F <= ord(c) < 0xA0 for c in sent)
    assert "\x1b]" not in strip.render(Console(color_system=None))


def test_a_tab_is_four_cells_that_are_marked_together() -> None:
    strip = paint("\ta\tb", cursor=2)
    assert shown(strip, "cursor") == "    "
    assert "".join(segment.text for segment in strip) == "    a    b" + " " * 10


def test_a_wide_glyph_that_does_not_fit_is_left_out_whole() -> None:
    strip = paint("ab中", width=3)
    assert strip.text == "ab "
    assert paint("中", width=1).text == " "
    assert paint("中", width=2).text == "中"


def test_spaces_that_hang_behind_the_width_are_cut_off() -> None:
    assert paint("one   ", width=4).text == "one "
    assert paint("one   ", width=4, margin=1).text == " one"


@pytest.mark.parametrize("width", [0, 1, 2, 3])
@pytest.mark.parametrize("margin", [0, 1, 5])
def test_the_smallest_views_are_painted_too(width: int, margin: int) -> None:
    """R3"""
    for text in ("", "a", "中文", "👨‍👩‍👧", "\t", "\u0301"):
        strip = paint(text, width=width, margin=margin, cursor=0, selection=(0, 9))
        assert strip.cell_length == measured(strip) == width


# Marks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cursor", "wanted"),
    [
        ("abc", 1, "b"),
        ("abc", 3, " "),
        ("", 0, " "),
        ("中文", 1, "文"),
        ("a👨‍👩‍👧b", 1, "👨‍👩‍👧"),
        ("a👨‍👩‍👧b", 3, "👨‍👩‍👧"),
        ("e\u0301a", 0, "e\u0301"),
        ("\u200ba", 0, "\u200ba"),
        ("\u0301", 0, "\u0301 "),
    ],
)
def test_the_cursor_covers_one_cluster_or_the_cell_behind_the_row(text: str, cursor: int, wanted: str) -> None:
    """F9"""
    strip = paint(text, cursor=cursor)
    assert shown(strip, "cursor") == wanted
    assert strip.cell_length == measured(strip) == 20


@pytest.mark.parametrize(
    ("text", "cursor", "wanted"), [("abcd", 4, "d"), ("ab中", 3, "中"), ("abc   ", 6, " "), ("abcd中", 5, "d")]
)
def test_a_cursor_that_has_no_cell_left_is_shown_on_the_last_one(text: str, cursor: int, wanted: str) -> None:
    strip = paint(text, width=4, cursor=cursor)
    assert shown(strip, "cursor") == wanted
    assert measured(strip) == 4


def test_no_cursor_is_shown_where_none_is() -> None:
    assert shown(paint("abc"), "cursor") == ""
    assert shown(paint("abc", cursor=7), "cursor") == ""


def test_a_selection_over_the_end_of_a_line_shows_one_more_cell() -> None:
    assert shown(paint("abc", selection=(1, 3)), "selected") == "bc"
    assert shown(paint("abc", selection=(1, 4)), "selected") == "bc "
    assert shown(paint("abc", selection=(3, 9)), "selected") == " "
    assert shown(paint("", selection=(0, 1)), "selected") == " "
    assert shown(paint("abc", selection=(4, 9)), "selected") == ""
    wrapped = Painter().strip(row("abc", last=False), Marks(selection=(1, 9), width=20), LOOK)
    assert shown(wrapped, "selected") == "bc"


def test_marks_are_offsets_of_the_whole_text_and_shown_where_they_meet_the_row() -> None:
    marks = Marks(
        selection=(99, 103), tint=((90, 102), (105, 106)), found=((104, 110),), current=(104, 110),
        misspelt=((100, 101),), cursor=103, width=20,
    )  # fmt: skip
    strip = Painter().strip(row("0123456789", 3, 8, at=97), marks, LOOK)
    assert [shown(strip, name) for name in ("selected", "tint", "found", "current", "misspelt", "cursor")] == [
        "345", "34", "7", "7", "3", "6",
    ]  # fmt: skip


def test_of_a_thousand_matches_those_on_the_row_are_shown() -> None:
    found = [(at, at + 2) for at in range(0, 100_000, 5)]
    strip = Painter().strip(row("0123456789ab", at=50_001), Marks(found=found, width=20), LOOK)
    assert shown(strip, "found") == "0459a"
    assert shown(Painter().strip(row("01", at=50_002), Marks(found=found, width=20), LOOK), "found") == ""


def test_what_is_marked_twice_has_both() -> None:
    strip = paint("abcdef", selection=(1, 4), tint=((2, 6),), cursor=3)
    pieces = [(segment.text, sorted(segment.style.meta)) for segment in strip if segment.style]
    assert pieces == [
        ("a", []), ("b", ["selected"]), ("c", ["selected", "tint"]), ("d", ["cursor", "selected", "tint"]),
        ("ef", ["tint"]), (" " * 14, []),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "layer", "wanted"),
    [
        ("# One", "heading", "# One"),
        ("# One", "markup", "#"),
        ("> He", "quote", "> He"),
        ("* * *", "scene_break", "* * *"),
        ("- a", "markup", "-"),
        ("a *b* c", "emphasis", "b"),
        ("a *b* c", "markup", "**"),
        ("***b***", "strong", "b"),
        ("***b***", "emphasis", "**b**"),
        ("`b`", "code", "b"),
        ("[b](c)", "link", "b"),
    ],
)
def test_markdown_is_styled(text: str, layer: str, wanted: str) -> None:
    assert shown(paint(text), layer) == wanted


def test_a_dimmed_row_is_dim_as_a_whole() -> None:
    assert shown(paint("a *b*", dimmed=True), "dim") == "a *b*"


# Any text -----------------------------------------------------------------------------------------------------

ODD = ["\u200d", "\ufe0f", "\u0301", "👍", "🏽", "🇩", "🇪", "❤", "1", "\u20e3", "\x1b", "\x9b", "\t", "\u00ad", "\u200b",
       "中", "ᄒ", "ᅡ", "ᆫ", "न", "\u094d", "ل", "﷽", "*", "`", "_", " ", "a", "\u202e", "\ud800", "\u3000"]  # fmt: skip
TEXTS = st.text(alphabet=st.sampled_from(ODD), max_size=24) | st.text(max_size=24).map(lambda t: t.replace("\n", ""))
SPANS = st.tuples(st.integers(0, 26), st.integers(0, 26)).map(lambda pair: (min(pair), max(pair)))


def without_filler(strip: Strip) -> str:
    """What is painted. Between a joiner and a tab stands a sign without a cell, but only where both are one piece."""
    return "".join(segment.text for segment in strip).replace("\u200d\u200c", "\u200d")


@given(TEXTS, SPANS, SPANS, SPANS, st.integers(0, 26), st.integers(0, 5), st.integers(0, 30))
@example("\u200d\t", (0, 0), (0, 0), (0, 0), 1, 0, 4)
@settings(max_examples=300, deadline=None)
def test_any_row_is_as_wide_as_said_however_it_is_marked(
    text: str,
    selection: tuple[int, int],
    tint: tuple[int, int],
    found: tuple[int, int],
    cursor: int,
    margin: int,
    width: int,
) -> None:
    """R1, R2"""
    cursor = min(cursor, len(text))
    strip = paint(text, selection=selection, tint=(tint,), found=(found,), cursor=cursor, margin=margin, width=width)
    assert strip.cell_length == measured(strip) == width
    assert all(ord(c) >= 0x20 and not 0x7F <= ord(c) < 0xA0 for segment in strip for c in segment.text)
    if width > margin:
        assert shown(strip, "cursor") or cells.width(text[:1]) > width - margin
    assert without_filler(strip) == without_filler(paint(text, margin=margin, width=width))


def inked(painted: str) -> str:
    """Without blanks, and without what keeps a joiner from a tab, which a row may end before."""
    return painted.replace(" ", "").replace("\u200d\u200c", "\u200d")


@given(TEXTS, st.integers(1, 8), SPANS)
@settings(max_examples=200, deadline=None)
def test_the_rows_of_any_text_are_painted_in_full(text: str, width: int, selection: tuple[int, int]) -> None:
    painter, painted = Painter(), ""
    for each in Layout(Document(text), width).rows(0, 100):
        strip = painter.strip(each, Marks(selection=selection, width=width + 12), LOOK)
        assert strip.cell_length == measured(strip) == width + 12
        painted += "".join(segment.text for segment in strip)
    assert inked(painted) == inked(cells.painted(text))


def test_a_row_of_signs_without_cells_is_painted_in_part() -> None:
    """R4"""
    strip = paint("a" + "\u0301" * 100_000, cursor=0)
    assert measured(strip) == 20
    assert sum(len(segment.text) for segment in strip) < 5000


# Kept strips --------------------------------------------------------------------------------------------------


def test_a_row_that_looks_the_same_is_the_same_strip_wherever_it_stands() -> None:
    painter = Painter()
    one = painter.strip(row("abc", at=0), Marks(width=20, selection=(1, 2)), LOOK)
    assert painter.strip(row("abc", at=50), Marks(width=20, selection=(51, 52)), LOOK) is one
    assert painter.strip(row("abc", at=50), Marks(width=20, selection=(51, 53)), LOOK) is not one
    assert painter.strip(row("abc"), Marks(width=20, selection=(1, 2), dimmed=True), LOOK) is not one
    assert painter.strip(row("xabc", 1), Marks(width=20, selection=(2, 3)), LOOK) is one
    assert painter.strip(row("# abc", 2), Marks(width=20, selection=(3, 4)), LOOK) is not one


def test_another_look_paints_anew() -> None:
    painter = Painter()
    other = Look(text=Style(color="red"), **{name: Style.null() for name in NAMES})
    one = painter.strip(row("abc"), Marks(width=20), LOOK)
    assert painter.strip(row("abc"), Marks(width=20), other).render(Console()) != one.render(Console())
    assert painter.blank(4, other).text == "    "


def test_no_more_strips_are_kept_than_a_few_screens() -> None:
    painter = Painter()
    one = painter.strip(row("abc"), Marks(width=20), LOOK)
    for number in range(600):
        painter.strip(row(f"row {number}"), Marks(width=20), LOOK)
    assert painter.strip(row("abc"), Marks(width=20), LOOK) is not one
