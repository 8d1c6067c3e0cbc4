"""`writer engine sleep` and `wake` without an engine: plain words, and JSON for scripts."""

from __future__ import annotations

import pytest
from command_line import CommandLine


@pytest.mark.parametrize(("command", "key"), [("sleep", "asleep"), ("wake", "awake")])
def test_without_an_engine_nothing_is_held(cli: CommandLine, command: str, key: str) -> None:
    ran = cli("engine", command)
    assert (ran.code, ran.out) == (0, "No engine is ready, so none holds the GPU for writer.\n")
    assert cli("engine", command, "--json").json == {key: 0, "seconds": 0}
