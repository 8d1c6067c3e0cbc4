"""From the settings to a launch: what is looked at when, and how a GPU's memory is waited for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from writer.config import EngineSettings
from writer.engine import preparation
from writer.engine.base import EngineStatus
from writer.engine.build import Build
from writer.engine.fitting import Fit, NoRoom
from writer.engine.hardware import Gpu, Hardware
from writer.engine.windows import expected, remember_model
from writer.errors import ModelUnusable

GIB = 2**30
SHAPE = {"num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "hidden_size": 4096}


def gpu(free: float, number: str = "0") -> Gpu:
    return Gpu("NVIDIA RTX 4090", 24 * GIB, int(free * GIB), number=number, capability=(8, 9))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model with one weight."""
    model = tmp_path / "model"
    model.mkdir()
    (model / "tokenizer.json").write_text("{}")
    (model / "config.json").write_text(json.dumps(SHAPE | {"max_position_embeddings": 16_384}))
    header = json.dumps({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}).encode()
    (model / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"\0")
    return model


class Machine:
    """Two GPUs; nvidia-smi is asked only when a start is near."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, cpu: bool = False, free: Sequence[float] = (22.5,)) -> None:
        self.asked, self.free = 0, [*free]
        monkeypatch.setattr(preparation.hardware, "detect", self.detect)
        monkeypatch.setattr(preparation.build, "find", lambda python: Build("/python", "0.26.0", cpu))

    def detect(self, environ: object, *, ask_driver: bool = False) -> Hardware:
        self.asked += ask_driver
        free = self.free.pop(0) if ask_driver and len(self.free) > 1 else self.free[0]
        found = (gpu(free), gpu(free, "1")) if ask_driver else (Gpu("nvidia0"), Gpu("nvidia1"))
        return Hardware(found, 8, 2**34, 2**34)


def test_only_a_start_asks_the_driver(folder: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    machine, said = Machine(monkeypatch), []
    prepared = preparation.prepare(EngineSettings(model=str(folder), gpus=2), {}, said.append)
    assert machine.asked == 0
    assert prepared.fitted is not None
    fitted = prepared.fitted(said.append)
    assert machine.asked == 1
    assert fitted.launch.fingerprint == prepared.launch.fingerprint
    assert fitted.fingerprint.engine == "auto tp2"
    assert said == ["2 GPUs share the model; a window of 16,384 tokens fits, with 88% of the GPU's memory…"]
    assert expected(0, 32_768, prepared.fingerprint.model) == 16_384


def test_a_cpu_is_not_fitted(folder: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    Machine(monkeypatch, cpu=True)
    prepared = preparation.prepare(EngineSettings(model=str(folder)), {}, lambda line: None)
    assert prepared.fitted is None
    assert prepared.fingerprint.engine == "float32 v1"


def test_quantised_weights_are_told_or_refused(
    folder: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "config.json").write_text(json.dumps(SHAPE | {"quantization_config": {"quant_method": "awq", "bits": 4}}))
    said: list[str] = []
    Machine(monkeypatch)
    preparation.prepare(EngineSettings(model=str(folder)), {}, said.append)
    assert said == ["the model's weights are quantised: AWQ, 4 bits"]
    Machine(monkeypatch, cpu=True)
    with pytest.raises(ModelUnusable, match="AWQ, 4 bits"):
        preparation.prepare(EngineSettings(model=str(folder)), {}, said.append)


def test_memory_that_comes_back_is_waited_for() -> None:
    free, said = [2.0, 2.0, 23.0], []

    def of(gpus: Sequence[Gpu]) -> Fit:
        if gpus[0].free_bytes < 20 * GIB:
            raise NoRoom("The model needs more.")
        return Fit(0.9, 4096)

    made = preparation._measured(lambda: [gpu(free.pop(0))], of, lambda *_: False, said.append, pause=0)
    assert made.window == 4096
    assert said == ["waiting for the GPU's memory…"] * 2


def test_a_window_that_is_short_waits_for_memory_too(
    folder: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine before has just ended, and the driver has not given back what it held."""
    machine, said = Machine(monkeypatch, free=[3.0, 3.0, 22.5]), []
    monkeypatch.setattr(preparation.time, "sleep", lambda seconds: None)
    prepared = preparation.prepare(EngineSettings(model=str(folder)), {}, said.append)
    assert prepared.fitted is not None
    prepared.fitted(said.append)
    assert machine.asked == 3
    assert said[:2] == ["waiting for the GPU's memory…"] * 2
    assert "16,384 tokens fits" in said[2]


def test_what_fitted_the_last_time_is_enough(
    folder: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, said = Machine(monkeypatch, free=[3.0, 22.5]), []
    prepared = preparation.prepare(EngineSettings(model=str(folder)), {}, said.append)
    remember_model(prepared.fingerprint.model, 2048)
    assert prepared.fitted is not None
    prepared.fitted(said.append)
    assert machine.asked == 1


def test_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "FREED_LATE", 0.0)
    assert preparation._measured(lambda: [], lambda gpus: Fit(0.1, 2048), lambda *_: True, str, pause=0).window == 2048

    def of(gpus: Sequence[Gpu]) -> Fit:
        raise NoRoom("The model needs more.")

    with pytest.raises(NoRoom):
        preparation._measured(lambda: [gpu(1)], of, lambda *_: False, str, pause=0)


def test_a_cache_on_disk_gets_its_folder_and_memory_for_a_whole_window(
    folder: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation.kv_disk, "staging", lambda longest, free: longest)
    Machine(monkeypatch)
    prepared = preparation.prepare(EngineSettings(model=str(folder), kv_disk_gib=1), {}, lambda line: None)
    assert prepared.launch.kv_folder is not None
    assert not prepared.launch.kv_folder.exists()  # an attachment needs none
    assert prepared.fitted is not None
    made = prepared.fitted(lambda line: None)
    assert f'"cpu_bytes_to_use":{16_384 * 128 * 1024},' in " ".join(made.launch.argv)
    assert made.launch.kv_folder == prepared.launch.kv_folder
    assert prepared.launch.kv_folder.stat().st_mode & 0o777 == 0o700


async def test_a_long_preparation_tells_how_long_it_takes() -> None:
    told: list[EngineStatus] = []
    with preparation.speaking(told.append, every=0.01) as tell:
        await preparation.aside(lambda: tell("Preparing…"))
        async with asyncio.timeout(30):
            while len(told) < 3:
                await asyncio.sleep(0)
    assert {(status.state, status.sentence) for status in told} == {("starting", "Preparing…")}
    assert 0 <= told[0].seconds < told[-1].seconds
