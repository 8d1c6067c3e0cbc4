"""What the machine has, read from its device files, and from nvidia-smi if need be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from writer.engine import hardware
from writer.engine.hardware import Gpu


def machine(root: Path, *, gpus: int = 0) -> Path:
    (root / "proc/driver/nvidia").mkdir(parents=True)
    (root / "dev").mkdir()
    (root / "proc/meminfo").write_text("MemTotal:  1000 kB\nMemAvailable: 400 kB\n")
    if gpus:
        (root / "proc/driver/nvidia/version").write_text("NVRM version")
    for number in range(gpus):
        (root / f"dev/nvidia{number}").touch()
    (root / "dev/nvidiactl").touch()
    return root


def test_detects_gpus_from_their_device_files(tmp_path: Path) -> None:
    found = hardware.detect({}, root=machine(tmp_path, gpus=2))
    assert [(gpu.name, gpu.number) for gpu in found.gpus] == [("GPU 0", "0"), ("GPU 1", "1")]
    some = hardware.detect({"CUDA_VISIBLE_DEVICES": "1"}, root=tmp_path)
    assert [gpu.number for gpu in some.gpus] == ["1"]
    assert (found.ram_bytes, found.free_ram_bytes) == (1_024_000, 409_600)
    assert found.cores == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("hidden", ["", "-1"])
def test_hidden_gpus_are_not_usable(tmp_path: Path, hidden: str) -> None:
    assert hardware.detect({"CUDA_VISIBLE_DEVICES": hidden}, root=machine(tmp_path, gpus=1)).gpus == ()


def test_no_driver_no_gpu(tmp_path: Path) -> None:
    assert hardware.detect({}, root=machine(tmp_path)).gpus == ()


def fake_smi(folder: Path, script: str) -> dict[str, str]:
    smi = folder / "nvidia-smi"
    smi.write_text(f"#!/bin/sh\n{script}\n")
    smi.chmod(0o755)
    return {"PATH": str(folder)}


def test_asks_the_driver_for_names_and_memory(tmp_path: Path) -> None:
    env = fake_smi(tmp_path, "echo '0, GPU-1a, NVIDIA H200, 143771, 143000, 580.1, 9.0'")
    found = hardware.detect(env, ask_driver=True, root=machine(tmp_path, gpus=1))
    assert found.gpus == (Gpu("NVIDIA H200", 143771 * 2**20, 143000 * 2**20, "580.1", "0", (9, 0)),)


def test_an_old_driver_that_knows_no_capability_is_asked_without_it(tmp_path: Path) -> None:
    script = """case "$1" in *compute_cap*) echo 'Field "compute_cap" is not a valid field to query.'; exit 2;; esac
echo '0, GPU-1a, GTX 1080, 8192, [N/A], 418.1'"""
    found = hardware.detect(fake_smi(tmp_path, script), ask_driver=True, root=machine(tmp_path, gpus=1))
    assert found.gpus == (Gpu("GTX 1080", 8192 * 2**20, 0, "418.1", "0"),)


@pytest.mark.parametrize(
    ("visible", "names"),
    [
        ("1", ["b"]),
        ("2,0", ["c", "a"]),
        ("GPU-2b", ["b"]),
        ("0,7,1", ["a"]),  # CUDA too stops at the first that is not there
        ("MIG-9", ["part of a GPU"]),
        ("0,", ["a"]),
    ],
)
def test_only_the_gpus_that_are_named_count(tmp_path: Path, visible: str, names: list[str]) -> None:
    rows = "\n".join(f"{n}, GPU-{n + 1}{name}{n}, {name}, 1000, 900, 580.1, 9.0" for n, name in enumerate("abc"))
    env = fake_smi(tmp_path, f"echo '{rows}'") | {"CUDA_VISIBLE_DEVICES": visible}
    found = hardware.detect(env, ask_driver=True, root=machine(tmp_path, gpus=3))
    assert [gpu.name for gpu in found.gpus] == names
    assert ",".join(gpu.number for gpu in found.gpus) == visible.split(",7")[0].rstrip(",")


def test_a_driver_that_does_not_work_is_no_gpu_and_tells_why(tmp_path: Path) -> None:
    env = fake_smi(tmp_path, "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18")
    found = hardware.detect(env, ask_driver=True, root=machine(tmp_path, gpus=1))
    assert found.gpus == ()
    assert "version mismatch" in found.trouble


def test_gpu_memory_of_processes(tmp_path: Path) -> None:
    env = fake_smi(tmp_path, "echo '10, 500'; echo '11, 300'; echo '12, 9000'")
    assert hardware.gpu_bytes({10, 11}, env) == 800 * 2**20
    assert hardware.gpu_bytes({99}, env) is None
    assert hardware.gpu_bytes({10}, {"PATH": str(tmp_path / "none")}) is None
