"""The bench of several GPUs with the real engine on a CPU: two processes share a model. What has no GPU is played."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from real_engine import KEPT
from test_bench_spread import machine, measured

from writer.engine import proc

ROOT = Path(__file__).resolve().parents[2]
_SHARED = """#!/bin/sh
# Each of two processes has half of the model, and one thread: vLLM would bind them to nodes of memory of their own.
export VLLM_CPU_OMP_THREADS_BIND=nobind OMP_NUM_THREADS=1
case "$*" in *api_server*) set -- "$@" --tensor-parallel-size 2 ;; esac
exec "{python}" "$@"
"""
pytestmark = pytest.mark.engine


def worker(family: Sequence[proc.Process]) -> proc.Process:
    """One of the two that calculate: what dies first where a GPU fails. Ends of the server have tests of their own."""
    names = {each: Path(f"/proc/{each.pid}/comm").read_text() for each in family}
    workers = [each for each, name in names.items() if name.startswith("VLLM::Worker")]
    assert len(workers) == 2, names
    return workers[-1]


@pytest.fixture
def shared(home: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Settings of an engine whose model lies in two processes."""
    monkeypatch.setenv("XDG_DATA_HOME", str(KEPT / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(KEPT / "cache"))
    search = os.pathsep.join([str(ROOT / "writer/engine/plugin/site"), str(ROOT / "scripts"), str(ROOT)])
    made = [sys.executable, "-m", "benchmarks.shapes", "even", str(tmp_path / "even")]
    subprocess.run(made, env=os.environ | {"PYTHONPATH": search}, check=True, timeout=300)
    launcher = tmp_path / "python"
    launcher.write_text(_SHARED.format(python=sys.executable))
    launcher.chmod(0o755)
    monkeypatch.setattr("benchmarks.spread.victim", worker)
    monkeypatch.setattr("benchmarks.spread.DRAWN", ("repetition",))
    monkeypatch.setattr("benchmarks.freeing.detect", lambda *_, **__: machine(1.0, 1.0))
    return ["--set", f"model={tmp_path / 'even'}", "--set", f"python={launcher}"]


@pytest.mark.timeout(900)
def test_a_text_goes_on_after_any_end_where_two_processes_share_the_model(
    shared: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    parts = measured(capsys, *shared, "--cuts", "1", "--tokens", "20", "--lengths", "256", "--pairs", "0")
    assert [name for name, part in parts.items() if not part["met"]] == ["GPUs that hold a part of the model"]
    assert parts["the same tokens behind a cut, plain"]["absolute"] == "2/2 cuts"
    assert parts["the same behind a kill -9 of the engine, plain"]["absolute"] == "2/2 cuts"
    for what in ("left by the killed engine", "left when the engine was stopped"):
        (of,) = re.findall(r"of (\d+)", str(parts[f"processes {what}"]["absolute"]))
        assert int(of) >= 5  # the server, what watches its resources, the engine, and two that calculate
