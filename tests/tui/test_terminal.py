"""The real app in a pseudo-terminal: killed, hung up, fed with rubbish; and nothing foreign reaches the terminal."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from conditions import wait_until

from writer.manuscript.project import create

pytestmark = pytest.mark.terminal
ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "tests" / "tui" / "pty_app.py"
HEAVY = ("torch", "vllm", "transformers", "httpx", "sqlite_utils")
# Through the real launcher, which starts `python -m writer.tui ARGS`: this stands in for that module.
LAUNCH = f"""
import subprocess, sys
sys.path.insert(0, {str(ROOT)!r})
from writer import launcher
real = subprocess.Popen
def start(argv, **options):
    assert argv[1:3] == ["-m", "writer.tui"], argv
    return real([argv[0], {str(APP)!r}, *argv[3:], "stream"], **options)
subprocess.Popen = start
code = launcher.run(sys.argv[1:])
print("LAUNCHER LEFT WITH", code, flush=True)
sys.stdin.readline()
"""


class Terminal:
    """A pseudo-terminal with a program in it."""

    def __init__(self, argv: list[str], environ: dict[str, str]) -> None:
        environ = environ | {"TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none", "COLORTERM": "truecolor"}
        self.child = pexpect.spawn(argv[0], argv[1:], env=environ, dimensions=(24, 100), timeout=30, echo=True)
        self.seen = b""

    def read(self) -> bytes:
        """All output so far."""
        try:
            while True:
                self.seen += self.child.read_nonblocking(65536, timeout=0.05)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return self.seen

    def shows(self, text: str, seconds: float = 20.0) -> None:
        """Wait until the output holds this text (of one style)."""
        wait_until(lambda: text.encode() in self.read(), seconds, what=text)


@pytest.fixture
def manuscript(tmp_path: Path) -> Path:
    folder = tmp_path / "novel"
    create(folder, title="The Harbour")
    return folder


@pytest.fixture
def terminals(home: dict[str, str]) -> Iterator[list[Terminal]]:
    running: list[Terminal] = []
    yield running
    for terminal in running:
        with contextlib.suppress(OSError):  # a test may have closed it
            terminal.child.close(force=True)


def app(terminals: list[Terminal], home: dict[str, str], *arguments: object) -> Terminal:
    terminals.append(Terminal([sys.executable, str(APP), *map(str, arguments)], home))
    return terminals[-1]


def launched(terminals: list[Terminal], home: dict[str, str], folder: Path) -> tuple[Terminal, int]:
    """The app behind the launcher, streaming; with the app's process id."""
    terminals.append(Terminal([sys.executable, "-c", LAUNCH, str(folder)], home))
    terminal = terminals[-1]
    terminal.shows("Write on")
    terminal.shows("saved")
    terminal.child.send("\x07")  # ctrl+g
    terminal.shows("word5")
    children = Path(f"/proc/{terminal.child.pid}/task/{terminal.child.pid}/children").read_text().split()
    return terminal, int(children[0])


def modes(output: bytes) -> dict[str, bool]:
    """The terminal's private modes after this output."""
    state: dict[str, bool] = {}
    for numbers, switch in re.findall(rb"\x1b\[\?([0-9;]+)([hl])", output):
        for number in numbers.split(b";"):
            state[number.decode()] = switch == b"h"
    return state


def echoes(terminal: Terminal) -> bool:
    flags = termios.tcgetattr(terminal.child.child_fd)[3]
    return bool(flags & termios.ECHO) and bool(flags & termios.ICANON) and bool(flags & termios.ISIG)


def usable(terminal: Terminal) -> bool:
    state = modes(terminal.read())
    off = not any(state.get(mode, False) for mode in ("1000", "1002", "1003", "1006", "1015", "1049", "2004", "1004"))
    kitty = terminal.seen.count(b"\x1b[<u") >= terminal.seen.count(b"\x1b[>25u")
    return off and kitty and state["25"] and state["7"] and echoes(terminal)


