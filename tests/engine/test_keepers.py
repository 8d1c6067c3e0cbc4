"""Where keepers live: folders that nobody else can lay down or look into, logs that do not pile up, one lock."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from writer import locations
from writer.engine import keeper_engine, keepers
from writer.engine.keeper_engine import _LogReader
from writer.engine.keeper_state import KeeperFolder, read_note
from writer.errors import EngineBusy, EngineStartFailed


def test_a_folder_that_others_may_read_is_closed() -> None:
    runtime = locations.runtime_dir()
    runtime.chmod(0o777)
    folder = keepers.folder_of("0a1b2c3d").path
    assert runtime.stat().st_mode & 0o777 == 0o700
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.getuid() != 0, reason="needs a second user")
def test_a_folder_of_another_user_is_refused() -> None:
    os.chown(locations.runtime_dir(), 65534, 65534)
    with pytest.raises(EngineStartFailed, match="another user"):
        keepers.folder_of("0a1b2c3d")


def test_a_link_is_refused(tmp_path: Path) -> None:
    (locations.runtime_dir() / "0a1b2c3d").symlink_to(tmp_path)
    with pytest.raises(EngineStartFailed, match="another user"):
        keepers.folder_of("0a1b2c3d")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"pid": 1}', "\x00"])
def test_a_damaged_note_is_none(text: str) -> None:
    folder = keepers.folder_of("0a1b2c3d")
    folder.note_file.write_text(text)
    assert read_note(folder) is None
    keepers.clean(folder)
    assert list(folder.path.iterdir()) == []


async def test_the_lock_keeps_a_second_window_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    order = []

    async def window(name: str) -> None:
        async with keepers.lock():
            order.append(f"{name} in")
            await asyncio.sleep(0)
            order.append(f"{name} out")

    await asyncio.gather(window("a"), window("b"))
    assert order in (["a in", "a out", "b in", "b out"], ["b in", "b out", "a in", "a out"])
    monkeypatch.setattr(keepers, "_LOCK_PATIENCE", 0.1)
    async with keepers.lock():
        with pytest.raises(EngineBusy):
            await window("c")


def test_three_logs_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "engine-0a1b2c3d.log"
    for number in range(5):
        keepers._rotate(log)
        log.write_text(str(number))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "engine-0a1b2c3d.log": "4",
        "engine-0a1b2c3d.1.log": "3",
        "engine-0a1b2c3d.2.log": "2",
    }


def test_reads_only_this_start_of_a_log_line_by_line(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("an earlier start\n")
    reader = _LogReader(log)
    assert reader.new_lines() == []
    with log.open("a") as file:
        file.write("one\rtwo\n\nthr")
    assert reader.new_lines() == ["one", "two"]
    with log.open("a") as file:
        file.write("ee\n")
    assert reader.new_lines() == ["three"]
    assert reader.tail() == ["one", "two", "three"]


def test_a_log_that_grows_too_long_begins_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper_engine, "_LOG_LIMIT", 100)
    log = tmp_path / "log"
    with log.open("a") as writes:
        reader = _LogReader(log)
        writes.write("x" * 101 + "\n")
        writes.flush()
        reader.trim()
        assert log.stat().st_size == 0
        writes.write("new\n")
        writes.flush()
    assert reader.tail() == ["new"]


def test_clearing_removes_all_of_it_twice_over(tmp_path: Path) -> None:
    folder = KeeperFolder(tmp_path)
    for file in (folder.control_socket, folder.engine_socket, folder.launch_file, folder.note_file):
        file.touch()
    folder.clear()
    folder.clear()
    assert list(tmp_path.iterdir()) == []
