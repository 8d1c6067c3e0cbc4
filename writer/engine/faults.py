"""Why the engine would not start, or stopped: its log lines in one sentence that ends in the next step.

Pure. The lines are those of this start alone, and of those only what vLLM means seriously: its warnings explain no
death. Nobody logs a SIGKILL, so there no line is believed at all; the kernel is asked who did it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from writer.engine.fault_lines import LAST_ROWS, MACHINE, ROWS
from writer.engine.fault_row import Recovery
from writer.language import say, together
from writer.text.sanitise import one_line


@dataclass(frozen=True, slots=True)
class Fault:
    """`kind` is "model" if another model or a repaired one would help, else "machine", "setup" or "unknown".

    `fits` is the window that would fit (tokens), `free` the free share of the GPU's memory; 0 if not known.
    """

    kind: str
    what: str
    step: str
    recovery: Recovery = Recovery.NONE
    fits: int = 0
    free: float = 0.0

    @property
    def sentence(self) -> str:
        """What happened, and the next step."""
        return together(self.what, self.step)


_CATALOGUE = tuple((re.compile(row.pattern), row) for row in (*ROWS, *LAST_ROWS))
_STARVED = Fault(
    MACHINE,
    say("The machine ran out of memory, so the engine was killed."),
    say("Close other programs, or choose a smaller model, then start again."),
)
FROM_OUTSIDE = Fault(MACHINE, say("The engine was ended from outside."), say("Start it again."))
_CRASHED = Fault(
    MACHINE,
    say("The engine crashed."),
    say("Start again; if it comes back, look into its log."),
    recovery=Recovery.AGAIN,
)
HUNG = Fault(
    MACHINE,
    say("The engine has said nothing for a long time while starting, so it was ended."),
    say("Start again, or look into its log."),
    recovery=Recovery.AGAIN,
)
_SIGNALS = {
    9: FROM_OUTSIDE,
    15: FROM_OUTSIDE,
    7: Fault(
        MACHINE, say("The engine ran out of shared memory (/dev/shm)."), say("Free some space there, then start again.")
    ),
    4: Fault(
        MACHINE, say("This processor lacks instructions that vLLM needs."), say("Run the engine on another machine.")
    ),
    11: _CRASHED,
    6: _CRASHED,
}
_KILLED_PART = re.compile(
    r"died unexpectedly \(exit code: -9\)|died with exit code -9|'exitcode': -9|proc\(s\): \{'[^}]*': -9"
)
_LOST_PART = re.compile(r"Engine core proc(?:ess)? \S+ died unexpectedly|Worker proc \S+ died unexpectedly")
_ERROR = re.compile(r"\b(\w+(?:Error|Exception|Failure)|[Ff]atal\b|error): ?\S")
_WRAPPER = re.compile(
    r"Engine core initialization failed|See root cause above|resource_tracker|WorkerProc failed|died unexpectedly"
    r"|EngineDeadError|WorkerProc initialization failed"
)
_FATAL = re.compile(r"EngineCore failed to start|Engine core initialization failed|^Process EngineCore")
_PREFIX = re.compile(r"^(?:\([\w ]+ pid=\d+\) )?(?:(?:ERROR|WARNING|INFO|CRITICAL) \d\S* \S+ )?(?:\[[\w./]+:\d+\] )?")
_HARMLESS = re.compile(r"^(?:\([\w ]+ pid=\d+\) )?(?:WARNING|INFO|DEBUG) \d")


def explain(lines: Sequence[str], status: int | None = None, *, starved: bool = False) -> Fault:
    """The reason, from the log of this start (or, once it was ready, from the lines since then).

    `status` is the exit status of the process, negative for a signal. `starved`: the kernel has killed for want of
    memory meanwhile.
    """
    if status == -9:
        return _STARVED if starved else FROM_OUTSIDE
    serious = [line for line in lines if not _HARMLESS.match(line)]
    said = "\n".join(serious)
    for pattern, row in _CATALOGUE:
        if found := pattern.search(said):
            return _fault(row.kind, row.what, row.step, row.recovery, found)
    if _KILLED_PART.search(said) or (_LOST_PART.search(said) and not _telling(serious)):
        return _STARVED if starved else FROM_OUTSIDE
    if status is not None and -status in _SIGNALS:
        return _SIGNALS[-status]
    return _unknown(lines, serious)


def is_fatal(line: str) -> bool:
    """Whether the start cannot succeed any more. The API server may hang for good after such a line (seen in 0.32)."""
    return _FATAL.search(line) is not None


def _fault(kind: str, what: str, step: str, recovery: Recovery, found: re.Match[str]) -> Fault:
    groups = {name: one_line(value or "") for name, value in found.groupdict().items()}
    fits = int(groups.get("fits") or 0) if len(groups.get("fits", "")) < 10 else 0
    if recovery is Recovery.FIT and not fits:
        recovery = Recovery.NONE
    return Fault(kind, what.format(**groups), step.format(**groups), recovery, fits, _share(groups))


def _share(groups: dict[str, str]) -> float:
    try:
        return min(1.0, float(groups["free"]) / float(groups["total"]))
    except (KeyError, ValueError, ZeroDivisionError):
        return 0.0


def _telling(lines: Sequence[str]) -> list[str]:
    bare = [said for line in lines if (said := bare_line(line))]
    return [said for said in bare if _ERROR.search(said) and not _WRAPPER.search(said)]


def _unknown(lines: Sequence[str], serious: Sequence[str]) -> Fault:
    spoken = _telling(serious) or [said for line in lines if (said := bare_line(line))]
    if not spoken:
        step = say("Start again; its log says more if it comes back.")
        return Fault("unknown", say("The engine ended without a word."), step, Recovery.AGAIN)
    what = say("The engine could not go on; the last it said was: {spoken}.", spoken=spoken[-1][:200])
    return Fault("unknown", what, say("Start again, or look into its log."), Recovery.AGAIN)


def bare_line(line: str) -> str:
    """A log line without vLLM's prefix and without control codes."""
    return one_line(_PREFIX.sub("", line.strip(), count=1)).strip().rstrip(".")
