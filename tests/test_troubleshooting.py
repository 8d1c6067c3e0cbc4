"""The sentences in docs/troubleshooting.md are those that the program says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "troubleshooting.md"


@lru_cache(maxsize=1)
def said() -> str:
    """All texts in the program, with … for what is filled in, and blanks for line breaks."""
    texts = (text for path in sorted((ROOT / "writer").rglob("*.py")) for text in _texts(path))
    return "\n".join(" ".join(re.sub(r"\{[^{}]*\}", "…", text).split()) for text in texts)


def _texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(each.value) if isinstance(each, ast.Constant) else "…" for each in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def sentences(page: str) -> list[str]:
    """What the first column of the tables says is on the screen."""
    return re.findall(r"^\| \*(.+?)\* \|", page, flags=re.MULTILINE)


def unknown(sentence: str) -> list[str]:
    """The pieces of it, between what is filled in and from one sentence to the next, that the program never says."""
    pieces = [piece.strip() for part in sentence.split("…") for piece in re.split(r"(?<=[.;:]) ", part)]
    return [piece for piece in pieces if len(piece) > 3 and piece not in said()]


@pytest.mark.parametrize("sentence", sentences(PAGE.read_text(encoding="utf-8")))
def test_the_program_says_that(sentence: str) -> None:
    assert unknown(sentence) == []


def test_a_sentence_that_nobody_says_is_found() -> None:
    page = "| *The disk is full: paused. Free some room; … is eaten.* | why | what |\n| no sentence | why | what |\n"
    assert sentences(page) == ["The disk is full: paused. Free some room; … is eaten."]
    assert unknown(sentences(page)[0]) == ["Free some room;", "is eaten."]


def test_there_are_many_sentences_and_each_row_has_its_next_step() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert len(sentences(PAGE.read_text(encoding="utf-8"))) > 40
    assert [row for row in rows if len([cell for cell in row.strip("|").split(" | ") if cell.strip()]) != 3] == []
