"""Python, SQLite, the GPU with its driver, and memory."""

from __future__ import annotations

import sqlite3
import sys

from writer import installation
from writer.doctor import sleep
from writer.doctor.finding import Finding, gigabytes
from writer.engine.hardware import Gpu, Hardware
from writer.language import many, say, together

NEEDED_MEMORY = 3_000_000_000  # bytes: the small model on a CPU, with its three processes


def findings(hardware: Hardware) -> list[Finding]:
    """Reads what is left to read and asks every question of this module."""
    found = [python(sys.version_info[:3]), sqlite(sqlite3.sqlite_version_info, _compile_options()), gpu(hardware)]
    if hardware.gpus:
        found += sleep.findings(sleep.read(), sum(one.total_bytes for one in hardware.gpus))
    return [*found, memory(hardware)]


def python(version: tuple[int, ...]) -> Finding:
    """Whether this Python can carry writer and vLLM."""
    name = "Python " + ".".join(map(str, version))
    if (3, 11) <= version < (3, 15):
        return Finding("Python", "ok", say("{name} fits.", name=name))
    step = together(say("Install Python 3.11."), installation.anew())
    return Finding("Python", "bad", say("{name} does not fit.", name=name), step)


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
