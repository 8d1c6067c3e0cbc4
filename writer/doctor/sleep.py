"""The machine's sleep and the GPU: does its memory, and with it the engine, survive? Read from files, asks nobody.

By default the driver keeps only a part of the GPU's memory. It keeps all of it, in a file, if a parameter of its module
says so and its services for systemd are on; newer open modules need no services.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from writer.doctor.finding import Finding, gigabytes
from writer.language import say, together

MODULE_FILE = "/etc/modprobe.d/nvidia-sleep.conf"
_PRESERVE, _NOTIFIERS, _FOLDER = "PreserveVideoMemoryAllocations", "UseKernelSuspendNotifiers", "TemporaryFilePath"
_OPTIONS = f"options nvidia NVreg_{_PRESERVE}=1 NVreg_{_FOLDER}=/var/tmp"
_SERVICES = ("nvidia-suspend", "nvidia-resume")
_UNITS = ("etc/systemd/system", "usr/lib/systemd/system", "lib/systemd/system")
_SLEEPS = ("mem", "disk", "freeze")


@dataclass(frozen=True, slots=True)
class SleepFacts:
    """`parameters`: the driver's, as /proc has them; "" if it tells none. `free`: bytes in `folder`, None if unknown.

    `services`: those of the driver that systemd starts; None where there is no systemd.
    """

    parameters: str
    sleeps: bool = True
    services: frozenset[str] | None = None
    folder: str = "/tmp"
    free: int | None = None


def read(root: Path = Path("/")) -> SleepFacts:
    """What the machine tells. `root`: where its files are looked for."""
    parameters = _read(root / "proc/driver/nvidia/params")
    folder = _values(parameters).get(_FOLDER, "").strip('" ') or "/tmp"
    return SleepFacts(
        parameters,
        _sleeps(root / "sys/power/state"),
        _services(root) if (root / "run/systemd/system").is_dir() else None,
        folder,
        _free(root / folder.lstrip("/")),
    )


def findings(facts: SleepFacts, gpu_bytes: int) -> list[Finding]:
    """Whether the GPU's memory, `gpu_bytes` at most, comes through a sleep; and what to set if it does not."""
    if not facts.parameters:
        return [Finding(say("Sleep"), "ok", say("The driver does not tell its sleep settings."))]
    if not facts.sleeps:
        return [Finding(say("Sleep"), "ok", say("This machine does not sleep."))]
    values = _values(facts.parameters)
    if values.get(_NOTIFIERS) == "1":
        return [_kept(), *room(facts, gpu_bytes)]
    if values.get(_PRESERVE) != "1":
        return [_lost(facts)]
    if missing := [name for name in _SERVICES if facts.services is not None and name not in facts.services]:
        sentence = say(
            "The driver is told to keep the GPU's memory in a sleep, but {missing} will not run.",
            missing=say(" and ").join(missing),
        )
        step = say("Switch them on: sudo systemctl enable nvidia-suspend nvidia-resume nvidia-hibernate")
        return [Finding(say("Sleep"), "warn", sentence, step), *room(facts, gpu_bytes)]
    return [_kept(), *room(facts, gpu_bytes)]


def room(facts: SleepFacts, gpu_bytes: int) -> list[Finding]:
    """Whether the GPU's memory fits into the folder where a sleep puts it. Nothing if nobody can tell."""
    if facts.free is None or not gpu_bytes or facts.free >= gpu_bytes:
        return []
    sentence = say(
        "A sleep puts the GPU's memory, up to {most}, into {folder}: {free} are free there.",
        most=gigabytes(gpu_bytes),
        folder=facts.folder,
        free=gigabytes(facts.free),
    )
    step = say(
        "Free some space, or name another folder as {name} in {file}.", name=f"NVreg_{_FOLDER}", file=MODULE_FILE
    )
    return [Finding(say("Room for sleep"), "warn", sentence, together(step, _safe()))]


def _kept() -> Finding:
    sentence = say("The GPU keeps its memory while the machine sleeps, so the engine survives.")
    return Finding(say("Sleep"), "ok", sentence)


def _lost(facts: SleepFacts) -> Finding:
    sentence = say("The GPU's memory is not kept while the machine sleeps: the engine has to start anew afterwards.")
    if facts.services is None:
        step = say('Write "{line}" into {file}, then start the machine anew.', line=_OPTIONS, file=MODULE_FILE)
    else:
        step = say(
            'Write "{line}" into {file}, run: sudo systemctl enable nvidia-suspend nvidia-resume, '
            "then start the machine anew.",
            line=_OPTIONS,
            file=MODULE_FILE,
        )
    return Finding(say("Sleep"), "warn", sentence, together(step, _safe()))


def _safe() -> str:
    return say("Your text is safe either way.")


def _values(parameters: str) -> dict[str, str]:
    pairs = (line.split(":", 1) for line in parameters.splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, value in pairs}


def _sleeps(states: Path) -> bool:
    """Whether the kernel offers a sleep; a machine that tells nothing of it may."""
    return not states.exists() or any(state in _SLEEPS for state in _read(states).split())


def _services(root: Path) -> frozenset[str]:
    """Services that a unit wants or requires, as systemctl enable links them."""
    folders = (root / unit for unit in _UNITS)
    links = (link for folder in folders for kind in ("wants", "requires") for link in folder.glob(f"*.{kind}/nvidia-*"))
    return frozenset(link.name.removesuffix(".service") for link in links)


def _free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _read(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes())
    except OSError:
        return ""
