"""The stages there are, and how one is run: in a process and a home of its own, so that none disturbs another.

Beside what outcome.py asks for, a module may say `CI = n`: its count in the test suite, if a tenth is not right.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType

from outcome import Outcome

HERE = Path(__file__).resolve().parent
ORDER = (
    *("kill", "app-kill", "syscalls", "power", "engine", "answers", "orphans", "edits", "corrupt"),
    *("windows", "sleep", "escapes", "network", "modes", "traces"),
)
"""As in the table; a stage that is not named here comes last."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A module of trials."""

    module: ModuleType

    @property
    def name(self) -> str:
        return str(self.module.NAME)

    @property
    def full(self) -> int:
        return int(self.module.FULL)

    @property
    def short(self) -> int:
        """The count in the test suite."""
        return int(getattr(self.module, "CI", max(1, math.ceil(self.full / 10))))


def named(name: str) -> Stage:
    """The stage of that name; LookupError tells which there are."""
    path = HERE / f"stage_{name.replace('-', '_')}.py"
    if not path.is_file():
        known = ", ".join(_name(each) for each in sorted(HERE.glob("stage_*.py")))
        raise LookupError(f'There is no stage "{name}". There are: {known}.')
    return Stage(importlib.import_module(path.stem))


def every() -> list[Stage]:
    """All stages, in the order of the table."""
    found = [named(_name(path)) for path in HERE.glob("stage_*.py")]
    return sorted(found, key=lambda stage: in_order(stage.name))


def in_order(name: str) -> tuple[int, str]:
    """Sorts names of stages as in the table."""
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def _name(path: Path) -> str:
    return path.stem.removeprefix("stage_").replace("_", "-")


def run_here(stage: Stage, count: int, seed: int) -> Outcome:
    """In this process. What a stage raises is its failure, never a pass."""
    if stage.module.ROOT and os.geteuid() != 0:
        return Outcome(stage.name, 0, (), 0, 0, skipped="it needs root")
    try:
        with _home() as scratch:
            return stage.module.run(count, seed, scratch)  # type: ignore[no-any-return]
    except Exception:  # a stage may fail in any way
        return Outcome(stage.name, 0, (f"the stage itself failed:\n{traceback.format_exc()}",), 0, 0)


@contextmanager
def _home() -> Iterator[Path]:
    """An empty folder, and XDG folders in a short temporary place (socket paths are limited)."""
    root = Path(tempfile.mkdtemp(prefix="w-"))
    try:
        for name, folder in (("CONFIG", "c"), ("STATE", "s"), ("DATA", "d"), ("CACHE", "k")):
            (root / folder).mkdir(mode=0o700)
            os.environ[f"XDG_{name}_HOME"] = str(root / folder)
        (root / "r").mkdir(mode=0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(root / "r")
        for name in ("WRITER_ENGINE", "WRITER_MODEL", "WRITER_KEEP_WARM", "WRITER_SCRIPT"):
            os.environ.pop(name, None)
        os.environ["WRITER_NO_WELCOME"] = "1"
        (root / "t").mkdir(mode=0o700)
        yield root / "t"
    finally:
        shutil.rmtree(root, ignore_errors=True)


def command(name: str, count: int, seed: int) -> list[str]:
    """What runs one stage again, as it is typed at the top of the checkout."""
    return ["scripts/faults", "--stage", name, "--count", str(count), "--seed", str(seed)]


def run_apart(stage: Stage, count: int, seed: int, limit: float) -> Outcome:
    """In a process of its own, which is ended after `limit` seconds."""
    with tempfile.TemporaryDirectory(prefix="writer-faults-") as folder:
        report = Path(folder) / "report.json"
        arguments = [*command(stage.name, count, seed)[1:], "--json", "--report", str(report)]
        child = subprocess.Popen(
            [sys.executable, str(HERE), *arguments],
            env=dict(os.environ),  # without LINES and COLUMNS, which readline has put behind Python's back
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            output, _ = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            return Outcome(stage.name, 0, (f"it had not ended after {limit:.0f} s",), 0, 0)
        finally:
            _end(child)
        if not report.exists():
            return Outcome(stage.name, 0, (f"it ended with {child.returncode}:\n{output[-2000:]}",), 0, 0)
        facts = json.loads(report.read_text())
    return Outcome(**(facts | {"failures": tuple(facts["failures"])}))


def _end(child: subprocess.Popen[str]) -> None:
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


def write_report(outcome: Outcome, path: Path) -> None:
    """For `run_apart`: appears whole or not at all."""
    partial = path.with_suffix(".new")
    partial.write_text(json.dumps(asdict(outcome) | {"notes": dict(outcome.notes)}))
    os.replace(partial, path)
