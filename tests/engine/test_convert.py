"""The small model appears whole or not at all. The weights' own conversion is shown by the real engine's tests."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conditions import wait_until
from test_models import CONFIG, write_safetensors

from writer.engine import convert, models
from writer.errors import ModelUnusable


def _fake_weights(source: Path, folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "tokenizer.json").write_bytes(source.read_bytes())
    write_safetensors(folder / "model.safetensors")


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A source, and a target that is not there."""
    monkeypatch.setattr(convert, "_write_model", _fake_weights)
    source = tmp_path / "small.gguf"
    source.write_bytes(b"GGUF")
    return source, tmp_path / "models" / "small"


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_target_is_whole_and_nothing_is_left(paths: tuple[Path, Path]) -> None:
    source, target = paths
    assert not convert.is_prepared(target)
    convert.convert(source, target)
    assert convert.is_prepared(target)
    models.check(target)
    assert _names(target.parent) == {"small", ".small.lock"}


def test_a_second_run_does_nothing(paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    convert.convert(*paths)
    monkeypatch.setattr(convert, "_write_model", lambda *_: pytest.fail("converted again"))
    convert.convert(*paths)


@pytest.mark.parametrize("damage", ["truncate", "remove", "digests"])
def test_a_damaged_target_is_made_again(paths: tuple[Path, Path], damage: str) -> None:
    source, target = paths
    convert.convert(source, target)
    if damage == "truncate":
        (target / "model.safetensors").write_bytes(b"")
    elif damage == "remove":
        (target / "config.json").unlink()
    else:
        (target / convert.DIGESTS).write_text("{")
    assert not convert.is_prepared(target)
    convert.convert(source, target)
    assert convert.is_prepared(target)
    assert _names(target.parent) == {"small", ".small.lock"}


def test_a_failure_leaves_no_target_and_the_next_run_sweeps(
    paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = paths
    (target.parent / ".small.partial-dead").mkdir(parents=True)
    monkeypatch.setattr(convert, "_write_model", lambda _, folder: (folder / "config.json").write_text("{"))
    with pytest.raises(ModelUnusable):
        convert.convert(source, target)
    assert _names(target.parent) == {".small.lock"}


def test_two_at_once_convert_once(paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    target = paths[1]
    begun, go_on = threading.Event(), threading.Event()
    runs: list[int] = []

    def slow(source: Path, folder: Path) -> None:
        runs.append(1)
        begun.set()
        assert go_on.wait(10)
        _fake_weights(source, folder)

    said: list[str] = []
    monkeypatch.setattr(convert, "_write_model", slow)
    monkeypatch.setattr(convert, "_say", said.append)
    threads = [threading.Thread(target=convert.convert, args=paths) for _ in range(2)]
    for thread in threads:
        thread.start()
    wait_until(lambda: begun.is_set() and any("waiting" in line for line in said))
    go_on.set()
    for thread in threads:
        thread.join(10)
    assert len(runs) == 1
    assert convert.is_prepared(target)


def test_too_little_space_is_one_sentence(
    paths: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(convert, "_ROOM", 1 << 60)
    assert convert.main([str(path) for path in paths]) == 1
    assert (
        capsys.readouterr().out == "error: The disk is full. Free about 600 MB for the small model, then start again.\n"
    )


def test_what_the_child_says_reaches_the_author(tmp_path: Path) -> None:
    said: list[str] = []
    source = tmp_path / "a\x07.gguf"
    source.write_bytes(b"not a model")
    with pytest.raises(ModelUnusable, match="is damaged") as caught:
        models.prepare(source, tmp_path / "m" / "small", said.append)
    assert caught.value.sentence.endswith(".")
    assert "\x07" not in caught.value.sentence


def test_importing_it_imports_no_heavy_library() -> None:
    heavy = "('torch', 'transformers', 'vllm', 'gguf', 'tokenizers')"
    code = f"import sys, writer.engine.models; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
