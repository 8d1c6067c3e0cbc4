"""The bench of freeing the GPU runs from end to end with the scripted engine, and says where there is none to free."""

from __future__ import annotations

import json

import pytest
from benchmarks.__main__ import main


def test_a_quick_run_measures_both_ways_and_the_first_token(
    home: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WRITER_ENGINE", "scripted")
    monkeypatch.setenv("WRITER_SCRIPT", '{"can_sleep": true}')
    assert main(["freeing", "--quick", "--json"]) == 0
    table, told = capsys.readouterr().out.rsplit("\n{", 1)
    assert list(json.loads("{" + told)["targets"]) == ["F1"]
    for what in ("pause and free the GPU", "take the GPU again", "first token at"):
        assert what in table


def test_without_a_gpu_it_says_so(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WRITER_ENGINE", "scripted")
    with pytest.raises(SystemExit, match="no GPU to free"):
        main(["freeing", "--quick"])
