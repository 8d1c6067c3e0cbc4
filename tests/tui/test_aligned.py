"""Columns of texts whose characters are one or two cells wide."""

from __future__ import annotations

import pytest

from writer.tui.aligned import flush_right, padded


@pytest.mark.parametrize(
    ("text", "left", "right"),
    [
        ("ab", "ab    ", "    ab"),
        ("章节", "章节  ", "  章节"),
        ("第 1 章", "第 1 章", "第 1 章"),
        ("", " " * 6, " " * 6),
    ],
)
def test_a_text_takes_six_cells_and_a_wider_one_stays(text: str, left: str, right: str) -> None:
    assert (padded(text, 6), flush_right(text, 6)) == (left, right)
