"""What a command logs goes to a file of its own, never to the terminal; a log that cannot be written harms nobody."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FAULTY = """
import logging, sys
from writer.cli import main
def fail(arguments):
    try:
        raise RuntimeError("planted")
    except RuntimeError:
        logging.getLogger("asyncio").exception("a callback failed")
    return 0
main._run = fail
sys.exit(main.run_command_line([]))
"""


def run(home: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", FAULTY], env=home, cwd=ROOT, capture_output=True, text=True, timeout=60
    )


def test_a_traceback_goes_to_the_log(home: dict[str, str]) -> None:
    done = run(home)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    log = Path(home["XDG_STATE_HOME"]) / "writer/log/commands.log"
    assert "RuntimeError: planted" in log.read_text()
    assert log.stat().st_mode & 0o077 == 0


def test_without_a_log_folder_nothing_is_said(home: dict[str, str]) -> None:
    (Path(home["XDG_STATE_HOME"]) / "writer").write_text("a file in the way")
    done = run(home)
    assert (done.returncode, done.stderr) == (0, "")
