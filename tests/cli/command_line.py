"""Runs the command line in this process and gives back what it printed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from writer.cli.main import run_command_line


@dataclass(frozen=True)
class Ran:
    """Exit code and output of one command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def sentence(self) -> str:
        """The one line on stderr of a failed command (the engine's progress aside)."""
        assert self.code == 1, self
        lines = [line for line in self.err.strip().splitlines() if not line.startswith("Engine: ")]
        assert len(lines) == 1, lines
        assert "Traceback" not in self.err
        assert lines[0].endswith((".", "?")) or "writer new " in lines[0], lines[0]
        return lines[0]


class CommandLine:
    """`cli("status", folder, "--json")`."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd

    def __call__(self, *words: object) -> Ran:
        self._capfd.readouterr()
        code = run_command_line([str(word) for word in words])
        out, err = self._capfd.readouterr()
        return Ran(code, out, err)
