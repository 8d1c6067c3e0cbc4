"""What this machine can run an engine on: NVIDIA GPUs, CPU cores, memory. Imports no torch and no vLLM."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from writer.language import say

_MIB = 2**20
_FIELDS = "index,uuid,name,memory.total,memory.free,driver_version,compute_cap"
_WSL_SMI = "/usr/lib/wsl/lib/nvidia-smi"


@dataclass(frozen=True, slots=True)
class Gpu:
    """One NVIDIA GPU. Sizes in bytes; 0 where nvidia-smi could not tell.

    `number` is how CUDA_VISIBLE_DEVICES names it; `capability` is (9, 0) for 9.0, or () if unknown.
    """

    name: str
    total_bytes: int = 0
    free_bytes: int = 0
    driver: str = ""
    number: str = ""
    capability: tuple[int, ...] = ()


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
    visible = environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None and visible.strip() in ("", "-1"):
        return (), ""
    devices = _device_files(root)
    windows = (root / "dev/dxg").exists()  # WSL: no /dev/nvidia0 there, only nvidia-smi knows
    if not devices and not windows:
        return (), ""
    if ask_driver or windows:
        return _ask_driver(environ)
    numbers = [name.removeprefix("nvidia") for name in devices] if visible is None else visible.split(",")
    return tuple(Gpu(f"GPU {number.strip()}", number=number.strip()) for number in numbers if number.strip()), ""


def _device_files(root: Path) -> list[str]:
    """Names of GPUs that this process may open: the driver is loaded and the device files are here."""
    if not (root / "proc/driver/nvidia/version").exists():
        return []
    folder = root / "dev"
    return sorted(path.name for path in folder.glob("nvidia[0-9]*")) if folder.is_dir() else []


def _ask_driver(environ: Mapping[str, str]) -> tuple[tuple[Gpu, ...], str]:
    done = _query(environ, _FIELDS)
    if not isinstance(done, str) and done.returncode and "compute_cap" in done.stdout + done.stderr:
        done = _query(environ, _FIELDS.removesuffix(",compute_cap"))  # a driver from before 2021
    if isinstance(done, str):
        return (), done
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        return (), lines[-1] if lines else say("nvidia-smi ended with {returncode}", returncode=done.returncode)
    found = dict(entry for line in done.stdout.splitlines() if (entry := _gpu(line)))
    visible = environ.get("CUDA_VISIBLE_DEVICES")
    return tuple(found.values()) if visible is None else _visible(found, visible.split(",")), ""


def _query(environ: Mapping[str, str], fields: str) -> subprocess.CompletedProcess[str] | str:
    """What nvidia-smi answers, or why it cannot be asked."""
    smi = shutil.which("nvidia-smi", path=environ.get("PATH")) or _WSL_SMI
    command = [smi, f"--query-gpu={fields}", "--format=csv,noheader,nounits"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)


def _gpu(line: str) -> tuple[str, Gpu] | None:
    """Its long id, and the GPU."""
    number, uuid, name, total, free, driver, *capability = [part.strip() for part in line.split(",") + [""] * 6][:7]
    if not driver:
        return None
    version = tuple(int(part) for part in "".join(capability).split(".") if part.isdigit())
    return uuid, Gpu(name, _mib(total), _mib(free), driver, number, version)


def _visible(found: dict[str, Gpu], named: list[str]) -> tuple[Gpu, ...]:
    """Those that are named, by number or by the beginning of their long id, in that order and by that name."""
    gpus: list[Gpu] = []
    for name in map(str.strip, named):
        match = next(
            (gpu for uuid, gpu in found.items() if name and (name == gpu.number or uuid.startswith(name))), None
        )
        if name.startswith("MIG-"):  # a part of a GPU, of which this list says nothing
            gpus.append(Gpu(say("part of a GPU"), number=name))
        elif match is None:
            break  # CUDA too stops at the first that is not there
        else:
            gpus.append(replace(match, number=name))
    return tuple(gpus)


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
