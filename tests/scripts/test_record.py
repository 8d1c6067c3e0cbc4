"""The recorded session is drawn anew from the screen, tells nothing of this machine, and is where the pages name it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyte
import pytest
from pictures.__main__ import ASSETS
from recording import chinese
from recording.__main__ import ROOT, SESSIONS, show, telling
from recording.cast import Cast, events, rows
from recording.still import svg
from recording.terminal import COLUMNS, KEYS, ROWS, Terminal

RECORDED = ASSETS / "recorded"
ALLOWED = re.compile(r"\x1b\[\??[0-9;]*[A-Za-z]|\x1b\]0;[^\x00-\x1f]*\x07")
"""CSI (moves, colours, the cursor), and the title."""
HOSTILE = "\\033]52;c;aGk=\\007\\033[31m红\\033[0m plain \\033[1;3;4mall\\033[0m\\a"


def played(path: Path) -> pyte.Screen:
    """The screen at the end of a cast."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.Stream(screen)
    for _, shown in events(path)[1]:
        stream.feed(shown)
    return screen


def controls(path: Path) -> set[str]:
    """Control characters of a cast that are not part of what is allowed."""
    shown = "".join(text for _, text in events(path)[1])
    return set(re.findall(r"[\x00-\x1f\x7f-\x9f]", ALLOWED.sub("", shown)))


def record(folder: Path, command: str) -> tuple[Path, Terminal]:
    cast = Cast(COLUMNS, ROWS, "a test")
    argv = ["/bin/sh", "-c", f"printf '{command}'; read line; printf '\\nheard %s' \"$line\""]
    terminal = Terminal(argv, folder, {"PATH": "/usr/bin:/bin", "TERM": "xterm-256color"}, cast)
    try:
        terminal.until("plain")
        terminal.type("yes")
        terminal.press("enter")
        terminal.until("heard yes")
    finally:
        terminal.close()
    path = folder / "test.cast"
    path.write_text(cast.text(), encoding="utf-8")
    return path, terminal


def test_a_cast_plays_the_screen_that_was_recorded_and_nothing_else(tmp_path: Path) -> None:
    path, terminal = record(tmp_path, HOSTILE)
    assert "52;c" not in path.read_text()
    assert controls(path) == set()
    assert rows(played(path)) == rows(terminal.screen)
    assert (terminal.screen.buffer[0][0].data, terminal.screen.buffer[0][0].fg) == ("红", "red")


def test_a_still_shows_the_words_of_the_screen(tmp_path: Path) -> None:
    _, terminal = record(tmp_path, HOSTILE)
    drawn = svg(rows(terminal.screen))
    assert "红" in drawn
    assert "heard yes" in drawn


def test_a_long_wait_is_recorded_as_a_short_one() -> None:
    screen, cast = pyte.Screen(COLUMNS, ROWS), Cast(COLUMNS, ROWS, "t", longest=1.0)
    for letter in "ab":
        screen.draw(letter)
        cast.frame(screen, 300.0)
    cast.frame(screen, 0.5)
    assert [json.loads(line)[0] for line in cast.text().splitlines()[1:]] == [1.0, 2.0, 2.5]


@pytest.mark.parametrize("session", SESSIONS)
def test_a_recorded_session_is_whole_small_and_tells_nothing_of_a_machine(session: str) -> None:
    path = RECORDED / f"{session}.cast"
    header, shown = events(path)
    assert (header["width"], header["height"]) == (COLUMNS, ROWS)
    assert set(header) == {"version", "width", "height", "title"}
    assert path.stat().st_size < 400_000
    times = [at for at, _ in shown]
    assert times == sorted(times)
    assert 30 < times[-1] < 400
    assert controls(path) == set()
    text = "".join(part for _, part in shown)
    folders = {f"{each}/" for each in Path("/").iterdir()} | {"/home/", "/root", "/tmp/", "/usr/", "@"}
    told = [each for each in (*telling(ROOT), *folders) if each in text]
    assert told == []


def seen(session: str) -> str:
    """All that stood on the screen of a recorded session, frame by frame."""
    screen, frames = pyte.Screen(COLUMNS, ROWS), []
    stream = pyte.Stream(screen)
    for _, part in events(RECORDED / f"{session}.cast")[1]:
        stream.feed(part)
        # Not `display`: it fails on a wide character that was half overwritten.
        frames += ["".join(cell.data for cell in row) for row in rows(screen)]
    return "\n".join(frames)


def test_the_session_of_words_shows_all_that_it_is_for() -> None:
    shown = seen("words")
    for each in (
        "Rewrite ·",
        " taken",
        "Insert ·",
        "Instead of “",
        "Another word",
        "DRY strength",
        "XTC probability",
    ):
        assert each in shown
    assert re.search(r"DRY strength +0\.8", shown)
    assert re.search(r"XTC probability +0\.5", shown)


def test_the_chinese_session_goes_from_the_first_word_to_word_and_pdf() -> None:
    shown = seen("chinese").replace(" ", "")
    for each in (chinese.TYPED, "^g暂停", "^g接着写", "已暂停", "命令", "灯塔.docx", "灯塔.pdf"):
        assert each in shown


def test_every_recorded_file_is_named_in_the_pages_and_is_small() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    files = sorted(RECORDED.iterdir())
    assert len(files) >= 3
    assert [path.name for path in files if f"assets/recorded/{path.name}" not in pages] == []
    assert [path.name for path in files if path.suffix == ".png" and path.stat().st_size > 150_000] == []


def test_it_is_played_at_its_own_speed_and_leaves_the_cursor(tmp_path: Path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    path, _ = record(tmp_path, HOSTILE)
    slept: list[float] = []
    monkeypatch.setattr("recording.__main__.time.sleep", slept.append)
    capsys.readouterr()
    assert show(path) == 0
    assert "heard yes" in capsys.readouterr().out
    assert abs(sum(slept) - events(path)[1][-1][0]) < 0.01


def test_keys_are_told_apart() -> None:
    assert len(set(KEYS.values())) == len(KEYS)
