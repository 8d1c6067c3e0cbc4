"""What an engine has read, on disk: private, within its limit, the longest unused goes first, all of it on request."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from conditions import wait_until

from writer.engine import kv_disk
from writer.errors import EngineStartFailed

GIB = 2**30
OLD = 1_000_000.0  # UTC seconds, long ago


def block(root: Path, name: str, size: int, used: float) -> Path:
    path = root / name[:3] / f"{name}.bin"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (used, used))
    return path


def test_the_folder_is_private_and_so_is_the_one_above(tmp_path: Path) -> None:
    (tmp_path / "kv").mkdir(mode=0o755)
    kv_disk.ready(tmp_path / "kv" / "abc", 1000)
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "kv", tmp_path / "kv" / "abc")} == {0o700}


def test_main_memory_between_gpu_and_disk_is_as_much_as_is_of_use_and_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_bavail=10 * GIB, f_frsize=1))
    assert kv_disk.staging(4 * GIB, 64 * GIB, tmp_path) == 5 * GIB
    assert kv_disk.staging(100 * GIB, 64 * GIB, tmp_path) == 8 * GIB  # of ten in /dev/shm
    assert kv_disk.staging(100 * GIB, 16 * GIB, tmp_path) == 4 * GIB  # a quarter of main memory
    assert kv_disk.staging(4 * GIB, 0, tmp_path) == 5 * GIB  # a machine that does not tell
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_bavail=64 * 2**20, f_frsize=1))
    with pytest.raises(EngineStartFailed, match=r"256 MiB of shared memory .* only 51 MiB"):
        kv_disk.staging(4 * GIB, 64 * GIB, tmp_path)


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    names = ("c", "a", "d", "b")
    paths = {name: block(tmp_path, name * 5, 100, OLD + ord(name)) for name in names}
    assert kv_disk.size(tmp_path) == 400
    assert kv_disk.prune(tmp_path, 250) == 200  # down to nine tenths
    assert [name for name in sorted(names) if paths[name].exists()] == ["c", "d"]
    assert kv_disk.prune(tmp_path, 250) == 0


def test_reading_a_block_counts_as_use(tmp_path: Path) -> None:
    first = block(tmp_path, "aaaaa", 100, OLD)
    second = block(tmp_path, "bbbbb", 100, OLD + 1)
    os.utime(first, (OLD + 2, OLD))
    kv_disk.prune(tmp_path, 150)
    assert first.exists()
    assert not second.exists()


def test_what_may_just_be_being_read_stays_even_over_the_limit(tmp_path: Path) -> None:
    young = block(tmp_path, "aaaaa", 100, time.time())
    assert kv_disk.prune(tmp_path, 10) == 0
    assert young.exists()


def test_the_limit_is_that_of_all_engines_together(tmp_path: Path) -> None:
    old = block(tmp_path / "engine1", "aaaaa", 100, OLD)
    block(tmp_path / "engine2", "bbbbb", 100, OLD + 1)
    kv_disk.ready(tmp_path / "engine2", 150)
    assert not old.exists()


def test_no_link_is_followed(tmp_path: Path) -> None:
    elsewhere = block(tmp_path / "elsewhere", "aaaaa", 100, OLD)
    root = tmp_path / "kv"
    root.mkdir()
    (root / "folder").symlink_to(elsewhere.parent)
    (root / "file").symlink_to(elsewhere)
    assert kv_disk.size(root) == 0
    kv_disk.prune(root, 0)
    assert kv_disk.forget(root) == 0
    assert elsewhere.exists()
    root.symlink_to(tmp_path / "elsewhere")
    assert kv_disk.forget(root) == 0
    assert elsewhere.exists()


def test_forgetting_leaves_nothing(tmp_path: Path) -> None:
    block(tmp_path / "kv" / "abc", "aaaaa", 100, OLD)
    assert kv_disk.forget(tmp_path / "kv") == 100
    assert not (tmp_path / "kv").exists()
    assert kv_disk.forget(tmp_path / "kv") == 0


def test_the_warden_looks_by_itself(tmp_path: Path) -> None:
    path = block(tmp_path / "abc", "aaaaa", 100, OLD)
    warden = kv_disk.Warden(str(tmp_path / "abc"), 10, every=0.0)
    warden.look()
    wait_until(lambda: not path.exists())
    warden.rest()


def test_a_warden_of_nothing_or_before_its_time_does_nothing(tmp_path: Path) -> None:
    path = block(tmp_path / "abc", "aaaaa", 100, OLD)
    for warden in (kv_disk.Warden("", 0, every=0.0), kv_disk.Warden(str(tmp_path / "abc"), 10, every=3600.0)):
        warden.look()
        warden.rest()
    assert path.exists()
