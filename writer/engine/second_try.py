"""What follows by itself once a start has failed: the same again, less of the GPU, or the window that fits.

None of them is done twice for one order, so a start fails for good after four tries at most. The window that fits is
remembered for exactly this launch: whoever changes a setting, the model or vLLM gets a new estimate.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from writer.config import EngineSettings
from writer.engine import hardware
from writer.engine.base import EngineStatus, Report
from writer.engine.fault_row import Recovery
from writer.engine.faults import Fault
from writer.engine.windows import LEAST, smaller
from writer.language import say

Share = Callable[[Mapping[str, str]], float]
FREED_LATE = 30.0  # seconds in which a GPU's memory comes back after its holder has ended (seen: 12 to 30)
_ROUND = 128  # tokens: windows are rounded down to whole blocks of every kind
_BREATH = 1.0  # seconds until another program has taken what it wants
_LEAST_SHARE, _MARGIN = 0.15, 0.02  # of the GPU's memory


def free_share(environ: Mapping[str, str]) -> float:
    """The part of the first GPU's memory that is free; 0 if the driver does not tell. Takes up to ten seconds."""
    gpus = hardware.detect(environ, ask_driver=True).gpus
    return gpus[0].free_bytes / gpus[0].total_bytes if gpus and gpus[0].total_bytes else 0.0


@dataclass(slots=True)
class SecondTry:
    """One order for an engine: the settings to try next, and what has been tried."""

    settings: EngineSettings
    environ: Mapping[str, str]
    share: Share = free_share
    _done: set[Recovery] = field(default_factory=set)

    async def worth(self, fault: Fault, report: Report) -> bool:
        """Whether to start once more, with `settings` as they are now. May wait for memory; `report` says so."""
        if fault.recovery in self._done:
            return False
        self._done.add(fault.recovery)
        match fault.recovery:
            case Recovery.AGAIN:
                _say(report, say("the start failed, so it is tried once more…"))
                return True
            case Recovery.FIT:
                return self._fit(fault.fits // _ROUND * _ROUND, report)
            case Recovery.LOWER:
                return await self._lower(fault.free, report)
            case _:
                return False

    def _fit(self, window: int, report: Report) -> bool:
        if window < LEAST or not smaller(window, self.settings.window):
            return False
        self.settings = replace(self.settings, window=window)
        _say(report, say("the memory is enough for {window:,} tokens, so it starts with that window…", window=window))
        return True

    async def _lower(self, free: float, report: Report) -> bool:
        asked = self.settings.gpu_memory
        if not asked:  # it took what was free, and somebody else was quicker: it is measured anew
            _say(report, say("another program took the GPU's memory meanwhile, so it is measured once more…"))
            await asyncio.sleep(_BREATH)
            return True
        if free:
            _say(report, say("waiting for the GPU's memory…"))
            free = await self._freed(asked, free)
        share = min(asked, (free - _MARGIN) if free else asked * 0.9)
        if share < _LEAST_SHARE:
            return False
        if share < asked:
            self.settings = replace(self.settings, gpu_memory=round(share, 2))
            _say(report, say("the engine starts with {share:.0%} of the GPU's memory…", share=share))
        return True

    async def _freed(self, asked: float, free: float) -> float:
        """The free share once it is enough, or once nobody gives any back."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + FREED_LATE
        while free - _MARGIN < asked and loop.time() < deadline:
            now = await asyncio.to_thread(self.share, self.environ)
            if not now:
                break
            free = now
            await asyncio.sleep(1.0)
        return free


def _say(report: Report, sentence: str) -> None:
    report(EngineStatus("starting", sentence=sentence))
