"""The real app in a pseudo-terminal: killed, hung up, suspended, fed with rubbish."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from conditions import wait_until
from pseudo_terminal import APP, ROOT, Terminal, app
from terminal_modes import unusable

pytestmark = pytest.mark.terminal
HEAVY = ("torch", "vllm", "transformers", "httpx", "sqlite_utils")
# Through the real launcher, which starts `python -m writer.tui ARGS`: this stands in for that module.
LAUNCH = f"""
import subprocess, sys
sys.path.insert(0, {str(ROOT)!r})
from writer import launcher
real = subprocess.Popen
def start(argv, **options):
    assert argv[1:4] == ["-P", "-m", "writer.tui"], argv
    return real([argv[0], {str(APP)!r}, *argv[4:], "stream"], **options)
subprocess.Popen = start
code = launcher.run(sys.argv[1:])
print("LAUNCHER LEFT WITH", code, flush=True)
sys.stdin.readline()
"""


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


def usable(terminal: Terminal) -> bool:
    return not unusable(terminal.read(), terminal.child.child_fd)


@pytest.mark.timeout(60)
def test_what_never_stops_writing_is_looked_at_all_the_same(terminals: list[Terminal], home: dict[str, str]) -> None:
    terminals.append(Terminal([sys.executable, "-c", "while True: print('on', flush=True)"], home))
    terminals[-1].shows("on")


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
    wait_until(lambda: terminal.read() and _state(pid) == "Z", 20, what="the app's end")
    assert "word5" in next(manuscript.glob("chapters/*.md")).read_text()


def test_a_vanished_terminal_makes_the_app_save_and_quit(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    terminal, pid = launched(terminals, home, manuscript)
    os.close(terminal.child.child_fd)
    wait_until(lambda: _state(pid) == "Z", 30, what="the app's end")
    assert "word5" in next(manuscript.glob("chapters/*.md")).read_text()


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "Z"


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


def test_a_suspended_app_gives_the_terminal_back_and_wakes_up_again(
    terminals: list[Terminal], home: dict[str, str], manuscript: Path
) -> None:
    terminal, pid = launched(terminals, home, manuscript)
    os.kill(pid, signal.SIGTSTP)
    # Whoever does not read keeps the app from writing, and so from stopping.
    wait_until(lambda: terminal.read() and _state(pid) == _state(terminal.child.pid) == "T", 30)
    assert usable(terminal)
    os.kill(terminal.child.pid, signal.SIGCONT)
    wait_until(lambda: not usable(terminal), 30, what="the app's screen")
    terminal.child.send("\x11")
    terminal.shows("LAUNCHER LEFT WITH 0")
    assert usable(terminal)


def test_a_folder_that_is_no_manuscript_is_one_sentence(home: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "writer.tui", str(tmp_path / "nothing")]
    done = subprocess.run(command, cwd=ROOT, env=home, capture_output=True, text=True)
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


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
    terminal.shows("saved")
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
    assert not [name for name in facts["modules"] if name.startswith("writer.tui.welcome")]


def test_importing_the_app_loads_nothing_heavy() -> None:
    code = f"import sys, writer.tui.app; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
