"""Fixtures of the terminal tests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from pseudo_terminal import Terminal

from writer.manuscript.project import create


@pytest.fixture
def manuscript(tmp_path: Path) -> Path:
    folder = tmp_path / "novel"
    create(folder, title="The Harbour")
    return folder


@pytest.fixture
def terminals(home: dict[str, str]) -> Iterator[list[Terminal]]:
    running: list[Terminal] = []
    yield running
    for terminal in running:
        # A test may have closed it; and on a busy machine it dies of the signal later than pexpect looks.
        with contextlib.suppress(OSError, pexpect.ExceptionPexpect):
            terminal.child.close(force=True)
