"""The bench of the prompt plan runs from end to end."""

from __future__ import annotations

import json

import pytest
from benchmarks.__main__ import main


def test_a_quick_run_measures_cost_size_and_what_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    main(["planning", "--quick", "--json"])
    told = json.loads(capsys.readouterr().out.splitlines()[-1])["targets"]
    assert list(told) == ["L1", "L2", "L3"]
    assert told["L2"]["met"]
    assert told["L3"]["met"]
