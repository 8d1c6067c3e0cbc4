"""The screens in Chinese: nothing on them is English but keys and names, and columns stand below each other."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

TESTS = Path(__file__).resolve().parent.parent
SCREENS = (
    "main",
    "help",
    "palette",
    "chapters",
    "search",
    "sampling",
    "takes",
    "rewriting",
    "question",
    "line",
    "notes",
    "days",
    "export",
    "progress",
    "card",
    "first steps",
    "find",
    "starting",
)
KEYS = "Enter Esc Escape Tab Space Del Page Up Down PgUp PgDn Home End Ctrl ctrl alt shift escape tab"
NAMES = "Word EPUB PDF HTML Markdown GPU UTF DRY XTC Min Top prose report"
ALLOWED = {*KEYS.split(), *NAMES.split()}
"""Keys, formats, settings and names of files: they are the same in every language."""


@pytest.fixture(scope="module")
def screens(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Name → rows of each screen, from an app that speaks Chinese."""
    folder = tmp_path_factory.mktemp("chinese")
    places = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CONFIG", "STATE", "DATA", "CACHE")}
    environ = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "WRITER_LANGUAGE": "zh",
        "PYTHONPATH": ":".join(map(str, (TESTS.parent, TESTS, TESTS / "tui"))),
        "XDG_RUNTIME_DIR": str(folder / "r"),
        **places,
    }
    command = [sys.executable, str(TESTS / "tui" / "chinese_app.py"), str(folder)]
    ran = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=300)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, list[str]] = json.loads(ran.stdout)
    return found


def english(rows: list[str]) -> list[str]:
    """Words of Latin letters that are no names, and no paths of files."""
    text = re.sub(r"[\w-]+/[\w.-]+", "", "\n".join(rows))
    return [word for word in re.findall(r"[A-Za-z]{2,}", text) if word not in ALLOWED]


def column(rows: list[str], *words: str) -> set[int]:
    """The cells in which these words begin, each in the row that has it."""
    return {cell_len(row[: row.index(word)]) for word in words for row in rows if word in row}


@pytest.mark.parametrize("name", SCREENS)
def test_nothing_on_the_screen_is_english(name: str, screens: dict[str, list[str]]) -> None:
    assert english(screens[name]) == []


def test_every_screen_is_looked_at(screens: dict[str, list[str]]) -> None:
    assert set(screens) == set(SCREENS)
    assert english(["按 Enter 续写", "Nothing is found"]) == ["Nothing", "is", "found"]


def test_columns_stand_below_each_other(screens: dict[str, list[str]]) -> None:
    assert (
        len(column(screens["help"], "在章节末尾续写", "撤销和重做", "重写最后一段", "按住")) == 2
    )  # the last is inside
    assert len(column(screens["help"], "在章节末尾续写", "撤销和重做", "重写最后一段")) == 1
    assert len(column(screens["export"], "exports/")) == 1
    assert len(column(screens["sampling"], "0.8", "0.05", "0.95", "1.75")) == 1


def test_the_right_column_of_the_chapters_ends_at_the_edge(screens: dict[str, list[str]]) -> None:
    rows = [row.rstrip() for row in screens["chapters"] if re.match(r" +[0-9–] ", row)]
    assert len(rows) == 3
    assert len({cell_len(row) for row in rows}) == 1
    assert rows[-1].endswith("尚未开始")


def test_every_row_is_as_wide_as_the_window(screens: dict[str, list[str]]) -> None:
    assert {cell_len(row) for rows in screens.values() for row in rows} == {100}
