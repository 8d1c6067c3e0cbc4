"""Launches for tests of the command line: a machine, a build and a model that exist nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from writer.config import EngineSettings
from writer.engine.build import Build
from writer.engine.fitting import Fit
from writer.engine.hardware import Gpu, Hardware
from writer.engine.launch import Launch, Places, plan
from writer.generation.model import Fingerprint

CPU = Hardware((), 8, 2**34, 2**33)
GPU = Hardware((Gpu("NVIDIA H200"),), 8, 2**34, 2**33)
CPU_BUILD = Build("/venv/bin/python", "0.32.0", cpu_only=True)
GPU_BUILD = Build("/venv/bin/python", "0.26.0", cpu_only=False)
PLACES = Places(Path("/run/user/1000/writer"), Path("/home/a/.cache/writer"))


def launch(
    settings: EngineSettings = EngineSettings(),  # noqa: B008  (frozen)
    machine: Hardware = CPU,
    found: Build = CPU_BUILD,
    *,
    folder: str = "/models/SmolLM2-135M-Instruct",
    window: int = 8192,
    model: str = "abc",
    own_code: str = "",
    environ: Mapping[str, str] | None = None,
    places: Places = PLACES,
    fit: Fit | None = None,
) -> Launch:
    return plan(
        settings,
        machine,
        found,
        Path(folder),
        model_window=window,
        model=Fingerprint(model=model),
        own_code=own_code,
        places=places,
        environ=environ or {},
        fit=fit,
    )


def flags(made: Launch) -> dict[str, str]:
    """Each flag with its value, or its values; "" for one without."""
    found: dict[str, str] = {}
    for word in made.argv[3:]:
        if word.startswith("--"):
            found[name := word] = ""
        else:
            found[name] = f"{found[name]} {word}".strip()
    return found
