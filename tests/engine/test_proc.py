"""Facts about processes, and that only the right ones are ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conditions import wait_until

from writer.engine import proc

SLEEPER = """
import os, sys, time
os.setuid(int(sys.argv[2]))
for _ in range(int(sys.argv[1])):
    os.fork() or time.sleep(60)
time.sleep(60)
"""
Session = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture
def session() -> Iterator[Session]:
    """Starts sessions of sleeping processes, and ends them."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(children: int = 2, uid: int = os.getuid(), **options: object) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", SLEEPER, str(children), str(uid)]
        started.append(subprocess.Popen(command, start_new_session=True, **options))  # type: ignore[call-overload]
        wait_until(lambda: len(proc.members(started[-1].pid)) == children + 1)
        return started[-1]

    yield begin
    for leader in started:
        for process in proc.members(leader.pid):
            os.kill(process.pid, signal.SIGKILL)
        leader.wait()


def ticks(pid: int) -> int:
    found = proc.start_ticks(pid)
    assert found is not None
    return found


def test_looks_at_this_process() -> None:
    me = proc.look(os.getpid())
    assert me is not None
    assert (me.parent, me.session, me.uid) == (os.getppid(), os.getsid(0), os.getuid())
    assert proc.is_same(me.pid, me.ticks, proc.boot_id())
    assert not proc.is_same(me.pid, me.ticks + 1, proc.boot_id())
    assert not proc.is_same(me.pid, me.ticks, "another boot")


def test_a_name_with_brackets_and_blanks_confuses_nothing(tmp_path: Path) -> None:
    odd = tmp_path / "a) S 1 (b"
    odd.symlink_to(sys.executable)
    process = subprocess.Popen([odd, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        found = proc.look(process.pid)
        assert found is not None
        assert (found.parent, found.session) == (os.getpid(), os.getsid(0))
    finally:
        process.communicate(b"\n")


def test_the_dead_and_zombies_do_not_live(session: Session) -> None:
    leader = session(0)
    began = ticks(leader.pid)
    leader.kill()
    wait_until(lambda: proc.look(leader.pid) is None)  # a zombie now: nobody has waited for it
    assert Path(f"/proc/{leader.pid}/stat").exists()
    assert not proc.is_same(leader.pid, began, proc.boot_id())
    leader.wait()
    assert proc.start_ticks(leader.pid) is None


def test_members_and_descendants(session: Session) -> None:
    leader = session(3)
    assert len(proc.members(leader.pid)) == 4
    assert len(proc.descendants(leader.pid)) == 3
    assert {p.pid for p in proc.members(leader.pid)} <= {p.pid for p in proc.descendants(os.getpid())}


def test_memory(session: Session) -> None:
    leader = session(1)
    pids = [process.pid for process in proc.members(leader.pid)]
    assert proc.resident_bytes(pids) > 2**20
    assert proc.resident_bytes([]) == 0
    assert proc.resident_bytes([2**22 + 1]) == 0


def test_ends_a_session_whose_leader_is_dead_and_no_other(session: Session) -> None:
    ours, theirs = session(2), session(2)
    began = ticks(ours.pid)
    ours.kill()
    ours.wait()
    swept = proc.kill_session(ours.pid, proc.boot_id(), began)
    assert (swept.ended, swept.left) == (2, ())
    assert not proc.members(ours.pid)
    assert len(proc.members(theirs.pid)) == 3


def test_sigterm_is_enough_for_the_well_behaved_and_sigkill_takes_the_rest() -> None:
    code = "import signal,sys; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"
    deaf = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True)
    assert deaf.stdout
    deaf.stdout.readline()
    proc.kill_session(deaf.pid, proc.boot_id(), ticks(deaf.pid), grace=0.1)
    assert deaf.wait() == -signal.SIGKILL
    deaf.stdout.close()


@pytest.mark.parametrize("wrong", ["boot", "ticks earlier", "ticks later"])
def test_a_session_that_is_not_the_noted_one_is_left_alone(session: Session, wrong: str) -> None:
    leader = session(1)
    began = ticks(leader.pid) + {"ticks earlier": -100, "ticks later": 100}.get(wrong, 0)
    boot = "another" if wrong == "boot" else proc.boot_id()
    assert proc.kill_session(leader.pid, boot, began, grace=0).ended == 0
    assert len(proc.members(leader.pid)) == 2


def test_spared(session: Session) -> None:
    leader = session(2)
    proc.kill_session(leader.pid, proc.boot_id(), ticks(leader.pid), spare={leader.pid}, grace=0)
    assert [process.pid for process in proc.members(leader.pid)] == [leader.pid]


def test_a_mark_protects_processes_that_write_elsewhere(session: Session, tmp_path: Path) -> None:
    with (tmp_path / "ours.log").open("w") as ours, (tmp_path / "theirs.log").open("w") as theirs:
        marked, other = session(1, stdout=ours), session(1, stdout=theirs)
        mark = proc.mark_of(ours.fileno())
        assert proc.kill_session(other.pid, proc.boot_id(), ticks(other.pid), mark=mark, grace=0).ended == 0
        assert proc.kill_session(marked.pid, proc.boot_id(), ticks(marked.pid), mark=mark, grace=0).ended == 2


@pytest.mark.skipif(os.getuid() != 0, reason="needs a second user")
def test_processes_of_another_user_are_left_alone(session: Session) -> None:
    leader = session(1, uid=65534)
    assert proc.kill_session(leader.pid, proc.boot_id(), ticks(leader.pid), grace=0).ended == 0
    assert len(proc.members(leader.pid)) == 2


def test_a_pid_that_changed_hands_gets_no_signal(session: Session) -> None:
    leader = session(0)
    found = proc.look(leader.pid)
    assert found is not None
    earlier = proc.Process(found.pid, found.parent, found.session, found.ticks - 100, found.uid)
    proc.end(earlier, signal.SIGKILL)
    assert leader.poll() is None
    proc.end(found, signal.SIGKILL)
    assert leader.wait() == -signal.SIGKILL
