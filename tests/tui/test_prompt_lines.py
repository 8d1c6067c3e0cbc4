"""The prompt plan as lines: what is cached, what is left out next, how full the window is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from a_plan import PARTS, full, part, plan
from rich.cells import cell_len

from writer.generation.plan_parts import Kind
from writer.tui.prompt.lines import about, bar, line, losses, meter, next_out, rows, totals


def kept(cached: int, behind: str = "") -> list[str]:
    return [row.kept for row in rows(plan(behind=behind), cached)]


def test_what_is_cached_is_counted_from_the_beginning() -> None:
    assert kept(0) == ["new", "new", "", "new", "new", "new"]
    assert kept(130) == ["cached", "partly", "", "new", "new", "new"]
    assert kept(plan().tokens) == ["cached", "cached", "", "cached", "cached", "cached"]


def test_what_is_asked_stands_inside_the_text() -> None:
    half = "It rained. " * 10
    before_the_request = 120 + 300 + 40 + 400
    assert kept(before_the_request, half)[-1] == "new"
    assert kept(before_the_request + 40, half)[-1] == "cached"


@pytest.mark.parametrize("width", [40, 46, 80])
def test_a_row_is_never_wider_than_the_pane_even_in_chinese(width: int) -> None:
    chinese = part(Kind.NOTE, "灯塔的守护人与他的女儿" * 4, 1_234_567)
    for row in rows(plan((*PARTS, chinese)), 200):
        assert cell_len(line(row, 1_234_567, width)) <= width


def test_what_is_left_out_and_what_is_cut_is_seen_without_colours() -> None:
    cut = part(Kind.OUTLINE, "Outline", 100, 900, why="Outline: 3 of 9 chapters of the outline are left out.")
    shown = [line(row, 1500, 60) for row in rows(plan((*PARTS, cut)), 0)]
    assert shown[2].startswith("× The almanac")
    assert "left out" in shown[2]
    assert shown[-1].startswith("~ Outline")
    assert "3 of 9 chapters of the outline are left out. It changes with the chapter." in about(
        rows(plan((cut,)), 0)[0]
    )


def test_a_bar_is_never_empty_for_something() -> None:
    assert bar(0, 100).strip() == ""
    assert bar(1, 100_000).strip() != ""
    assert bar(100, 100) == "██████"
    assert {len(bar(each, 100)) for each in range(101)} == {6}


def test_a_title_cannot_steer_the_terminal() -> None:
    row = rows(plan((part(Kind.NOTE, "a\x1b[31mb", 5),)), 0)[0]
    assert "\x1b" not in line(row, 5, 60) + about(row)


def test_the_meter_warns_before_the_window_is_full_and_names_what_goes_next() -> None:
    assert meter(full(0.62)) == "context 62 %"
    assert meter(full(0.95)) == "▲ context 95 %, next out: the beginning of this chapter"


def test_next_out_is_a_source_then_notes_beyond_their_share_then_the_beginning_of_the_chapter() -> None:
    source, long = part(Kind.SOURCE, "The almanac", 100), part(Kind.TEXT, "One", 4000, 90_000)
    assert next_out(plan((*PARTS[:2], source, *PARTS[3:]))) == "The almanac"
    assert next_out(plan((*PARTS[:2], source, long))) == "the beginning of this chapter"
    assert next_out(plan((*PARTS[:2], long, part(Kind.MENTIONED, "The ship", 1000)))) == "The ship"
    assert next_out(plan((*PARTS[:2], long, part(Kind.MENTIONED, "The ship", 500)))) == "the beginning of this chapter"


def test_losses_are_one_sentence() -> None:
    assert losses(full(0.5)) == ""
    assert losses(plan()) == "The almanac: left out, since it has 5,000 tokens. F6 shows what is sent."
    assert "1,200 kept free" in totals(plan())


def test_an_empty_chapter_is_not_said_to_be_left_out() -> None:
    (row,) = rows(plan((part(Kind.TEXT, "Harbour", 0),)), 0)
    row = replace(row, part=replace(row.part, whole=0, included=False))
    assert line(row, 10, 60).split() == ["Harbour", "empty"]
