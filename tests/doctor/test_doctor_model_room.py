"""The doctor says how a model's weights are quantised, and what fits beside them on the GPUs as they are now."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from writer import locations
from writer.config import EngineSettings
from writer.doctor import model_room
from writer.doctor.finding import Finding
from writer.engine import proc
from writer.engine.build import Build
from writer.engine.hardware import Gpu, Hardware
from writer.engine.keeper_state import KeeperFolder, Note, write_note

GIB = 2**30
ONE_GPU = Hardware((Gpu("NVIDIA RTX 4090", 24 * GIB, 23 * GIB, number="0", capability=(8, 9)),), 8, 2**34, 2**34)
SHAPE = {
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 4096,
    "vocab_size": 128_256,
    "max_position_embeddings": 16_384,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of an 8B's shape, with one weight."""
    model = tmp_path / "model"
    model.mkdir()
    (model / "tokenizer.json").write_text("{}")
    header = json.dumps({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}).encode()
    (model / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"\0")
    return model


def look(
    folder: Path, monkeypatch: pytest.MonkeyPatch, machine: Hardware = ONE_GPU, *, cpu: bool = False, **config: object
) -> dict[str, Finding]:
    (folder / "config.json").write_text(json.dumps(SHAPE | config))
    monkeypatch.setattr(model_room.build, "find", lambda python: Build(sys.executable, "0.32.0", cpu))
    found = model_room.findings(EngineSettings(model=str(folder)), machine)
    return {each.subject: each for each in found}


def test_the_room_beside_the_weights_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = look(folder, monkeypatch)
    assert found["Room for text"].state == "ok"
    assert "window of 16,384 tokens fits" in found["Room for text"].sentence
    assert "Model's weights" not in found


def test_quantised_weights_are_said_in_words(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = look(folder, monkeypatch, quantization_config={"quant_method": "awq", "bits": 4})
    assert found["Model's weights"] == Finding("Model's weights", "ok", "They are quantised: AWQ, 4 bits.")


def test_weights_that_cannot_be_used_here_are_bad_and_name_a_next_step(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = look(folder, monkeypatch, cpu=True, quantization_config={"quant_method": "gptq", "bits": 4})
    assert found["Model's weights"].state == "bad"
    assert found["Model's weights"].next_step.startswith("Choose the same model")
    assert "Room for text" not in found


def test_a_gpu_that_others_fill_is_bad(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Hardware((Gpu("NVIDIA RTX 4090", 24 * GIB, GIB, number="0"),), 8, 2**34, 2**34)
    found = look(folder, monkeypatch, full)["Room for text"]
    assert found.state == "bad"
    assert found.next_step == "Close them or correct it, then try again."


def test_what_our_own_engine_holds_is_no_trouble(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Hardware((Gpu("NVIDIA RTX 4090", 24 * GIB, GIB, number="0"),), 8, 2**34, 2**34)
    monkeypatch.setattr(model_room, "engine_alive", lambda: True)
    assert look(folder, monkeypatch, full) == {}


def test_a_living_engine_on_a_gpu_is_seen_by_its_note(home: dict[str, str]) -> None:
    assert not model_room.engine_alive()
    me = proc.look(os.getpid())
    assert me is not None
    place = KeeperFolder(locations.private(locations.runtime_dir() / "0a1b2c3d"))
    note = Note(me.pid, me.ticks, proc.boot_id(), os.getuid(), "0a1b2c3d", "m", "", "gpu", "", 0.0)
    write_note(place, note)
    assert model_room.engine_alive()
    write_note(place, replace(note, device="cpu"))
    assert not model_room.engine_alive()
    write_note(place, replace(note, ticks=1))  # it has died
    assert not model_room.engine_alive()


def test_nothing_is_said_where_another_finding_says_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert look(folder, monkeypatch, Hardware((), 8, 2**34, 2**34)) == {}
    (folder / "model.safetensors").unlink()
    assert look(folder, monkeypatch) == {}
    assert model_room.findings(EngineSettings(), ONE_GPU) == []
    assert model_room.findings(EngineSettings(url="http://x", model="y"), ONE_GPU) == []


def test_a_cache_on_disk_that_does_not_pay_is_worth_knowing() -> None:
    on = EngineSettings(kv_disk_gib=10)
    assert model_room.kept(EngineSettings(), {"pays": False}) == []
    assert "writer engine tune" in model_room.kept(on, {})[0].sentence
    assert model_room.kept(on, {"pays": True})[0].state == "ok"
    assert model_room.kept(on, {"pays": False})[0].state == "warn"
