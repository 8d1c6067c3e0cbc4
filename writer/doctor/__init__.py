"""What works on this machine, what does not, and what to do. Looks only; never imports vLLM or torch.

Each question is a pure function of facts that a thin reader has gathered, so that every answer can be tested.
"""

from __future__ import annotations

from collections.abc import Mapping

from writer.config import Settings
from writer.doctor import engine, exports, keyring, machine, model_room, network, places, terminal, trial
from writer.doctor.finding import Finding
from writer.engine.hardware import detect
from writer.manuscript.model import Manuscript

__all__ = ["Finding", "findings", "first_findings"]


def findings(
    settings: Settings, environ: Mapping[str, str], manuscript: Manuscript | None = None, *, on_trial: bool = False
) -> list[Finding]:
    """All findings, in the order an author needs them; of a manuscript too, if one is given.

    Takes a second, and up to ten more if the GPU's driver hangs. With `on_trial` vLLM is loaded in a process of its
    own, which takes five seconds more.
    """
    hardware = detect(environ, ask_driver=True)
    has_gpu = bool(hardware.gpus)
    return [
        *machine.findings(hardware),
        *engine.findings(settings.engine, has_gpu),
        *(trial.findings(settings.engine, has_gpu) if on_trial else []),
        *model_room.findings(settings.engine, hardware),
        *network.findings(settings.engine, environ),
        *keyring.findings(settings.engine, environ),
        *places.findings(),
        *(places.own(manuscript.folder) if manuscript else []),
        *exports.findings(manuscript.language if manuscript else ""),
        *terminal.findings(environ),
    ]


def first_findings(settings: Settings, environ: Mapping[str, str]) -> list[Finding]:
    """What someone new needs to know: machine, engine and disks. Takes up to ten seconds if the driver hangs."""
    hardware = detect(environ, ask_driver=True)
    disk = places.disk()
    return [
        machine.gpu(hardware),
        machine.memory(hardware),
        *engine.findings(settings.engine, bool(hardware.gpus)),
        disk,  # a full one is told once, not for each folder on it
        *(each for each in places.findings() if each.state != "ok" and each.next_step != disk.next_step),
    ]
