"""Nothing foreign reaches the terminal as a control code: each place that shows foreign text, fed with payloads."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pexpect
import pytest
from pseudo_terminal import Terminal, app

pytestmark = pytest.mark.terminal

PAYLOADS = (
    "\x1b]0;PWNED\x07",
    "\x1b]52;c;cHduZWQ=\x07",
    "\x1b[31mDD",
    "\x1b[6nGG",
    "\x1bP$qm\x1b\\",
    "\x1b[?1049lMM",
    "\x1b[2J\x1b[H",
    "\x1bc",
    "\x9b32m",
    "\x9d0;C1\x9c",
    "\x90q\x9c",
    "\x07\x08\x0b\x0c\x0e\x0f",
    "\x00\x7f\x80\x85",
    "\u202eRLO\u202c\u2066LRI\u2069\u200e\u200f",
    "\u2028\u2029\ufeff",
    "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\",
    "\x1b_Gf=24;AAAA\x1b\\",
    "[bold red]markup[/] [@click=app.quit]x[/]",
)
# Everything that the app itself may send.
OURS = re.compile(
    rb"\x1b\[[0-9;]*m|\x1b\[[0-9]+;[0-9]+H|\x1b\[\?[0-9;]+(?:[hl]|\$p)|\x1b\[[<>][0-9]*u|\x1b\[H"
    rb"|\x1b\]22;[a-z-]*\x07|\x1b\]10;\?\x1b\\"
)
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")


@pytest.mark.parametrize("mode", ["hostile-stream", "hostile-chapter", "hostile-card", "hostile-errors"])
def test_no_control_code_of_a_text_reaches_the_terminal(
    mode: str, terminals: list[Terminal], home: dict[str, str], manuscript: Path, tmp_path: Path
) -> None:
    payloads = tmp_path / "payloads.json"
    payloads.write_text(json.dumps(PAYLOADS))
    terminal = app(terminals, home, manuscript, mode, payloads)
    if mode == "hostile-stream":
        terminal.shows("Write on")
        terminal.shows("saved")
        terminal.child.send("\x07")
    terminal.shows("SHOWN")  # comes after the payloads
    terminal.child.send("\x11")
    terminal.child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=15)
    output = terminal.seen + (terminal.child.before or b"")
    rest = OURS.sub(b"", output).decode()
    plain = rest.replace("\r\n", "\n")
    assert [plain[max(0, m.start() - 20) : m.start() + 20] for m in FORBIDDEN.finditer(plain)] == []
    assert b"PWNED" in output, "the payload was not shown at all"
