"""Python, SQLite, the GPU with its driver and its sleep settings, and memory."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path

from writer.doctor.finding import Finding, gigabytes
from writer.engine.hardware import Gpu, Hardware
from writer.language import many, say

NEEDED_MEMORY = 3_000_000_000  # bytes: the small model on a CPU, with its three processes
_NVIDIA_PARAMETERS = Path("/proc/driver/nvidia/params")


def findings(hardware: Hardware) -> list[Finding]:
    """Reads what is left to read and asks every question of this module."""
    found = [python(sys.version_info[:3]), sqlite(sqlite3.sqlite_version_info, _compile_options()), gpu(hardware)]
    if hardware.gpus:
        found.append(sleep(_read(_NVIDIA_PARAMETERS)))
    return [*found, memory(hardware)]


def python(version: tuple[int, ...]) -> Finding:
    """Whether this Python can carry writer and vLLM."""
    name = "Python " + ".".join(map(str, version))
    if (3, 11) <= version < (3, 15):
        return Finding("Python", "ok", say("{name} fits.", name=name))
    return Finding(
        "Python", "bad", say("{name} does not fit.", name=name), say("Install Python 3.11 and run scripts/start again.")
    )


def sqlite(version: tuple[int, ...], options: set[str]) -> Finding:
    """Whether saved means saved: the write-ahead log, checked threads."""
    name = "SQLite " + ".".join(map(str, version))
    if version < (3, 38) or "OMIT_WAL" in options:
        return Finding(
            "SQLite",
            "bad",
            say("{name} cannot keep the state safely.", name=name),
            say("Use a Python with SQLite 3.38 or newer."),
        )
    if "THREADSAFE=0" in options:
        return Finding(
            "SQLite", "bad", say("{name} was built without threads.", name=name), say("Use another build of Python.")
        )
    return Finding("SQLite", "ok", say("{name} keeps the state, with a write-ahead log.", name=name))


def gpu(hardware: Hardware) -> Finding:
    """Which device writes."""
    if hardware.gpus:
        return Finding("GPU", "ok", say("{sentence}.", sentence=say("; ").join(map(_named, hardware.gpus))))
    if hardware.trouble:
        return Finding(
            "GPU",
            "warn",
            say("There is an NVIDIA GPU, but its driver says: {trouble}.", trouble=hardware.trouble),
            say("Start the machine anew or install the driver again; until then the CPU writes."),
        )
    cores = many("{count} core", "{count} cores", hardware.cores)
    return Finding("GPU", "ok", say("No NVIDIA GPU is usable here; the CPU writes ({cores}).", cores=cores))


def _named(one: Gpu) -> str:
    memory = (
        say(
            " with {total_bytes}, {free_bytes} free",
            total_bytes=gigabytes(one.total_bytes),
            free_bytes=gigabytes(one.free_bytes),
        )
        if one.total_bytes
        else ""
    )
    return one.name + memory + (say(", driver {driver}", driver=one.driver) if one.driver else "")


def sleep(parameters: str) -> Finding:
    """Whether the GPU's memory, and with it the engine, survives the machine's sleep. `parameters`: the driver's."""
    if not parameters:
        return Finding(say("Sleep"), "ok", say("The driver does not tell its sleep settings."))
    values = dict(line.split(":", 1) for line in parameters.splitlines() if ":" in line)
    kept = ("PreserveVideoMemoryAllocations", "UseKernelSuspendNotifiers")
    if any(values.get(name, "0").strip() == "1" for name in kept):
        return Finding(
            say("Sleep"), "ok", say("The GPU keeps its memory while the machine sleeps, so the engine survives.")
        )
    return Finding(
        say("Sleep"),
        "warn",
        say("The GPU's memory is not kept while the machine sleeps: the engine has to start anew afterwards."),
        say("Set NVreg_PreserveVideoMemoryAllocations=1 for the nvidia module; your text is safe either way."),
    )


def memory(hardware: Hardware) -> Finding:
    """Whether the small model fits beside what runs now."""
    if not hardware.ram_bytes:
        return Finding(say("Memory"), "ok", say("The machine does not tell its memory."))
    sentence = say(
        "{free_ram_bytes} of {ram_bytes} are free.",
        free_ram_bytes=gigabytes(hardware.free_ram_bytes),
        ram_bytes=gigabytes(hardware.ram_bytes),
    )
    if hardware.free_ram_bytes >= NEEDED_MEMORY:
        return Finding(say("Memory"), "ok", sentence)
    step = say(
        "The engine needs about {needed_memory} with the small model: close some programs first.",
        needed_memory=gigabytes(NEEDED_MEMORY),
    )
    return Finding(say("Memory"), "warn", sentence, step)


def _compile_options() -> set[str]:
    connection = sqlite3.connect(":memory:")
    try:
        return {row[0] for row in connection.execute("PRAGMA compile_options")}
    finally:
        connection.close()


def _read(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes())
    except OSError:
        return ""