def test_a_killed_app_leaves_a_usable_terminal(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    terminal, pid = launched(terminals, home, manuscript)
    assert not usable(terminal)
    os.kill(pid, signal.SIGKILL)
    terminal.shows("LAUNCHER LEFT WITH 137")
    assert usable(terminal)
    assert f"start it again with: writer {manuscript}".encode() in terminal.seen


def test_sigterm_to_the_launcher_saves_and_quits(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    terminal, _ = launched(terminals, home, manuscript)
    os.kill(terminal.child.pid, signal.SIGTERM)
    terminal.shows("LAUNCHER LEFT WITH 0")
    assert usable(terminal)
    assert "word5" in next(manuscript.glob("chapters/*.md")).read_text()


def test_a_dead_launcher_makes_the_app_save_and_quit(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    terminal, pid = launched(terminals, home, manuscript)
    os.kill(terminal.child.pid, signal.SIGKILL)
    wait_until(lambda: not Path(f"/proc/{pid}").exists() or _zombie(pid), 20, what="the app's end")
    assert "word5" in next(manuscript.glob("chapters/*.md")).read_text()


def test_a_vanished_terminal_makes_the_app_save_and_quit(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    terminal, pid = launched(terminals, home, manuscript)
    os.close(terminal.child.child_fd)
    wait_until(lambda: not Path(f"/proc/{pid}").exists() or _zombie(pid), 30, what="the app's end")
    assert "word5" in next(manuscript.glob("chapters/*.md")).read_text()


def _zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_quitting_saves_and_leaves_a_usable_terminal(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    terminal, _ = launched(terminals, home, manuscript)
    terminal.child.send("\x11")  # ctrl+q
    terminal.shows("LAUNCHER LEFT WITH 0")
    assert usable(terminal)
    assert "word5" in next(manuscript.glob("chapters/*.md")).read_text()


def test_an_invalid_byte_on_stdin_does_not_end_the_app(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    terminal = app(terminals, home, manuscript, "plain")
    terminal.shows("Write on")
    terminal.shows("saved")
    terminal.child.send(b"ab\xffcd\xe4\xbd")
    terminal.child.send(b"\xa0!")
    chapter = next(manuscript.glob("chapters/*.md"))
    wait_until(lambda: chapter.read_text().startswith("ab\ufffdcd你!"), 10, what="the typed text")


def test_stray_output_goes_to_the_log(terminals: list[Terminal], home: dict[str, str], manuscript: Path) -> None:
    terminal = app(terminals, home, manuscript, "noisy")
    terminal.shows("Write on")
    terminal.shows("saved")
    log = Path(home["XDG_STATE_HOME"]) / "writer" / "log" / "app.log"
    wait_until(lambda: "a child's complaint" in log.read_text(), 10)
    assert b"a child's complaint" not in terminal.read()
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_fault_of_ours_is_one_sentence_and_the_text_is_saved(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    terminal = app(terminals, home, manuscript, "dying")
    terminal.shows("Write on")
    terminal.child.send("precious")
    terminal.child.send("\x1bOP")  # f1: the fault
    terminal.child.expect(pexpect.EOF)
    output = terminal.seen + terminal.child.before
    assert b"because of a fault of its own. Your text is saved" in output
    assert b"Traceback" not in output
    assert terminal.child.wait() == 70
    assert "precious" in next(manuscript.glob("chapters/*.md")).read_text()
    log = (Path(home["XDG_STATE_HOME"]) / "writer" / "log" / "app.log").read_text()
    assert "planted fault" in log
    assert "precious" not in log


def test_the_first_paint_waits_for_nothing(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path, tmp_path: Path
) -> None:
    report = tmp_path / "first-paint.json"
    terminal = app(terminals, home, manuscript, "first-paint", report)
    terminal.shows("Write on")
    wait_until(report.exists, 20)
    facts = json.loads(report.read_text())
    loaded = {name.partition(".")[0] for name in facts["modules"]}
    print(f"first paint after {facts['cpu']:.2f} s of process CPU")  # noqa: T201
    assert "textual" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_importing_the_app_loads_nothing_heavy() -> None:
    code = f"import sys, writer.tui.app; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# The gate ---------------------------------------------------------------------------------------------------------

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
