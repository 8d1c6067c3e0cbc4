"""What the engine's Python runs first: foreign builds are hidden, the user's own file still runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SITE = Path(__file__).parents[2] / "writer" / "engine" / "plugin" / "site"


def _install(folder: Path, name: str, version: str) -> None:
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (folder / f"{name}.py").write_text("")


def _run(code: str, *paths: Path) -> str:
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, [SITE, *paths]))}
    # -S keeps this environment's own packages out; the module is then imported by name, as `site` would.
    command = [sys.executable, "-S", "-c", f"import sys, sitecustomize\n{code}"]
    return subprocess.run(command, env=environ, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    ("torch", "torchvision", "hidden"),
    [("2.13.0+cpu", "0.28.0", True), ("2.13.0+cpu", "0.28.0+cpu", False), ("2.13.0", "0.28.0", False)],
)
def test_a_cuda_build_is_hidden_beside_a_cpu_build_only(
    tmp_path: Path, torch: str, torchvision: str, hidden: bool
) -> None:
    _install(tmp_path, "torch", torch)
    _install(tmp_path, "torchvision", torchvision)
    code = "try:\n import torchvision\n print('there')\nexcept ImportError:\n print('hidden')"
    assert _run(code, tmp_path).strip() == ("hidden" if hidden else "there")


def test_without_torch_nothing_happens(tmp_path: Path) -> None:
    assert _run("print('fine')", tmp_path) == "fine\n"


def test_the_users_own_file_runs_once_afterwards(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("print('theirs')")
    assert _run("print('ours')", tmp_path, SITE) == "theirs\nours\n"
