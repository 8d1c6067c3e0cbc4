"""Fixtures of the engine room."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from keeping import USUAL, Source, attach_nothing, environ, prepare_fake
from plugin_modules import writer_sampler

from writer.config import EngineSettings
from writer.engine.lease import KeptEngine
from writer.engine.running import stop_all

__all__ = ["source", "writer_sampler"]


@pytest.fixture
async def source(home: dict[str, str]) -> AsyncIterator[Source]:
    """Makes sources of the fake engine; whatever they started has ended afterwards."""

    def make(keep_warm: float = 30.0, model: str = "", dtype: str = "auto", **fake: str) -> KeptEngine:
        settings = EngineSettings(keep_warm=keep_warm, model=model, dtype=dtype, window=USUAL[0], gpu_memory=USUAL[1])
        return KeptEngine(settings, environ=environ(**fake), prepare=prepare_fake, attach=attach_nothing)

    yield make
    await stop_all()
