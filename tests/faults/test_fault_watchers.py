"""What watches in the stages sees what it must, and takes what is ours for ours."""

from __future__ import annotations

import ast
import os
import pty
import re
import termios
from pathlib import Path

import escape_answers
import escape_later_sheets
import escape_screens
import escape_sheets
import pytest
from escape_grammar import BAR, COPIED, copied, foreign
from escape_payloads import KNOWN, payloads
from network_trace import leaves
from stage_traces import HOLD_TEXT, _found_in
from terminal_modes import unusable

TUI = Path(__file__).resolve().parents[2] / "writer" / "tui"
MAIN = {"ManuscriptScreen", "ReadingScreen", "Sheet"} | {
    f"{part}Actions" for part in ("Editor", "Takes", "Rewrite", "Prompt", "Book", "Undo", "Thinking", "Freeing")
}
"""The main screen, which most places are part of, in its two forms, its parts; and what sheets have in common."""
NUMBERS = {"DaysSheet"}
"""Shows numbers and dates alone."""
OURS = (
    b"\x1b[?1049h\x1b[?1000h\x1b[?25l\x1b[>25u\x1b[?2026$p\x1b[?2026h\x1b[1;38;2;227;178;111;48;2;20;22;26mab\x1b[0m\r\n"
    b"\x1b[30;101H\xe2\x90\x9b[2J\x1b[?2026l\x1b[<u\x1b[?1049l"
)


def test_what_the_app_sends_is_ours() -> None:
    assert foreign(OURS) == []


@pytest.mark.parametrize("text", KNOWN)
def test_whatever_would_take_over_a_terminal_is_foreign(text: str) -> None:
    assert foreign(OURS + text.encode("utf-8", "surrogatepass") + OURS)


@pytest.mark.parametrize(
    "data",
    [b"\x1b[31;1H", b"\x1b[1;102H", b"\x1b[38;2;300;0;0m", b"\x1b[?2027h", b"\n", b"\x1b[?1049h\x07", b"\xff\x9b"],
)
def test_a_sequence_like_ours_that_we_never_send_is_foreign(data: bytes) -> None:
    assert foreign(data)


def test_the_clipboard_is_only_set_where_something_is_copied() -> None:
    data = b"\x1b]52;c;TGFtcA==\x07"
    assert foreign(data)
    assert foreign(data, COPIED) == []
    assert copied(data) == ["Lamp"]
    assert foreign(b"\x1b]52;c;\x1b[6n\x07", COPIED)
    assert foreign(b"\r\x1b[2Kab\r", BAR) == []


def test_the_same_seed_invents_the_same_payloads() -> None:
    assert payloads(150, 3) == payloads(150, 3)
    assert payloads(150, 3)[100:] != payloads(150, 4)[100:]
    assert len({text.partition(".")[0] for text in payloads(150, 3)}) == 150


def test_every_screen_is_among_the_places() -> None:
    screens = {
        node.name
        for path in TUI.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
        and any(re.match("(Modal)?Screen|ManuscriptScreen|Choice|Sheet", ast.unparse(base)) for base in node.bases)
    }
    places = [
        ast.parse(Path(module.__file__).read_text())
        for module in (escape_screens, escape_sheets, escape_answers, escape_later_sheets)
    ]
    covered = {node.id for place in places for node in ast.walk(place) if isinstance(node, ast.Name)}
    assert {"Ask", "Choice", "ConvertCard", "Help", "NotesSheet", "SamplingSheet"} <= screens
    assert screens - covered - MAIN - NUMBERS == set()


@pytest.mark.parametrize(
    ("line", "outside"),
    [
        (
            '9 connect(3<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")}, 16) = -1',
            True,
        ),
        (
            '9 connect(3<UDP:[1]>, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 0',
            True,
        ),
        ('9 connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = 0', False),
        ('9 connect(3, {sa_family=AF_UNIX, sun_path="/tmp/s"}, 9) = 0', False),
        ('9 connect(3, {sa_family=AF_UNIX, sun_path="/run/systemd/resolve/io.systemd.Resolve"}, 9) = 0', True),
        (
            "9 connect(3, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), "
            'inet_pton(AF_INET6, "2001:db8::1", &sin6_addr), sin6_scope_id=0}, 28) = -1',
            True,
        ),
        (
            "9 connect(3, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), "
            'inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = -1',
            False,
        ),
    ],
)
def test_a_call_that_would_leave_the_machine_is_seen(line: str, outside: bool) -> None:
    assert leaves(line) is outside


def test_a_log_that_holds_text_is_seen_and_a_database_may_hold_it() -> None:
    assert "s/writer/*-*/state.db*" in HOLD_TEXT
    said = "the grey harbour keeper walked slowly over the old stones"
    assert list(_found_in(said[24:].encode(), "s/writer/log/app.log", said)) == ["the model's text"]
    assert list(_found_in(said.encode(), "s/writer/1-2/state.db-wal", said)) == []
    assert list(_found_in(b"ok", "s/writer/log/app.log", said)) == []


def test_a_terminal_that_was_not_cleaned_up_is_told_in_words() -> None:
    ours, its = pty.openpty()
    try:
        assert unusable(b"", its) == []
        settings = termios.tcgetattr(its)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(its, termios.TCSANOW, settings)
        told = unusable(b"\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[>25u", its)
    finally:
        os.close(ours)
        os.close(its)
    assert told == [
        "mode 1049 is on",
        "the cursor is off",
        "wrapping is off",
        "the kitty keyboard is on",
        "it does not echo",
    ]
