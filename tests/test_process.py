"""Processes by their start and the boot, and what is said where the system does not tell."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from conditions import wait_until

from writer import process
from writer.engine import proc


def test_this_process_is_known_by_its_start_and_the_boot() -> None:
    ticks = process.start_ticks(os.getpid())
    assert ticks is not None
    assert process.is_same(os.getpid(), ticks, process.boot_id())
    assert not process.is_same(os.getpid(), ticks + 1, process.boot_id())
    assert not process.is_same(os.getpid(), ticks, "another boot")
    assert 0 <= time.time() - process.started_at() < 86_400


def test_a_zombie_does_not_run() -> None:
    child = subprocess.Popen(["true"])
    wait_until(lambda: process.start_ticks(child.pid) is None)
    child.wait()


def test_both_rooms_have_one_answer() -> None:
    assert proc.boot_id is process.boot_id
    assert proc.start_ticks is process.start_ticks
    assert proc.is_same is process.is_same


def test_nothing_is_the_same_where_the_system_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = process.start_ticks(os.getpid())
    assert ticks is not None
    read = Path.read_text
    refused = PermissionError(13, "Permission denied")

    def masked(path: Path, *options: object, **named: object) -> str:
        if path.name == "boot_id":
            raise refused
        return read(path, *options, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "read_text", masked)
    assert process.boot_id() == ""
    assert not process.is_same(os.getpid(), ticks, "")
    assert not process.this_boot("")
    assert proc.kill_session(os.getsid(0), "", ticks).ended == 0
