from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conditions import wait_until

from writer.errors import ManuscriptError, ManuscriptLocked, StateReadOnly
from writer.manuscript.lock import ManuscriptLock, holder

HOLD = """
import sys
from pathlib import Path
from writer.manuscript.lock import ManuscriptLock
lock = ManuscriptLock.take(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def other_window(state: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", HOLD, str(state)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_window_is_refused_and_told_who_holds(tmp_path: Path) -> None:
    process = other_window(tmp_path / "state")
    try:
        assert holder(tmp_path / "state") == process.pid
        with pytest.raises(ManuscriptLocked, match=rf"another window \(process {process.pid}\)\. Close it there"):
            ManuscriptLock.take(tmp_path / "state")
    finally:
        process.kill()
        process.communicate()


def test_the_lock_dies_with_its_process(tmp_path: Path) -> None:
    process = other_window(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert holder(tmp_path) is None
    ManuscriptLock.take(tmp_path).release()


def test_a_holder_that_is_not_waited_for_does_not_count(tmp_path: Path) -> None:
    process = other_window(tmp_path)
    process.send_signal(signal.SIGKILL)
    wait_until(lambda: holder(tmp_path) is None, what="a zombie is no holder")
    ManuscriptLock.take(tmp_path).release()
    process.communicate()


def test_the_lock_is_not_inherited(tmp_path: Path) -> None:
    lock = ManuscriptLock.take(tmp_path)
    child = subprocess.Popen(["sleep", "60"], close_fds=False)
    try:
        lock.release()
        ManuscriptLock.take(tmp_path).release()
    finally:
        child.kill()
        child.wait()


def test_one_window_of_one_process_too(tmp_path: Path) -> None:
    lock = ManuscriptLock.take(tmp_path)
    with pytest.raises(ManuscriptLocked, match=str(os.getpid())):
        ManuscriptLock.take(tmp_path)
    lock.release()
    lock.release()
    assert holder(tmp_path) is None
    ManuscriptLock.take(tmp_path).release()


def test_file_and_folder_are_private(tmp_path: Path) -> None:
    lock = ManuscriptLock.take(tmp_path / "state")
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "state" / "lock").stat().st_mode & 0o777 == 0o600
    lock.release()


def test_asking_for_the_holder_never_takes_the_lock(tmp_path: Path) -> None:
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            holder(tmp_path)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        for _ in range(300):
            ManuscriptLock.take(tmp_path).release()
    finally:
        stop.set()
        thread.join()
    assert holder(tmp_path / "none") is None


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff", b'{"pid": "x"}', b'{"pid":1,"ticks":-1,"boot_id":"","host":""}']
)
def test_stale_or_broken_content_decides_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "lock").write_bytes(content)
    assert holder(tmp_path) is None
    lock = ManuscriptLock.take(tmp_path)
    assert holder(tmp_path) == os.getpid()
    lock.release()


def test_a_pid_that_is_used_again_is_not_the_holder(tmp_path: Path) -> None:
    lock = ManuscriptLock.take(tmp_path)
    values = json.loads((tmp_path / "lock").read_text())
    (tmp_path / "lock").write_text(json.dumps({**values, "ticks": values["ticks"] - 1}))
    assert holder(tmp_path) is None
    (tmp_path / "lock").write_text(json.dumps({**values, "boot_id": "another boot"}))
    assert holder(tmp_path) is None
    lock.release()


def test_a_window_on_another_computer_is_named(tmp_path: Path) -> None:
    lock = ManuscriptLock.take(tmp_path)
    values = json.loads((tmp_path / "lock").read_text())
    (tmp_path / "lock").write_text(json.dumps({**values, "host": "attic\x1b[2J", "boot_id": "its own"}))
    with pytest.raises(ManuscriptLocked, match="on the computer attic␛"):
        ManuscriptLock.take(tmp_path)
    lock.release()


def test_a_folder_that_cannot_hold_a_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StateReadOnly, match="cannot be written"):
        ManuscriptLock.take(tmp_path / "file")
    (tmp_path / "lock").symlink_to("elsewhere")
    with pytest.raises(ManuscriptError, match="cannot be locked"):
        ManuscriptLock.take(tmp_path)
    assert not (tmp_path / "elsewhere").exists()
    (tmp_path / "lock").unlink()

    def unsupported(fd: int, operation: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    with pytest.raises(ManuscriptError, match="No locks available"):
        ManuscriptLock.take(tmp_path)
