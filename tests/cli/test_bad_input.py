"""Every wrong start ends in one sentence and exit code 1, and nothing is lost."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import CommandLine

CHAPTER = "chapters/01-chapter-1.md"
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")


def test_missing_folder(cli: CommandLine, tmp_path: Path) -> None:
    assert "writer new" in cli("draft", tmp_path / "nowhere").sentence


def test_not_a_manuscript(cli: CommandLine, tmp_path: Path) -> None:
    assert "writer new" in cli("status", tmp_path).sentence
    assert cli(tmp_path).sentence  # the app's own door says it too


def test_a_folder_of_another_user(cli: CommandLine, novel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: real + 1)
    monkeypatch.setattr(os, "getuid", lambda: real + 1)
    assert "another user" in cli("draft", novel).sentence


def test_a_chapter_that_is_not_utf8(cli: CommandLine, novel: Path) -> None:
    (novel / CHAPTER).write_bytes("Café".encode("latin-1"))
    assert "UTF-8" in cli("draft", novel).sentence
    assert (novel / CHAPTER).read_bytes() == "Café".encode("latin-1")


def test_a_broken_settings_file_names_its_line(cli: CommandLine, novel: Path) -> None:
    file = novel / "writer.toml"
    file.write_text(file.read_text() + "\nbroken = = 1\n")
    line = file.read_text().splitlines().index("broken = = 1") + 1
    assert f"line {line}" in cli("draft", novel).sentence


def test_an_unknown_setting_names_the_nearest(cli: CommandLine, novel: Path) -> None:
    with (novel / "writer.toml").open("a") as file:
        file.write("\n[settings.writing]\ntemperatur = 0.5\n")
    assert '"temperature"' in cli("draft", novel).sentence


def test_a_missing_model_folder(cli: CommandLine, novel: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WRITER_ENGINE", "vllm")
    monkeypatch.setenv("WRITER_MODEL", str(tmp_path / "no-model"))
    assert "no-model" in cli("draft", novel).sentence


def test_a_truncated_model_names_file_and_bytes(
    cli: CommandLine, novel: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text('{"architectures": ["LlamaForCausalLM"], "max_position_embeddings": 64}')
    (model / "tokenizer.json").write_text("{}")
    header = json.dumps({"w": {"dtype": "F32", "shape": [100], "data_offsets": [0, 400]}}).encode()
    (model / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"\0" * 150)
    monkeypatch.setenv("WRITER_ENGINE", "vllm")
    monkeypatch.setenv("WRITER_MODEL", str(model))
    sentence = cli("draft", novel).sentence
    assert "model.safetensors" in sentence
    assert "250" in sentence


def test_a_prompt_beyond_the_window(cli: CommandLine, novel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRITER_SCRIPT", json.dumps({"window": 64}))
    (novel / CHAPTER).write_text("word " * 300)
    assert "window" in cli("draft", novel).sentence
    assert (novel / CHAPTER).read_text() == "word " * 300


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], check=True)
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@root_only
def test_a_full_disk_loses_nothing_that_was_told(
    cli: CommandLine, novel: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("writer.runtime.runner._RETRIES", (0.0,))
    monkeypatch.setenv("XDG_STATE_HOME", str(small_disk))
    ran = cli("draft", novel, "--max-tokens", 20000, "--json")
    *_, last = ran.lines
    assert "disk is full" in ran.sentence
    told = sum(len(e["token_ids"]) for e in ran.lines if e["event"] == "batch")
    assert (last["event"], last["tokens"]) == ("failed", told)
    assert told > 100
    monkeypatch.setenv("XDG_STATE_HOME", str(shutil.copytree(small_disk, novel.parent / "roomy")))
    found = cli("status", novel, "--json").json["chapters"][0]["generations"][0]
    assert found["tokens"] == told
    assert cli("state", "check", novel, "--json").json["ok"]


@root_only
def test_a_read_only_disk(cli: CommandLine, novel: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    monkeypatch.setenv("XDG_STATE_HOME", str(small_disk))
    assert "cannot be written" in cli("draft", novel).sentence


def test_a_folder_that_is_not_empty_is_not_taken(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("words")
    assert cli("new", tmp_path).sentence
    assert (tmp_path / "mine.txt").read_text() == "words"


def test_files_are_private(cli: CommandLine, novel: Path, home: dict[str, str]) -> None:
    cli("draft", novel, "--max-tokens", 10, "--json")
    state = Path(home["XDG_STATE_HOME"])
    for path in state.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
