"""pip, run so that its work is told in plain words and its failures in one sentence. Standard library only."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
from collections import deque
from collections.abc import Callable
from pathlib import Path

from progress import SetupError

_NETWORK = (
    "Temporary failure in name resolution",
    "Name or service not known",
    "NewConnectionError",
    "ConnectTimeoutError",
    "Read timed out",
    "ProxyError",
    "Network is unreachable",
    "Connection refused",
)
_ONE_PACKAGE = ("Collecting ", "Processing ", "Requirement already satisfied")


def pip(
    python: Path, arguments: list[str], note: Callable[[str], None], log: Path, *, else_index: str | None = None
) -> None:
    """`pip install` with these arguments, again with `else_index` if nothing matched. Raises SetupError."""
    code, output = _run(python, arguments, note, log)
    if code and else_index and "No matching distribution found" in output and not _network_failed(output):
        code, output = _run(python, [*arguments, "--index-url", else_index], note, log)
    if code:
        raise SetupError(_sentence(output, log))


def _run(python: Path, arguments: list[str], note: Callable[[str], None], log: Path) -> tuple[int, str]:
    options = ["--no-input", "--progress-bar", "off", "--disable-pip-version-check"]
    command = [str(python), "-m", "pip", "install", *options, *arguments]
    tail: deque[str] = deque(maxlen=60)
    packages = 0
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with (
        log.open("a", encoding="utf-8") as file,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            file.write(line)
            tail.append(line)
            if line.startswith(_ONE_PACKAGE):
                packages += 1
                note(f"{packages} packages found")
            elif line.startswith("Installing collected packages"):
                note("unpacking (this takes a minute or two)")
    return process.returncode, "".join(tail)


def _network_failed(output: str) -> bool:
    return any(mark in output for mark in _NETWORK)


def _sentence(output: str, log: Path) -> str:
    if "No space left on device" in output:
        return "The disk is full: free some space, then run the same command again; it goes on from here."
    if _network_failed(output):
        return "The package index cannot be reached: check the network, then run the same command again."
    missing = [line for line in output.splitlines() if "No matching distribution found for" in line]
    if missing:
        name = missing[-1].split("found for", 1)[1].split(" (from")[0].strip()
        return (
            f"The package index does not offer {name} for this Python and machine: try another Python (3.11 is best)."
        )
    return f"pip stopped with an error that {log} tells: correct it, then run the same command again."


def drop_half_installed(venv: Path) -> None:
    """Forgets packages whose files are not all there, so that pip installs them again.

    A package that was being unpacked when the machine stopped looks installed to pip.
    """
    for info in venv.glob("lib/python*/site-packages/*.dist-info"):
        if not _whole(info):
            shutil.rmtree(info, ignore_errors=True)


def _whole(info: Path) -> bool:
    try:
        with (info / "RECORD").open(newline="", encoding="utf-8") as record:
            return all(_there(info.parent / name, size) for name, _, size in csv.reader(record))
    except (OSError, ValueError):
        return False


def _there(path: Path, size: str) -> bool:
    if path.suffix == ".pyc":
        return True  # Python writes these as it likes
    return path.exists() and (not size or path.stat().st_size == int(size))
