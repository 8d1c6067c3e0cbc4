"""A pytest plugin for the modules that name it: a server that speaks like vLLM, and a client attached to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from loopback_server import Loopback, serving

from writer.engine.client import VllmEngine


@pytest.fixture
async def loopback(home: dict[str, str]) -> AsyncIterator[Loopback]:
    """A server that speaks like vLLM."""
    async with serving(Path(home["XDG_RUNTIME_DIR"])) as running:
        yield running


@pytest.fixture
async def loopback_engine(loopback: Loopback) -> AsyncIterator[VllmEngine]:
    """A client attached to it."""
    attached = await VllmEngine.attach(socket=loopback.socket, served_name="m")
    yield attached
    await attached.aclose()
