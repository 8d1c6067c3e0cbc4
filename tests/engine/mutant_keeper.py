"""A keeper with a planted fault: it ends the API server only, as a plain Popen would. The tests must notice."""

from __future__ import annotations

import sys

from writer.engine import keeper, proc
from writer.engine.keeper_engine import EngineProcess


def end_nothing_else(self: EngineProcess) -> proc.Sweep:
    return proc.Sweep(0, ())


EngineProcess._end_rest = end_nothing_else  # type: ignore[method-assign]
sys.exit(keeper.main(sys.argv[1:]))
