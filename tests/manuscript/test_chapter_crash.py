"""Saves that are cut short anywhere: by SIGKILL at random, and by KILL, EIO and ENOSPC at every system call."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
import saving_child
from saving_child import body, number_of

from writer.manuscript import atomic
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.exchange import exchange

KILLS = 150
CALLS = "openat,read,write,fsync,rename,renameat2,link,unlink,close,ftruncate,fchmod,mkdir"


def prepared(folder: Path, *, twin: bool = False) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in ("01.md", "rehearsal.md"):
        (folder / name).write_text(body(0))
    (folder / "begin").touch()
    if twin:
        os.link(folder / "01.md", folder / "other name.md")
    return folder / "01.md"


# --- SIGKILL at a random moment


def saying(fd: int, said: str) -> None:
    os.write(fd, said.encode())


def killed_saves(folder: Path, how: str, kills: int) -> list[str]:
    """What was wrong after each of `kills` kills of a process that saves without pause."""
    chapter, rng, wrong, number = prepared(folder), random.Random(5), [], 0
    for trial in range(kills):
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            saving_child.plant(how)
            os.write(writer, b"ready\n")
            saving_child.save_on(chapter, folder / "records", partial(saying, writer))
        os.close(writer)
        with open(reader, "rb") as pipe:
            pipe.readline()
            time.sleep(rng.random() * 0.02)  # the moment of death, not a condition
            os.kill(pid, signal.SIGKILL)
            said = pipe.read().split()
        os.waitpid(pid, 0)
        found, told = number_of(chapter.read_bytes()), int(said[-1]) if said else number
        if found < told:
            wrong.append(f"trial {trial}: {told} was saved, the file is {found} ({chapter.stat().st_size} bytes)")
            chapter.write_text(body(told))
        number = max(found, told)
    return wrong


def test_a_killed_save_leaves_one_of_the_versions_and_none_that_is_older_than_said(tmp_path: Path) -> None:
    assert killed_saves(tmp_path / "m", "right", KILLS) == []
    leftovers = {name for name in os.listdir(tmp_path / "m") if atomic.is_temporary(name)}
    for name in leftovers:
        os.utime(tmp_path / "m" / name, (0, 0))
    assert atomic.sweep(tmp_path / "m") == len(leftovers)
    assert ChapterFile(tmp_path / "m" / "01.md").read().text.startswith("0000")


def test_the_kills_find_a_writer_in_place(tmp_path: Path) -> None:
    assert killed_saves(tmp_path / "m", "in place", KILLS)


# --- a fault at every system call


@dataclass(frozen=True)
class Outcome:
    lines: list[str]
    code: int
    trace: list[tuple[str, str]]  # system calls after the beginning: name, arguments


def traced(folder: Path, how: str, inject: str = "") -> Outcome:
    """One save by the child under strace, with a fault if one is given."""
    log = folder.with_suffix(".strace")
    options = ["-qq", "-o", str(log), "-e", f"trace={CALLS}"] + (["-e", f"inject={inject}"] if inject else [])
    command = [sys.executable, "-B", saving_child.__file__, str(folder), how, "1"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(["strace", *options, *command], capture_output=True, text=True, env=environment, timeout=60)
    assert inject or done.stdout == "1\n", done.stderr
    calls = re.findall(r"^(\w+)\((.*)$", log.read_text(errors="replace"), re.MULTILINE)
    return Outcome(done.stdout.split(), done.returncode, calls)


def points(outcome: Outcome) -> list[tuple[str, int]]:
    """Each system call of the save, with its number among those of its name."""
    seen: dict[str, int] = {}
    found, begun = [], False
    for name, arguments in outcome.trace:
        seen[name] = seen.get(name, 0) + 1
        if begun and not (name == "write" and arguments.startswith("1,")):  # what the child says is not the save
            found.append((name, seen[name]))
        begun = begun or "/begin" in arguments
    return found[1:]  # the first closes the mark itself


def what_is_wrong(folder: Path, how: str, twin: bool, fault: str, name: str, number: int) -> str:
    """Let one fault happen in a save; "" if the file is right after it."""
    chapter = prepared(folder, twin=twin)
    outcome = traced(folder, how, f"{name}:{fault}:when={number}")
    told = max((int(line) for line in outcome.lines if line.isdigit()), default=0)
    ChapterFile(chapter, backup_dir=folder / "records").read()  # settles what was cut short in place
    found = number_of(chapter.read_bytes())
    left = [entry for entry in os.listdir(folder) if atomic.is_temporary(entry)]
    untidy = fault != "signal=KILL" and (outcome.code != 0 or (left and name != "unlink"))
    shutil.rmtree(folder)
    return f"{name} {number} {fault}: told {told}, found {found}, {left}" if found < told or untidy else ""


def faulty_saves(root: Path, how: str, faults: tuple[str, ...], *, twin: bool = False) -> Iterator[str]:
    """For a fault at each system call of a save what was wrong after it, "" if nothing was."""
    prepared(root / "all", twin=twin)
    every = points(traced(root / "all", how))
    plan = [
        (fault, name, number)
        for fault in faults
        for name, number in every
        if fault != "error=ENOSPC" or name in ("openat", "write", "fsync", "renameat2", "link", "ftruncate", "mkdir")
    ]
    with ThreadPoolExecutor(3) as pool:
        yield from pool.map(lambda n: what_is_wrong(root / f"m{n}", how, twin, *plan[n]), range(len(plan)))


@pytest.fixture(scope="module")
def strace() -> None:
    probe = ["strace", "-qq", "-o", os.devnull, "-e", "inject=getuid:error=EIO", "true"]
    if not shutil.which("strace") or subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("strace cannot trace here")


@pytest.mark.usefixtures("strace")
@pytest.mark.parametrize("twin", [False, True], ids=["replaced", "in place with a record"])
def test_a_fault_at_any_call_leaves_the_old_version_or_the_new(tmp_path: Path, twin: bool) -> None:
    found = list(faulty_saves(tmp_path, "right", ("signal=KILL", "error=EIO", "error=ENOSPC"), twin=twin))
    assert len(found) > 40
    assert [wrong for wrong in found if wrong] == []


@pytest.mark.usefixtures("strace")
def test_the_faults_find_a_writer_in_place(tmp_path: Path) -> None:
    assert any("found -1" in wrong for wrong in faulty_saves(tmp_path, "in place", ("signal=KILL",)))


def durable(outcome: Outcome) -> bool:
    """Whether the bytes are made durable before the rename, and the folder after it."""
    names = [name for name, _ in outcome.trace]
    begun = next(i for i, (_, arguments) in enumerate(outcome.trace) if "/begin" in arguments)
    rename = names.index("renameat2", begun)
    said = next(
        i for i, (name, arguments) in enumerate(outcome.trace) if name == "write" and arguments.startswith("1,")
    )
    return "fsync" in names[begun:rename] and "fsync" in names[rename:said]


@pytest.mark.usefixtures("strace")
@pytest.mark.parametrize(("how", "right"), [("right", True), ("no fsync", False)])
def test_saved_means_durable(tmp_path: Path, how: str, right: bool) -> None:
    prepared(tmp_path / "m")
    assert durable(traced(tmp_path / "m", how)) is right


# --- another program that writes at the same time


def lost_edits(folder: Path, how: str, monkeypatch: pytest.MonkeyPatch, steps: int) -> int:
    """How many of another program's texts vanished without having been seen, in `steps` random steps."""
    chapter, rng, lost = prepared(folder), random.Random(11), 0
    really = os.fsync
    unseen: bytes | None = None

    def other_program() -> None:
        nonlocal unseen
        unseen = b"other %d" % rng.randrange(10**9)
        if rng.random() < 0.5:
            chapter.write_bytes(unseen)
        else:
            (folder / "other.tmp").write_bytes(unseen)
            os.replace(folder / "other.tmp", chapter)

    def fsync(fd: int) -> None:
        if os.readlink(f"/proc/self/fd/{fd}").endswith(".tmp") and rng.random() < 0.2:
            other_program()
        really(fd)

    def renames(one: Path, other: Path) -> bool:
        if rng.random() < 0.2:
            other_program()
        return False

    def slips_in(one: Path, other: Path) -> bool:
        if rng.random() < 0.2:
            other_program()
        return exchange(one, other)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(atomic, "exchange", slips_in if how != "renames" else renames)
    monkeypatch.setattr(ChapterFile, "_unchanged", ChapterFile._unchanged)  # comes back after a mutant
    saving_child.plant(how)
    file = ChapterFile(chapter, backup_dir=folder / "records")
    loaded = file.read()
    for step in range(steps):
        if rng.random() < 0.3:
            other_program()
        try:
            loaded = file.save(f"author {step}", loaded)
        except saving_child.WriterError:
            assert unseen is not None, "a save was refused without a cause"
            assert unseen in {chapter.read_bytes(), *(kept.read_bytes() for kept in folder.glob("01 (conflict *.md"))}
            loaded, unseen = file.read(), None
        else:
            lost += unseen is not None
            unseen = None
    return lost


def test_no_text_of_another_program_is_overwritten_unseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert lost_edits(tmp_path / "m", "right", monkeypatch, 400) == 0


@pytest.mark.parametrize("how", ["blind", "renames"])
def test_the_interleavings_find_a_save_that_does_not_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    assert lost_edits(tmp_path / "m", how, monkeypatch, 400) > 0
