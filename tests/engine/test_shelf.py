"""The models on this machine: what each is, whose it is, and that looking changes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_hub import CONFIG
from model_weights import whole_model

from writer import config, locations
from writer.catalogue.values import Fit, Machine, Shelved
from writer.config import EngineSettings
from writer.engine import described, home, models, shelf
from writer.engine.build import Build
from writer.engine.hardware import Gpu, Hardware
from writer.engine.keeping_models import LocalModels
from writer.errors import EngineError, ModelUnusable

GB = 10**9
GPU = Machine("gpu", "a GPU", 24 * GB, 24 * GB)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No model of this machine is seen."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(models, "default_model_source", lambda: None)


SMALL = EngineSettings()


def shelved(settings: EngineSettings = SMALL) -> dict[str, Shelved]:
    return {each.name: each for each in shelf.shelved(settings, GPU)}


def downloaded(hub: str = "org/tale", **note: object) -> Path:
    folder = whole_model(home.folder_of(hub), CONFIG)
    (folder / home.MARKER).write_text(json.dumps({"hub": hub, **note}))
    return folder


def test_a_downloaded_model_is_ours_and_tells_what_it_is() -> None:
    folder = downloaded(licence="apache-2.0")
    found = shelved()["org/tale"]
    assert (found.place, found.folder, found.ours, found.trouble) == ("downloaded", folder, True, "")
    assert found.licence == "apache-2.0"
    assert found.weights is not None
    assert (found.weights.quantisation, found.weights.kv_values, found.weights.context) == ("bf16", 64, 4096)
    assert found.weights.size == (folder / "model.safetensors").stat().st_size
    assert found.fit is not None
    assert found.fit.fits


def test_the_one_in_use_is_marked_however_it_is_named(tmp_path: Path) -> None:
    folder = downloaded()
    for name in ("org/tale", str(folder)):
        assert [each.name for each in shelved(EngineSettings(model=name)).values() if each.chosen] == ["org/tale"]
    own = whole_model(tmp_path / "own", CONFIG)
    found = shelved(EngineSettings(model=str(own)))[str(own)]
    assert (found.place, found.chosen, found.ours) == ("folder", True, False)


def test_a_model_in_the_settings_that_is_not_there_says_so() -> None:
    found = shelved(EngineSettings(model="/nowhere/model"))["/nowhere/model"]
    assert "/nowhere/model" in found.trouble


def test_what_the_hubs_cache_holds_is_listed_and_not_ours(tmp_path: Path) -> None:
    snapshot = whole_model(tmp_path / "hub" / "models--org--cached" / "snapshots" / "abc", CONFIG)
    found = shelved()["org/cached"]
    assert (found.place, found.folder, found.ours) == ("cache", snapshot, False)
    with pytest.raises(ModelUnusable, match="not made by writer"):
        home.erase(snapshot)
    assert snapshot.is_dir()


def test_a_download_that_is_not_complete_says_how_to_go_on() -> None:
    place = home.unfinished_of("org/tale")
    (place / "parts").mkdir(parents=True)
    (place / "parts" / "a").write_bytes(bytes(1000))
    found = shelved()["org/tale"]
    assert (found.place, found.size, found.ours) == ("unfinished", 1000, True)
    assert "writer models add org/tale" in found.trouble


def test_a_damaged_one_is_listed_with_its_damage() -> None:
    (downloaded() / "model.safetensors").write_bytes(b"\x08")
    assert "truncated" in shelved()["org/tale"].trouble


def test_only_what_carries_our_note_in_our_folder_is_ever_erased(tmp_path: Path) -> None:
    kept = whole_model(home.home() / "copied-here-by-hand", CONFIG)
    outside = whole_model(tmp_path / "own", CONFIG)
    (outside / home.MARKER).write_text("{}")
    link = home.home() / "org--link"
    link.symlink_to(outside)
    for folder in (kept, outside, link, home.home(), home.home() / ".." / "models" / kept.name):
        with pytest.raises(ModelUnusable, match="not made by writer"):
            home.erase(folder)
    assert all(folder.is_dir() for folder in (kept, outside, link))
    home.erase(folder := downloaded())
    assert not folder.exists()


def test_looking_makes_and_changes_nothing_in_a_model() -> None:
    folder = downloaded()
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    shelved()
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("config", "values"),
    [
        (CONFIG, 2 * 2 * 2 * 8),
        ({"num_hidden_layers": 3, "num_attention_heads": 4, "hidden_size": 64}, 2 * 3 * 4 * 16),
        ({"text_config": CONFIG, "vision_config": {"num_hidden_layers": 99}}, 2 * 2 * 2 * 8),
        ({"num_hidden_layers": 5, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "num_attention_heads": 8}, 5 * 576),
        ({}, 0),
        ({"num_hidden_layers": "many", "num_attention_heads": True}, 0),
        (CONFIG | {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": 512}, 2 * 2 * 2 * 8),
    ],
)
def test_what_a_token_keeps_is_told_by_the_configuration(config: dict[str, object], values: int) -> None:
    assert described.kv_values(config) == values


@pytest.mark.parametrize(
    ("config", "name"),
    [
        ({"torch_dtype": "float16"}, "fp16"),
        ({"dtype": "torch.float32"}, "fp32"),
        ({"quantization_config": {"quant_method": "awq"}, "dtype": "float16"}, "awq"),
        ({"quantization_config": {"quant_method": "\x1b[31m"}}, "␛[31m"),
        ({}, "bf16"),
    ],
)
def test_the_quantisation_is_told_by_the_configuration(config: dict[str, object], name: str) -> None:
    assert described.quantisation(config) == name


@pytest.mark.parametrize(
    ("readme", "licence"),
    [
        ("---\nlicense: apache-2.0\ntags: [x]\n---\n# A", "apache-2.0"),
        ("---\r\nlicense: other\r\nlicense_name: gemma\r\n---\r\n", "gemma"),
        ("# A\nlicense: mit\n", ""),
        ("", ""),
    ],
)
def test_the_licence_is_told_by_the_folder(readme: str, licence: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_bytes(readme.encode())
    assert described.licence(tmp_path) == licence


def test_a_download_of_ours_comes_before_the_hubs_cache(tmp_path: Path) -> None:
    whole_model(tmp_path / "hub" / "models--org--tale" / "snapshots" / "abc", CONFIG)
    folder = downloaded()
    assert models.resolve("org/tale", lambda line: None) == folder.resolve()
    assert [each.place for each in shelved().values()] == ["downloaded"]


def test_nothing_is_listed_on_an_empty_machine() -> None:
    assert shelved() == {}
    assert (locations.data_dir() / "models").is_dir()


def machine_with(monkeypatch: pytest.MonkeyPatch, there: tuple[Gpu, ...], **settings: float) -> Machine:
    monkeypatch.setattr("writer.engine.hardware.detect", lambda *_, **__: Hardware(there, 4, 64 * GB, 32 * GB))
    monkeypatch.setattr("writer.engine.build.find", lambda python: Build("python", "0.32.0", cpu_only=False))
    return shelf.machine(EngineSettings(**settings), {})  # type: ignore[arg-type]


def test_the_machine_is_its_gpus_or_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    found = machine_with(monkeypatch, ())
    assert (found.device, found.total, found.free, found.window) == ("cpu", 64 * GB, 32 * GB, 8192)
    one = Gpu("G", 24 * GB, 22 * GB)
    found = machine_with(monkeypatch, (one,), gpu_memory=0.5)
    assert (found.device, found.name, found.free, found.share) == ("gpu", "G", 22 * GB, 0.5)
    assert 0.7 < machine_with(monkeypatch, (one,)).share < 0.95
    found = machine_with(monkeypatch, (one, one, one))
    assert (found.name, found.total, found.gpus) == ("2 × G", 48 * GB, 2)
    assert machine_with(monkeypatch, (one,), gpus=4).gpus == 1


def test_an_engine_that_knows_no_gpu_writes_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writer.engine.hardware.detect", lambda *_, **__: Hardware((Gpu("G", GB, GB),), 4, GB, GB))
    monkeypatch.setattr("writer.engine.build.find", lambda python: Build("python", "0.32.0+cpu", cpu_only=True))
    assert shelf.machine(EngineSettings(), {}).device == "cpu"


def test_a_server_takes_the_place_of_a_model_and_a_model_that_of_a_server() -> None:
    here = LocalModels({})
    assert here.use_server(" http://127.0.0.1:8000 ").startswith("From now on http://127.0.0.1:8000 writes.")
    settings = config.load(locations.config_file(), None, {}).engine
    assert settings.url == "http://127.0.0.1:8000"
    assert not any(each.chosen for each in shelved(settings).values())
    with pytest.raises(EngineError, match="is not an address"):
        here.use_server("my server")
    here.use("small")
    assert config.load(locations.config_file(), None, {}).engine.url == ""


def test_what_a_model_needs_for_its_text_is_set_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = str(whole_model(tmp_path / "own", CONFIG))
    needs = Fit(True, 4096, GB, 2 * GB, room=1152 * 2**20)
    here = LocalModels({})
    monkeypatch.setattr(here, "shelved", lambda: (Shelved(own, "folder", Path(own), GB, fit=needs),))
    assert "engine.kv_cache_mib = 1152 is set too" in here.use(own)
    settings = config.load(locations.config_file(), None, {}).engine
    assert (settings.model, settings.kv_cache_mib) == (own, 1152)
    assert "is set too" not in here.use("small")
