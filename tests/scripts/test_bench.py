"""The bench: what it counts as met, what it tells, and that it runs from end to end."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks import texts
from benchmarks.__main__ import main
from benchmarks.editor import TARGETS
from benchmarks.meter import share, slices
from benchmarks.targets import QUICK, Plan, Reading, Target, as_json, at_once, run, table

ROOT = Path(__file__).resolve().parents[2]
MISSED, MET = Reading("cost", 2.0, 1.5), Reading("cost", 1.2, 1.5)


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the script as a user does."""
    command = [str(ROOT / "scripts" / "bench"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=400, check=False, env=os.environ.copy())


def test_a_bench_runs_from_end_to_end_and_ends_in_one_line_of_json() -> None:
    done = bench("editor", "--quick", "--only", "P4,P16", "--json")
    assert done.returncode in (0, 1), done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:5] == ["id", "what", "value", "goal", "met"]
    told = json.loads(lines[-1])["targets"]
    assert list(told) == ["P4", "P16"]
    assert {"value", "goal", "met"} <= set(told["P4"])
    assert done.returncode == (0 if all(each["met"] for each in told.values()) else 1)


def test_an_unknown_target_is_named_with_those_that_there_are() -> None:
    with pytest.raises(SystemExit, match=r"No target P99\. There are: P1, P2"):
        main(["editor", "--only", "P99"])


def test_the_bench_of_the_editor_has_all_sixteen_targets() -> None:
    assert list(TARGETS) == [f"P{number}" for number in range(1, 17)]


def test_a_goal_is_the_most_that_a_value_may_be() -> None:
    assert Reading("cost", 1.5, 1.5).met
    assert not Reading("cost", 1.51, 1.5).met
    assert not Reading("cost", float("nan"), 1.5).met
    assert Reading("information", 99.0).met


def test_a_goal_may_be_the_least_that_a_value_may_be() -> None:
    assert Reading("speed", 0.97, 0.97, least=True).met
    assert not Reading("speed", 0.96, 0.97, least=True).met
    near, far = Reading("near", 1.0, 0.97, least=True), Reading("far", 3.0, 0.97, least=True)
    assert Target("S1", (far, near)).worst is near
    assert ">= 0.97x" in table([Target("S1", (near,))])


def test_a_target_without_a_goal_is_information() -> None:
    (told,) = json.loads(as_json([Target("E1", (Reading("memory", 7.0, unit="MB"),))]))["targets"].values()
    assert (told["value"], told["goal"], told["met"]) == (7.0, None, True)


def counted(*answers: Sequence[Reading]) -> tuple[list[Target], int]:
    """What comes of a target that answers so, and how often it was asked."""
    left = iter(answers)
    asked = 0

    def measure(plan: Plan) -> Sequence[Reading]:
        nonlocal asked
        asked += 1
        return next(left)

    return run({"P1": measure}, Plan()), asked


def test_what_missed_its_goal_is_measured_once_more() -> None:
    assert counted([MET]) == ([Target("P1", (MET,))], 1)
    assert counted([MISSED], [MET]) == ([Target("P1", (MET,))], 2)
    assert counted([MISSED], [MISSED]) == ([Target("P1", (MISSED,))], 2)


def test_the_second_reading_takes_nothing_back_that_was_met() -> None:
    assert counted([MISSED, MET], [MET, MISSED]) == ([Target("P1", (MET, MET))], 2)


def test_a_quick_run_measures_nothing_twice() -> None:
    answers = iter([[MISSED]])
    (target,) = run({"P1": lambda plan: next(answers)}, QUICK)
    assert not target.met


def test_the_json_of_a_target_tells_its_worst_reading() -> None:
    near, far = Reading("near", 3.0, 3.1), Reading("far", 1.0, 2.0)
    information = Reading("information", 50.0, None, "ms")
    told = json.loads(as_json([Target("P1", (far, near, information)), Target("P2", (far, MISSED))]))["targets"]
    assert (told["P1"]["value"], told["P1"]["goal"], told["P1"]["met"]) == (3.0, 3.1, True)
    part = told["P1"]["parts"]["information"]
    assert (part["value"], part["goal"], part["met"], part["unit"]) == (50.0, None, True, "ms")
    assert (told["P2"]["value"], told["P2"]["goal"], told["P2"]["met"]) == (2.0, 1.5, False)


def test_a_goal_of_nothing_is_missed_by_anything() -> None:
    (told,) = json.loads(as_json([Target("P4", (MET, Reading("bytes", 7, 0, "bytes")))]))["targets"].values()
    assert (told["value"], told["goal"], told["met"]) == (7, 0, False)


def test_what_a_machine_is_slower_is_taken_off_a_goal_in_milliseconds() -> None:
    reading = at_once("pause", 30.0, 16, 2.0)
    assert (reading.value, reading.met) == (15.0, True)
    assert "30.0 ms" in reading.absolute
    assert not at_once("pause", 30.0, 16, 1.0).met


def test_the_table_has_a_row_for_each_reading_in_columns() -> None:
    lines = table([Target("P1", (MISSED, Reading("pause", 12.3, None, "ms", "of ten")))]).splitlines()
    assert lines[1].split() == ["P1", "cost", "2.00x", "<=", "1.50x", "NO"]
    assert lines[2].split() == ["P1", "pause", "12.3", "ms", "of", "ten"]
    assert lines[0].index("absolute values") == lines[2].index("of ten")


@pytest.mark.parametrize("make", [*texts.KINDS.values(), texts.line, texts.cjk_line])
def test_documents_have_the_size_asked_for_and_are_always_the_same(make: texts.Maker) -> None:
    assert len(make(5000)) == 5000
    assert make(5000) == make(5000)


def test_documents_have_the_lines_of_their_kind() -> None:
    assert max(map(len, texts.short(100_000).split("\n"))) < 95
    assert 90 < texts.novel(100_000).count("\n") + 1 < 300
    assert texts.cjk(20_000).isascii() is False
    assert "\n" not in texts.line(5000) + texts.cjk_line(5000)


def test_a_stream_comes_in_batches_of_the_same_cells() -> None:
    english = list(itertools.islice(texts.batches("novel", 20), 80))
    assert {len(batch.removesuffix("\n\n")) for batch in english} == {20}
    assert sum(batch.endswith("\n\n") for batch in english) == 2
    assert {len(batch) for batch in itertools.islice(texts.batches("cjk line", 20), 80)} == {10}


def test_the_longest_slice_of_a_loop_is_found() -> None:
    def busy() -> None:
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass

    async def work() -> float:
        with slices() as longest:
            asyncio.get_running_loop().call_soon(busy)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        return longest.milliseconds

    assert asyncio.run(work()) >= 20


def test_a_share_of_values_is_below_its_bound() -> None:
    assert share([5.0, 1.0, 3.0, 2.0, 4.0], 0.5) == 3.0
    assert share([1.0], 0.95) == 1.0
