"""Starts of the engine that failed: what the keeper, or its absence, tells, as errors with sentences."""

from __future__ import annotations

from writer.engine import faults
from writer.engine.base import EngineStatus
from writer.engine.control import Facts
from writer.engine.fault_row import Recovery
from writer.engine.faults import Fault
from writer.errors import EngineStartFailed, ModelUnusable
from writer.language import say


class StartFailed(EngineStartFailed):
    """A start that failed for a reason that may pass, or that smaller settings take away."""

    def __init__(self, fault: Fault, log: str) -> None:
        super().__init__(fault.sentence, detail=f"log: {log}")
        self.fault = fault


def refused(error: OSError) -> EngineStartFailed:
    reason = error.strerror or type(error).__name__
    sentence = say(
        "The engine cannot be started ({reason}). Run writer doctor to see what to mend, then try again.", reason=reason
    )
    return EngineStartFailed(sentence, detail=repr(error))


def start_failed(facts: Facts) -> EngineStartFailed:
    fault = fault_of(facts)
    if fault.kind == "model":
        return ModelUnusable(fault.sentence, detail=f"log: {facts['log']}")
    return StartFailed(fault, str(facts["log"]))


def fault_of(facts: Facts) -> Fault:
    """What the keeper knows of the end; an older one, or one that was told to stop, knows only its sentence."""
    try:
        values = dict(facts["fault"])
        return Fault(**(values | {"recovery": Recovery(values["recovery"])}))
    except (KeyError, TypeError, ValueError):
        return Fault("unknown", str(facts["sentence"]), "")


def keeper_gone(status: EngineStatus) -> EngineStartFailed:
    lines = status.log.read_text("utf-8", "replace").splitlines()[-200:] if status.log and status.log.exists() else []
    fault = faults.explain(lines)
    sentence = fault.sentence if fault.kind != "unknown" else faults.FROM_OUTSIDE.sentence
    return EngineStartFailed(sentence, detail=f"the keeper ended; log: {status.log}")
