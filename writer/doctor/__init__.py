"""What works on this machine, what does not, and what to do. Looks only; never imports vLLM or torch.

Each question is a pure function of facts that a thin reader has gathered, so that every answer can be tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from writer.config import Settings
from writer.doctor import engine, machine, model_room, network, places, terminal
from writer.doctor.finding import Finding
from writer.engine.hardware import detect

__all__ = ["Finding", "findings"]


def findings(settings: Settings, environ: Mapping[str, str], folder: Path | None = None) -> list[Finding]:
    """All findings, in the order an author needs them; of a manuscript's `folder` too, if one is given.

    Takes up to ten seconds if the GPU's driver hangs.
    """
    hardware = detect(environ, ask_driver=True)
    return [
        *machine.findings(hardware),
        *engine.findings(settings.engine, bool(hardware.gpus)),
        *model_room.findings(settings.engine, hardware),
        *network.findings(settings.engine, environ),
        *places.findings(),
        *([places.manuscript(folder)] if folder else []),
        *terminal.findings(environ),
    ]
