"""`writer engine sleep`, `wake`, `tune`, `forget-kv` without a GPU: plain words, and JSON for scripts."""

from __future__ import annotations

import pytest
from command_line import CommandLine

from writer import locations
from writer.engine import running, tuning


@pytest.mark.parametrize(("command", "key"), [("sleep", "asleep"), ("wake", "awake")])
def test_without_an_engine_nothing_is_held(cli: CommandLine, command: str, key: str) -> None:
    ran = cli("engine", command)
    assert (ran.code, ran.out) == (0, "No engine is ready, so none holds the GPU for writer.\n")
    assert cli("engine", command, "--json").json == {key: 0, "seconds": 0}


def test_tune_measures_once_and_says_what_follows(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "disk_speed", lambda folder: 1e9)
    monkeypatch.setenv("WRITER_ENGINE", "scripted")
    monkeypatch.setenv("WRITER_SCRIPT", '{"can_sleep": true}')
    ran = cli("engine", "tune")
    assert ran.code == 0
    assert ran.out.startswith("A cache on disk does not pay here")  # the scripted engine reads in no time
    assert cli("engine", "tune", "--json").json["pays"] is False


def test_tune_without_a_gpu_says_so(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRITER_ENGINE", "scripted")
    assert "for an engine on a GPU" in cli("engine", "tune").sentence


def test_what_is_kept_on_disk_is_erased(cli: CommandLine) -> None:
    assert cli("engine", "forget-kv").out == "Nothing was kept on disk.\n"
    block = locations.cache_dir() / "kv" / "abc" / "block.bin"
    block.parent.mkdir(parents=True)
    block.write_bytes(b"x" * 1000)
    assert cli("engine", "forget-kv", "--json").json == {"erased_bytes": 1000}
    assert not block.exists()


def test_what_an_engine_uses_is_not_erased(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def used() -> bool:
        return True

    monkeypatch.setattr(running, "keeping_on_disk", used)
    assert cli("engine", "forget-kv").sentence.endswith("Stop it first: writer engine stop.")
