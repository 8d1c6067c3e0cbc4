"""A command line with the scripted engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("WRITER_ENGINE", "scripted")
    return CommandLine(capfd)


@pytest.fixture
def novel(cli: CommandLine, tmp_path: Path) -> Path:
    folder = tmp_path / "novel"
    assert cli("new", folder, "--title", "Salt").code == 0
    return folder
