"""What this machine can run an engine on: NVIDIA GPUs, CPU cores, memory. Imports no torch and no vLLM."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_MIB = 2**20
_WSL_SMI = "/usr/lib/wsl/lib/nvidia-smi"


@dataclass(frozen=True, slots=True)
class Gpu:
    """One NVIDIA GPU. Sizes in bytes; 0 where nvidia-smi could not tell."""

    name: str
    total_bytes: int = 0
    free_bytes: int = 0
    driver: str = ""


@dataclass(frozen=True, slots=True)
class Hardware:
    """`gpus` are the usable ones. `trouble` is nvidia-smi's own last line if a GPU is there but unusable."""

    gpus: tuple[Gpu, ...]
    cores: int
    ram_bytes: int
    free_ram_bytes: int
    trouble: str = ""


def detect(environ: Mapping[str, str], *, ask_driver: bool = False, root: Path = Path("/")) -> Hardware:
    """Look at the machine. Without `ask_driver` only files are read (1 ms), else nvidia-smi is run (up to 10 s)."""
    gpus, trouble = _gpus(environ, ask_driver, root)
    total, free = _memory(root)
    return Hardware(gpus, len(os.sched_getaffinity(0)), total, free, trouble)


def _gpus(environ: Mapping[str, str], ask_driver: bool, root: Path) -> tuple[tuple[Gpu, ...], str]:
    if environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1"):
        return (), ""
    devices = _device_files(root)
    windows = (root / "dev/dxg").exists()  # WSL: no /dev/nvidia0 there, only nvidia-smi knows
    if not devices and not windows:
        return (), ""
    if ask_driver or windows:
        return _ask_driver(environ)
    return tuple(Gpu(name) for name in devices), ""


def _device_files(root: Path) -> list[str]:
    """Names of GPUs that this process may open: the driver is loaded and the device files are here."""
    if not (root / "proc/driver/nvidia/version").exists():
        return []
    folder = root / "dev"
    return sorted(path.name for path in folder.glob("nvidia[0-9]*")) if folder.is_dir() else []


def _ask_driver(environ: Mapping[str, str]) -> tuple[tuple[Gpu, ...], str]:
    smi = shutil.which("nvidia-smi", path=environ.get("PATH")) or _WSL_SMI
    query = "--query-gpu=name,memory.total,memory.free,driver_version"
    try:
        done = subprocess.run(
            [smi, query, "--format=csv,noheader,nounits"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return (), str(error)
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        return (), lines[-1] if lines else f"nvidia-smi ended with {done.returncode}"
    return tuple(gpu for line in done.stdout.splitlines() if (gpu := _gpu(line))), ""


def _gpu(line: str) -> Gpu | None:
    parts = [part.strip() for part in line.split(",")]
    if len(parts) != 4:
        return None
    return Gpu(parts[0], _mib(parts[1]), _mib(parts[2]), parts[3])


def _mib(number: str) -> int:
    return int(number) * _MIB if number.isdigit() else 0


def gpu_bytes(pids: set[int], environ: Mapping[str, str]) -> int | None:
    """GPU memory that these processes hold; None if nvidia-smi cannot tell. Takes up to a second: not for a loop."""
    smi = shutil.which("nvidia-smi", path=environ.get("PATH")) or _WSL_SMI
    command = [smi, "--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    rows = [line.split(",") for line in done.stdout.splitlines() if line.count(",") == 1]
    held = [_mib(used.strip()) for pid, used in rows if pid.strip().isdigit() and int(pid) in pids]
    return sum(held) if held else None  # in containers the driver shows other pids, or none


def _memory(root: Path) -> tuple[int, int]:
    try:
        lines = (root / "proc/meminfo").read_text().splitlines()
    except OSError:
        return 0, 0
    sizes = {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines if ":" in line}
    return sizes.get("MemTotal", 0), sizes.get("MemAvailable", 0)
