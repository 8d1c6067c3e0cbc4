"""The benches with an engine run from end to end with the scripted one, and what they are made of is right."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.ground import setting
from benchmarks.memory import proportional
from benchmarks.pairs import against, rate, spread, told
from benchmarks.raw import engine_flags, vllm_sampling
from benchmarks.seen import first_beyond, letters, position, progress
from benchmarks.window import CALM

from writer.generation.model import Sampling

TERMINAL = {"TERM", "TEXTUAL_COLOR_SYSTEM", "TEXTUAL_ANIMATIONS"}
"""What all benches set."""


def quick(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, object]]:
    """The targets of a quick run, as its JSON tells them."""
    main([*arguments, "--quick", "--json"])
    found: dict[str, dict[str, object]] = json.loads(capsys.readouterr().out.splitlines()[-1])["targets"]
    return found


@pytest.fixture
def scripted(home: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in home.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("WRITER_ENGINE", "scripted")
    monkeypatch.setenv("WRITER_SCRIPT", json.dumps({"tokens_per_second": 200}))
    monkeypatch.setitem(CALM, "seconds", 0.5)


@pytest.mark.usefixtures("scripted")
def test_the_speed_on_the_screen_is_held_against_the_bare_engine(capsys: pytest.CaptureFixture[str]) -> None:
    before = dict(os.environ)
    told = quick(capsys, "stream")
    assert len(told["S1"]["parts"]) == 2  # type: ignore[arg-type]
    assert told["S1"]["value"] > 0  # type: ignore[operator]
    assert {name for name, value in os.environ.items() if value != before.get(name)} <= TERMINAL


@pytest.mark.usefixtures("scripted")
def test_chapters_at_once_are_held_against_one_and_against_one_by_one(capsys: pytest.CaptureFixture[str]) -> None:
    parts = quick(capsys, "batch")["B1"]["parts"]
    assert isinstance(parts, dict)
    assert [name.split(" chapters")[0] for name in parts] == ["4", "8", "16", "16"]


@pytest.mark.usefixtures("scripted")
def test_the_memory_of_an_open_book_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert quick(capsys, "memory")["M1"]["met"]


def test_a_ratio_is_the_middle_of_its_pairs_and_tells_how_far_they_spread() -> None:
    reading = against("speed", [9.0, 10.0, 12.0], [10.0, 10.0, 10.0], 0.97, "tokens/s")
    assert (reading.value, reading.met, reading.least) == (1.0, True, True)
    assert "0.90 to 1.20" in reading.absolute
    assert "10.0 tokens/s (9.0 to 12.0)" in reading.absolute
    assert spread([3.0, 1.0, 2.0]) == "1.00 to 3.00"
    assert told([1.0, 2.0, 4.0], "s", ".2f") == "2.00 s (1.00 to 4.00)"


def test_a_pair_without_its_baseline_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        against("speed", [1.0, 2.0], [1.0], None, "tokens/s")


def test_a_rate_counts_what_came_behind_the_first_moment() -> None:
    assert rate([(10.0, 4), (11.0, 14), (12.0, 24)]) == 10.0
    with pytest.raises(ValueError, match="two moments"):
        rate([(10.0, 4)])


def test_settings_of_the_command_line_are_read_as_toml_or_as_text() -> None:
    assert setting("gpu_memory=0.4") == ("gpu_memory", 0.4)
    assert setting("model=/models/a=b") == ("model", "/models/a=b")
    assert setting("fast=true") == ("fast", True)
    with pytest.raises(SystemExit, match="KEY=VALUE"):
        setting("gpu_memory")


def test_the_baseline_has_the_engines_flags_and_none_of_the_servers() -> None:
    argv = "python -m server --model m --served-model-name m --dtype float32 --uds /s --disable-uvicorn-access-log"
    more = "--enforce-eager --logits-processors a:B c:D --enable-prompt-tokens-details --block-size 32"
    flags = engine_flags([*argv.split(), *more.split()])
    assert flags == "--model m --dtype float32 --enforce-eager --logits-processors a:B c:D --block-size 32".split()  # noqa: SIM905


def test_the_baseline_draws_words_as_the_app_does() -> None:
    given = vllm_sampling(Sampling(seed=4, min_tokens=50, ignore_eos=True), 40)
    assert (given["seed"], given["min_tokens"], given["ignore_eos"]) == (4, 40, True)
    assert "max_tokens" not in given


def test_the_end_of_a_text_is_found_on_a_screen() -> None:
    text = letters("The lamp was lit. The boats came home one after the other.")
    rows = ["The lamp was lit. The boats", "came home one after     ▎", "", "saved"]
    assert position(rows, text) == len(letters("The lamp was lit. The boats came home one after"))
    assert position(["nothing of it is here"], text) == 0


def test_what_was_painted_is_followed_frame_by_frame() -> None:
    frames = [(1.0, b"The lamp was lit"), (2.0, b"\x1b[1;1H"), (3.0, b"The lamp was lit\r\nby the keeper\r\n\r\n")]
    text = "The lamp was lit by the keeper"
    seen = list(progress(frames, text, (40, 6), 0))
    assert seen == [(1.0, len("Thelampwaslit")), (3.0, len("Thelampwaslitbythekeeper"))]
    assert first_beyond(seen, len("Thelampwaslit"), 0.0) == 3.0
    with pytest.raises(ValueError, match="nothing new"):
        first_beyond(seen, 100, 0.0)


def test_memory_is_read_from_the_kernels_sum() -> None:
    assert proportional("5600-7ff [rollup]\nRss:  500 kB\nPss:   120 kB\nPss_Dirty: 7 kB\n") == 120 * 1024
    with pytest.raises(ValueError, match="no Pss"):
        proportional(Path("/dev/null").read_text())
