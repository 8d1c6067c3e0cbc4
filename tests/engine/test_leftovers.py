"""Shared memory that a killed engine leaves behind is removed if it is the engine's own, and nothing else is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from keeping import Said, Source, note_of, tree, until

from writer.engine import keepers
from writer.engine.keeper_state import KeeperFolder
from writer.engine.leftovers import SHM, Leftovers, remove_recorded
from writer.engine.starvation import Starvation, kills

HOLDER = """
import mmap, os, sys
handle = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
os.truncate(handle, 4096)
held = mmap.mmap(handle, 4096)
print("held", flush=True)
sys.stdin.read()
"""


class Holder:
    """A process that has a file of shared memory mapped."""

    def __init__(self, file: Path) -> None:
        command = [sys.executable, "-c", HOLDER, str(file)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdout
        assert self.process.stdout.readline()

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def shared() -> Iterator[Path]:
    """A name in /dev/shm that is free, and is free afterwards."""
    file = SHM / f"writer-test-{uuid.uuid4().hex[:8]}"
    yield file
    file.unlink(missing_ok=True)


@pytest.fixture
def place(tmp_path: Path) -> KeeperFolder:
    return KeeperFolder(tmp_path)


def test_what_only_the_engine_held_is_removed(shared: Path, place: KeeperFolder) -> None:
    mine = Leftovers(place)
    engine = Holder(shared)
    mine.note([engine.process.pid])
    assert mine.remove() == []  # it still lives
    engine.end()
    assert mine.remove() == [shared.name]
    assert not shared.exists()


def test_what_was_there_before_the_engine_stays(shared: Path, place: KeeperFolder) -> None:
    shared.write_bytes(b"\0" * 4096)
    mine = Leftovers(place)
    engine = Holder(shared)
    mine.note([engine.process.pid])
    engine.end()
    assert mine.remove() == []
    assert shared.exists()


def test_what_another_program_holds_stays(shared: Path, place: KeeperFolder) -> None:
    mine = Leftovers(place)
    engine, other = Holder(shared), Holder(shared)
    mine.note([engine.process.pid])
    engine.end()
    assert mine.remove() == []
    other.end()
    assert mine.remove() == [shared.name]


def test_a_name_that_came_back_as_another_file_stays(shared: Path, place: KeeperFolder) -> None:
    mine = Leftovers(place)
    engine = Holder(shared)
    mine.note([engine.process.pid])
    engine.end()
    kept = shared.with_name(shared.name + "-old")
    shared.rename(kept)  # its inode stays in use, so the new file has another one
    shared.write_bytes(b"theirs")
    try:
        assert mine.remove() == []
        assert shared.read_bytes() == b"theirs"
    finally:
        kept.unlink()


def test_a_record_that_is_nonsense_removes_nothing(shared: Path, place: KeeperFolder) -> None:
    shared.write_bytes(b"theirs")
    wrong = [{"ours": 3}, {"ours": {shared.name: 1}}, {"ours": {f"../shm/{shared.name}": shared.stat().st_ino}}]
    for text in ("", "[]", *map(json.dumps, wrong)):
        place.shared_file.write_text(text)
        assert remove_recorded(place) == []
    assert shared.exists()


async def test_an_engine_that_is_ended_hard_leaves_no_shared_memory(source: Source, shared: Path) -> None:
    kept = source(FAKE_SHM=shared.name, FAKE_DEAF="1")
    await kept.acquire(Said())
    tree(note_of())
    assert shared.exists()
    await kept.release(stop=True)
    assert not shared.exists()


async def test_a_killed_keepers_leftovers_are_removed_at_the_next_start(source: Source, shared: Path) -> None:
    kept = source(FAKE_SHM=shared.name, FAKE_DEAF="1")
    await kept.acquire(Said())
    before = tree(note_of())
    os.kill(before[0].pid, signal.SIGKILL)
    await until(lambda: not Path(f"/proc/{before[0].pid}").exists())
    assert shared.exists()
    await source().acquire(Said())
    assert not shared.exists()


def test_the_kernels_counters_are_read(tmp_path: Path) -> None:
    assert kills(tmp_path) == 0
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/vmstat").write_text("pgfault 9\noom_kill 2\n")
    (tmp_path / "proc/self/cgroup").write_text("4:memory:/box\n1:cpu:/\n0::/box\n")
    for file, line in (
        ("sys/fs/cgroup/box/memory.events", "oom 4"),
        ("sys/fs/cgroup/memory/box/memory.oom_control", ""),
    ):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text(f"{line}\noom_kill 3\n")
    assert kills(tmp_path) == 5


def test_only_a_recent_kill_counts() -> None:
    now, count = [0.0], [7]
    watch = Starvation(lambda: count[0], lambda: now[0])
    count[0] = 8
    assert watch.happened()
    for now[0] in (5.0, 10.0):
        watch.look()
        assert watch.happened()
    for now[0] in (20.0, 30.0):
        watch.look()
    assert not watch.happened()


@pytest.mark.parametrize(("keeper", "words"), [("", "from outside"), ("starving_keeper", "ran out of memory")])
async def test_a_killed_engine_says_what_the_kernel_says(
    source: Source, monkeypatch: pytest.MonkeyPatch, keeper: str, words: str
) -> None:
    if keeper:
        monkeypatch.setattr(keepers, "KEEPER", keeper)
        monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    said = Said()
    await source().acquire(said)
    os.kill(note_of().engine_pid, signal.SIGKILL)
    await until(lambda: said[-1].state == "stopped")
    assert words in said[-1].sentence
