"""The harness itself: a stage that fails, hangs or skips is told as that, and the table keeps its rows."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fault_stages
import fault_table
import pytest
from fault_stages import Stage
from outcome import Outcome


def stage(run: Any, name: str = "planted", root: bool = False) -> Stage:
    return Stage(SimpleNamespace(NAME=name, FULL=95, ROOT=root, run=run))  # type: ignore[arg-type]


def row(name: str, failures: tuple[str, ...] = (), skipped: str = "") -> fault_table.Row:
    outcome = Outcome(name, 7, failures, 2, 2, skipped=skipped, notes={"worst": "3 ms"})
    return fault_table.Row(outcome, 7, 1, 1.0, "2026-11-29")


@pytest.fixture(autouse=True)
def _places(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in home.items():  # a stage run in this process moves them
        if name.startswith("XDG_"):
            monkeypatch.setenv(name, value)


def test_an_exception_of_a_stage_is_its_failure() -> None:
    outcome = fault_stages.run_here(stage(lambda count, seed, scratch: 1 / 0), 1, 1)
    assert not outcome.passed
    assert "ZeroDivisionError" in outcome.failures[0]


def test_a_stage_gets_an_empty_folder_and_a_home_that_goes_with_it() -> None:
    seen: list[Path] = []

    def run(count: int, seed: int, scratch: Path) -> Outcome:
        assert list(scratch.iterdir()) == []
        seen.append(scratch)
        return Outcome("planted", count, (), 1, 1)

    assert fault_stages.run_here(stage(run), 3, 1).passed
    assert not seen[0].exists()


def test_a_stage_for_root_says_that_it_was_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    outcome = fault_stages.run_here(stage(None, root=True), 1, 1)
    assert (outcome.skipped, outcome.passed) == ("it needs root", False)


def test_the_suite_takes_a_tenth_or_what_the_stage_says() -> None:
    assert stage(None).short == 10
    assert Stage(SimpleNamespace(NAME="a", FULL=95, CI=30, ROOT=False)).short == 30  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("raise SystemExit(3)", "ended with 3"),
        ("import time\nwhile True: time.sleep(1)", "had not ended"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "ended with -9"),
    ],
)
def test_a_stage_that_dies_or_hangs_has_failed(
    code: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "__main__.py").write_text(code)
    monkeypatch.setattr(fault_stages, "HERE", tmp_path)
    outcome = fault_stages.run_apart(stage(None), 1, 1, 1.0)
    assert not outcome.passed
    assert told in outcome.failures[0]


def test_the_last_line_of_one_stage_is_its_counts(tmp_path: Path) -> None:
    here = Path(fault_stages.__file__).parent
    source = """
        from outcome import Outcome
        NAME, FULL, ROOT = "planted", 10, False
        def run(count, seed, scratch):
            return Outcome(NAME, count, ("one was lost",), 2, 1)
    """
    for name in ("__main__", "fault_stages", "fault_table", "outcome"):
        (tmp_path / f"{name}.py").write_text((here / f"{name}.py").read_text())
    (tmp_path / "stage_planted.py").write_text(textwrap.dedent(source))
    command = [sys.executable, str(tmp_path), "--stage", "planted", "--count", "4", "--seed", "9", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    counts = {"stage": "planted", "trials": 4, "failures": 1, "mutants": 2, "mutants_caught": 1}
    assert json.loads(done.stdout.splitlines()[-1]) == counts
    whole = subprocess.run([sys.executable, str(tmp_path)], capture_output=True, text=True, check=False)
    assert whole.returncode == 1
    assert "again: scripts/faults --stage planted --count 10 --seed 1" in whole.stdout
    unknown = subprocess.run([*command[:3], "nothing"], capture_output=True, text=True, check=False)
    assert (unknown.returncode, unknown.stderr) == (2, 'There is no stage "nothing". There are: planted.\n')


def test_a_missed_mutant_and_a_skip_are_no_pass() -> None:
    assert fault_table.verdict(Outcome("a", 5, (), 2, 1)) == "FAILED, a mutant was missed"
    assert fault_table.verdict(Outcome("a", 0, (), 0, 0)) == "FAILED"
    assert fault_table.verdict(row("a", skipped="it needs root").outcome) == "SKIPPED, it needs root"
    assert fault_table.verdict(row("a").outcome) == "ok"


def test_the_page_keeps_the_rows_of_other_stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"above\n{fault_table.BEGIN}\n{fault_table.END}\nbelow\n")
    fault_table.write([row("power"), row("another")], page)
    fault_table.write([row("power", ("lost",)), row("kill")], page)
    lines = page.read_text().splitlines()
    assert [line.split("`")[1] for line in lines if line.startswith("| `")] == ["kill", "power", "another"]
    assert "| `kill` | 7 | 0 | 2 of 2 | 1 | 1 | 2026-11-29 | A | worst: 3 ms |" in lines
    assert "| `power` | 7 | 1 | 2 of 2 | 1 | 1 | 2026-11-29 | A | worst: 3 ms |" in lines
    assert (lines[0], lines[-1]) == ("above", "below")
    here = f"- **A**: {fault_table.machine()}."
    assert here in lines
    monkeypatch.setattr(fault_table, "machine", lambda: "another one")
    fault_table.write([row("power")], page)
    lines = page.read_text().splitlines()
    assert {here, "- **B**: another one."} < set(lines)
    assert "| `kill` | 7 | 0 | 2 of 2 | 1 | 1 | 2026-11-29 | A | worst: 3 ms |" in lines
    assert "| `power` | 7 | 0 | 2 of 2 | 1 | 1 | 2026-11-29 | B | worst: 3 ms |" in lines
