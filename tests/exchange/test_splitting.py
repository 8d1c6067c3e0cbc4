"""Where a book is cut into chapters."""

from __future__ import annotations

import pytest

from writer.exchange.joining import PART
from writer.exchange.splitting import cut, marked

Pieces = list[tuple[str, str, str]]

CASES: dict[str, tuple[str, str, Pieces]] = {
    "headings of the first level": (
        "# A\n\nOne.\n\n## in it\n\n# B\n\nTwo.",
        "",
        [("A", "# A\n\nOne.\n\n## in it\n", ""), ("B", "# B\n\nTwo.\n", "")],
    ),
    "one above all others is the title": (
        "# Salt\n\n## A\n\nOne.\n\n### in it\n\n## B\n\nTwo.",
        "Salt",
        [("A", "# A\n\nOne.\n\n## in it\n", ""), ("B", "# B\n\nTwo.\n", "")],
    ),
    "headings over nothing but headings are parts": (
        "# I\n\n## A\n\nOne.\n\n# II\n\n## B\n\nTwo.\n\n## C\n\nThree.",
        "",
        [("A", "# A\n\nOne.\n", "I"), ("B", "# B\n\nTwo.\n", "II"), ("C", "# C\n\nThree.\n", "II")],
    ),
    "parts that writer has marked": (
        f"# {PART}Part I\n\n# A\n\nOne.\n\n# B\n\nTwo.",
        "",
        [("A", "# A\n\nOne.\n", "Part I"), ("B", "# B\n\nTwo.\n", "Part I")],
    ),
    "a chapter that is still empty stays": (
        "# A\n\n# B\n\nTwo.",
        "",
        [("A", "# A\n", ""), ("B", "# B\n\nTwo.\n", "")],
    ),
    "what stands before": ("Motto.\n\n# A\n\nOne.", "", [("", "Motto.\n", ""), ("A", "# A\n\nOne.\n", "")]),
    "no heading": ("One.\n\nTwo.", "", [("", "One.\n\nTwo.\n", "")]),
    "only deep headings": (
        "### A\n\nOne.\n\n### B\n\nTwo.",
        "",
        [("A", "# A\n\nOne.\n", ""), ("B", "# B\n\nTwo.\n", "")],
    ),
    "underlined headings": (
        "A\n===\n\nOne.\n\nB\n===\n\nTwo.",
        "",
        [("A", "# A\n\nOne.\n", ""), ("B", "# B\n\nTwo.\n", "")],
    ),
    "code is no heading": (
        "# A\n\n```\n# no\n```\n\n# B",
        "",
        [("A", "# A\n\n```\n# no\n```\n", ""), ("B", "# B\n", "")],
    ),
    "a scene break is no heading": ("# A\n\nOne.\n\n#\n\nTwo.", "", [("A", "# A\n\nOne.\n\n#\n\nTwo.\n", "")]),
    "marks in a title": ("# *A* \\# 1\n\nOne.", "", [("A # 1", "# *A* \\# 1\n\nOne.\n", "")]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_book_is_cut_at(name: str) -> None:
    text, title, pieces = CASES[name]
    done = cut(text)
    assert done.title == title
    assert [(each.title, each.text, each.part) for each in done.pieces] == pieces


@pytest.mark.parametrize(
    "line",
    ["Chapter 3", "CHAPTER THREE", "Chapter 3: The Sea", "Kapitel 7", "Prologue", "第三章", "第十二回　夜", "楔子"],
)
def test_a_line_that_stands_alone_is_a_heading_of_a_text(line: str) -> None:
    assert marked(f"{line}\n\nText.\n\n{line}\n\nText.").count(f"# {line}\n") == 2


@pytest.mark.parametrize(
    "line", ["Chapter after chapter she read on, and nobody came.", "Text. Chapter 3", "他看了第三章。", "The chapter"]
)
def test_a_sentence_is_none(line: str) -> None:
    assert "# " not in marked(f"{line}\n\nText.\n\n{line}\n\nText.")
