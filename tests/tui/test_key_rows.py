"""The rows of a line of keys: a key and its word are never torn apart, in any language, however narrow the window."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.content import Content

from writer.tui.prompt.key_hint import pressing
from writer.tui.prompt.key_line import clicks
from writer.tui.prompt.key_rows import KEYS, SEPARATOR, key_rows

CATALOGUE = Path(__file__).parents[2] / "writer/locale/zh/LC_MESSAGES/writer.mo"
_NAMES_KEYS = re.compile(r"\b(?:Enter|Esc|Escape)\b.*(?: · |[.。]$)|(?: · ).*\b(?:Enter|Esc|Escape)\b")
WIDTHS = range(24, 100, 3)


def lines() -> list[str]:
    """Every line and every sentence that names keys, in English and in Chinese."""
    with CATALOGUE.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    pairs = [pair for pair in catalogue.items() if isinstance(pair[0], str) and _NAMES_KEYS.search(pair[0])]
    return [text for pair in pairs for text in pair]


def shown(text: str, width: int) -> list[str]:
    return [text[start:end] for start, end in key_rows(text, width)]


def test_every_line_of_the_app_keeps_its_keys_with_their_words() -> None:
    assert len(lines()) > 40
    lone = re.compile(rf"(?:^|.* )(?:{'|'.join(KEYS)})$|(?:^|.* · )[a-z]$")  # a key is the last of a row
    for text in lines():
        for width in WIDTHS:
            rows = shown(text, width)
            assert "".join("".join(rows).split()) == "".join(text.split()), "nothing is lost"
            assert max(map(cell_len, rows)) <= width, rows
            torn = [row for row in rows[:-1] if lone.search(row)]
            assert not torn, (text, width)
            if SEPARATOR in text:
                parts = [part for part in text.split(SEPARATOR) if cell_len(part) + 2 <= width]
                assert all(any(part in row for row in rows) for part in parts), (text, width, rows)


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("Enter open · s status · Esc back", 40, ["Enter open · s status · Esc back"]),
        ("Enter open · s status · Esc back", 30, ["Enter open · s status ·", "Esc back"]),
        ("Enter 打开 · s 状态 · Esc 返回", 22, ["Enter 打开 · s 状态 ·", "Esc 返回"]),
        ("Enter write with it · Esc back", 14, ["Enter write", "with it ·", "Esc back"]),
        ("Enter writes on; Escape goes back.", 24, ["Enter writes on;", "Escape goes back."]),
        ("按 Enter 接着写；按 Escape 返回。", 22, ["按 Enter 接着写；按", "Escape 返回。"]),
        ("", 20, [""]),
    ],
)
def test_rows_of_a_line(text: str, width: int, rows: list[str]) -> None:
    assert shown(text, width) == rows


def test_what_is_painted_has_these_rows_and_what_a_click_presses() -> None:
    text = "Enter open · s status · Esc back"
    line = pressing(text, clicks(text))
    assert line.get_height({}, 30) == 2
    folded = line._folded(30)
    assert isinstance(folded, Content)
    pressed = [folded.plain[span.start : span.end] for span in folded.spans]
    assert pressed == ["Enter open", "s status", "Esc back"]
