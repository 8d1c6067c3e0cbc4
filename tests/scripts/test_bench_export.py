"""The bench of export and import runs from end to end, and a small book comes back whole."""

from __future__ import annotations

import json

import pytest
from benchmarks.__main__ import main


def test_a_quick_run_measures_every_format_and_what_comes_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--quick", "--json"]) == 0
    table, told = capsys.readouterr().out.rsplit("\n{", 1)
    assert list(json.loads("{" + told)["targets"]) == ["E1", "E2"]
    for form in ("docx", "epub", "pdf", "html", "md", "txt"):
        assert f"export to {form} " in table
