"""The command that starts vLLM: which flags and variables, on which machine, and when two launches are the same."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from launching import CPU_BUILD, GPU, GPU_BUILD, flags, launch

from writer.config import EngineSettings
from writer.engine import build
from writer.engine.launch import Places, served_name
from writer.errors import EngineStartFailed


def test_on_a_cpu() -> None:
    made = launch()
    assert made.argv[:3] == ("/venv/bin/python", "-m", "vllm.entrypoints.openai.api_server")
    assert flags(made) == {
        "--model": "/models/SmolLM2-135M-Instruct",
        "--served-model-name": "SmolLM2-135M-Instruct",
        "--max-model-len": "8192",
        "--dtype": "float32",
        "--load-format": "safetensors",
        "--generation-config": "vllm",
        "--enable-prompt-tokens-details": "",
        "--middleware": "writer_costs.Costs",
        "--uvicorn-log-level": "warning",
        "--disable-uvicorn-access-log": "",
        "--enforce-eager": "",
        "--block-size": "32",
        "--max-num-batched-tokens": "512",
        "--kv-cache-memory-bytes": "512M",
        "--logits-processors": "writer_sampler:WordControl writer_sampler:PositionSeededSampler",
        "--sse-keep-alive-interval": "2",
        "--uds": f"/run/user/1000/writer/{made.fingerprint}/s",
    }
    assert made.env["VLLM_USE_V2_MODEL_RUNNER"] == "0"
    assert (made.device, made.dtype) == ("cpu", "float32")


def test_a_cpu_build_uses_no_gpu() -> None:
    assert launch(machine=GPU).device == "cpu"


def test_a_gpu_build_without_a_gpu_says_what_to_do() -> None:
    with pytest.raises(EngineStartFailed, match="writer doctor"):
        launch(found=GPU_BUILD)


@pytest.mark.parametrize(("asked", "model", "given"), [(8192, 2048, "2048"), (1024, 8192, "1024"), (4096, 0, "4096")])
def test_the_window_is_the_smaller_one(asked: int, model: int, given: str) -> None:
    assert flags(launch(EngineSettings(window=asked), window=model))["--max-model-len"] == given


def test_the_environment_is_ours_where_it_matters() -> None:
    theirs = {
        "HOME": "/home/a",
        "PYTHONPATH": f"/opt/site{os.pathsep}",
        "VLLM_CPU_KVCACHE_SPACE": "40",
        "VLLM_SERVER_DEV_MODE": "1",
        "VLLM_API_KEY": "secret",
        "WRITER_API_KEY": "secret",
        "VLLM_CPU_OMP_THREADS_BIND": "0-63",
        "VLLM_CACHE_ROOT": "/shared",
        "HF_HUB_OFFLINE": "0",
    }
    env = launch(environ=theirs).env
    for name in ("VLLM_CPU_KVCACHE_SPACE", "VLLM_SERVER_DEV_MODE", "VLLM_API_KEY", "VLLM_CPU_OMP_THREADS_BIND"):
        assert name not in env
    assert "secret" not in env.values()
    assert env["HOME"] == "/home/a"
    assert env["VLLM_CACHE_ROOT"] == "/home/a/.cache/writer/vllm"
    silent = ("VLLM_NO_USAGE_STATS", "DO_NOT_TRACK", "HF_HUB_DISABLE_TELEMETRY")
    for name in (*silent, "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        assert env[name] == "1"
    site, plugin, other = env["PYTHONPATH"].split(os.pathsep)
    assert Path(site).parts[-3:] == ("engine", "plugin", "site")
    assert Path(plugin).parts[-2:] == ("engine", "plugin")
    assert other == "/opt/site"


def test_nothing_dangerous_is_ever_passed() -> None:
    for made in (launch(), launch(machine=GPU, found=GPU_BUILD)):
        assert not {"--trust-remote-code", "--host", "--port", "--api-key"} & set(made.argv)
        assert "secret" not in repr(launch(environ={"VLLM_API_KEY": "secret"}))


def test_code_of_a_model_runs_only_if_the_user_named_this_model() -> None:
    settings = EngineSettings(model="/models/odd", trusted_model="/models/odd")
    allowed = launch(settings, own_code="modeling_odd.py")
    assert "--trust-remote-code" in allowed.argv
    assert flags(launch(settings))["--load-format"] == "auto"  # pickles, but no code to run
    assert "--trust-remote-code" not in launch(settings).argv
    for other in (replace(settings, trusted_model="/models"), replace(settings, model=""), EngineSettings()):
        made = launch(other, own_code="modeling_odd.py")
        assert "--trust-remote-code" not in made.argv
        assert flags(made)["--load-format"] == "safetensors"


def test_the_fingerprint_changes_with_what_the_engine_is_and_nothing_else() -> None:
    same = launch()
    assert launch(environ={"TERM": "xterm", "HOME": "/b"}).fingerprint == same.fingerprint
    assert launch(EngineSettings(keep_warm=1, after_quit="stop")).fingerprint == same.fingerprint
    others = [
        launch(EngineSettings(window=2048)),
        launch(EngineSettings(dtype="bfloat16")),
        launch(EngineSettings(kv_cache_mib=64)),
        launch(found=replace(CPU_BUILD, version="0.32.1")),
        launch(found=replace(CPU_BUILD, python="/other/python")),
        launch(folder="/models/other"),
        launch(model="changed"),
        launch(machine=GPU, found=GPU_BUILD),
    ]
    assert len({made.fingerprint for made in [same, *others]}) == len(others) + 1
    assert len(same.fingerprint) == 8


def test_a_socket_path_that_is_too_long_is_refused() -> None:
    with pytest.raises(EngineStartFailed, match="XDG_RUNTIME_DIR"):
        launch(places=Places(Path("/" + "r" * 96), Path("/c")))
    assert launch(places=Places(Path("/" + "r" * 95), Path("/c"))).socket.name == "s"


@pytest.mark.parametrize(
    ("folder", "name"), [("SmolLM2-135M", "SmolLM2-135M"), ("My model (new)", "My-model-new"), ("小说", "model")]
)
def test_served_name(folder: str, name: str) -> None:
    assert served_name(Path("/models") / folder) == name


def test_finds_the_installed_build_without_importing_it() -> None:
    found = build.find()
    assert Path(found.python).samefile(sys.executable)
    assert found.python == str(Path(sys.prefix) / "bin" / "python")  # however this one was called
    assert found.release >= (0, 26)
    assert "vllm" not in sys.modules


def test_asks_another_python(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    assert build.find(str(python)) == replace(build.find(), python=str(python))


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 1\n", None])
def test_a_python_without_vllm_says_what_to_do(tmp_path: Path, text: str | None) -> None:
    python = tmp_path / "python"
    if text:
        python.write_text(text)
        python.chmod(0o755)
    with pytest.raises(EngineStartFailed, match=r"pip install|engine\.python"):
        build.find(str(python))


def test_the_named_python_runs_no_code_of_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    build.find("bin/python")
    assert not (tmp_path / "ran").exists()


def test_a_python_may_be_named_by_home_folder_or_as_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "bin" / "python-of-another"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(python.parent), prepend=":")
    monkeypatch.chdir(tmp_path)
    for named in ("~/bin/python-of-another", "bin/python-of-another", "python-of-another"):
        assert build.find(named).python == str(python)
