"""The benches with an engine run from end to end with the scripted one, and what they are made of is right."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.__main__ import main
from benchmarks.exactness import PLACES, Cell, as_readings, read_variant
from benchmarks.gpu_run import SLICES, Step, ended, take, waited
from benchmarks.gpu_run import main as gpu_run
from benchmarks.ground import setting
from benchmarks.llama import asked as llama_asked
from benchmarks.pairs import against, rate, spread, told
from benchmarks.peers import FIGURES
from benchmarks.raw import engine_flags, vllm_sampling
from benchmarks.seen import first_beyond, letters, position, progress
from benchmarks.window import CALM, ENTER, Window
from conditions import wait_until

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
    monkeypatch.setitem(CALM, "seconds", 1.5)  # a busy machine lets an app stand still for a while


@pytest.mark.parametrize(("told", "anew"), [(("12 to", "k/s"), False), (("Paused: Ctrl+G ", "goes on"), True)])
def test_a_text_is_seen_however_its_sign_comes(told: tuple[str, str], anew: bool, tmp_path: Path) -> None:
    parts = ["import os, tty; tty.setraw(0)", *(f"os.write(1, {part!r}.encode()); os.read(0, 1)" for part in told)]
    window = Window(tmp_path, [sys.executable, "-c", "; ".join(parts)])
    window.shows(told[0].strip())
    assert (window.writes, window.paused) == (False, False)
    window.press(ENTER)
    window.until(lambda: window.writes or window.paused, "the sign", 20)
    assert window.paused == anew  # a text that was paused before tells nothing of the one that goes on
    window.kill()


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


@pytest.mark.usefixtures("scripted")
def test_benches_share_an_engine_and_leave_a_file_each(tmp_path: Path) -> None:
    main(["resume,exactness", "--quick", "--out", str(tmp_path)])
    resumed, exact = (json.loads((tmp_path / f"{name}.json").read_text()) for name in ("resume", "exactness"))
    assert "256 tokens, cold : resumed by the app" in next(iter(resumed["targets"]["R1"]["parts"]))
    assert (exact["targets"]["X1"]["value"], exact["targets"]["X1"]["met"]) == (1.0, True)
    assert {"command", "date", "versions", "machine"} <= set(exact)


@pytest.mark.usefixtures("scripted")
def test_peers_that_are_not_here_are_said_to_be(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.relaunch.WRITING", 0.3)
    monkeypatch.setenv("WRITER_SCRIPT", json.dumps({"tokens_per_second": 60}))
    parts = quick(capsys, "peers", "--tokens", "250")["C1"]["parts"]
    assert isinstance(parts, dict)
    assert len([name for name in parts if name.startswith("raw vLLM : writer")]) == len(FIGURES)
    assert "llama.cpp: not here" in parts
    assert "0 " in parts["raw vLLM : writer, tokens lost when killed"]["absolute"]


@pytest.mark.usefixtures("scripted")
def test_the_first_paint_is_held_against_a_minimal_app(capsys: pytest.CaptureFixture[str]) -> None:
    parts = quick(capsys, "startup", "--only", "U1")["U1"]["parts"]
    assert isinstance(parts, dict)
    assert all(part["value"] > 0 for part in parts.values())


def test_an_unknown_bench_is_named_with_those_that_there_are() -> None:
    with pytest.raises(SystemExit, match=r"No bench speed\. There are: editor, durability"):
        main(["stream,speed"])


def test_a_variant_has_settings_and_an_environment() -> None:
    assert read_variant("half:dtype=float16,VLLM_BATCH_INVARIANT=1") == (
        ("dtype=float16",),
        {"VLLM_BATCH_INVARIANT": "1"},
    )
    assert read_variant("as set") == ((), {})


def test_the_matrix_promises_what_is_aligned_and_alone() -> None:
    row = {place: Cell(2, 3) for place in PLACES} | {"aligned": Cell(3, 3)}
    none = {place: Cell() for place in PLACES}
    promised, greedy, xtc = as_readings("bf16", "vllm 0.26", {"greedy": row, "XTC": none})
    assert (promised.value, promised.met, promised.absolute) == (1.0, True, "3/3 cuts, vllm 0.26")
    assert "plain restart 2/3" in greedy.absolute
    assert greedy.goal is None
    assert xtc.absolute == "not offered by this engine"
    lost = as_readings("bf16", "", {"greedy": {place: Cell(2, 3) for place in PLACES}})[0]
    assert not lost.met
    plain = as_readings("gpu", "", {"greedy": {place: Cell(place == "plain", 1) for place in PLACES}}, "plain")[0]
    assert plain.met


def test_a_slice_of_the_gpu_run_names_the_shape_and_where_its_results_go() -> None:
    step = Step("stream", ("--pairs", "2"), "8b")
    words = step.command(Path("out"), ("--set", "gpus=1"))
    assert words[2:4] == ["benchmarks", "stream"]
    assert any(word.startswith("python=") for word in words)
    assert words[-4:] == ["--set", "gpus=1", "--out", "out"]
    assert Step("exactness", name="others").command(Path("out"))[-1] == "out/others"
    assert all(len(steps) <= 2 for steps in SLICES.values())


def test_a_slice_of_one_step_runs_that_one_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    monkeypatch.setattr("benchmarks.gpu_run.take", lambda step, *_: taken.append(step.name) or 0)
    assert gpu_run(["exact-more", str(tmp_path), "--only", "exactness-fp16"]) == 0
    assert taken == ["exactness-fp16"]


def test_the_baseline_on_a_gpu_has_no_doors() -> None:
    made = ["python", "-m", "server", "--model", "m", "--middleware", "writer_doors.Doors", "--enable-sleep-mode"]
    assert engine_flags([*made, "--uds", "s", "--tensor-parallel-size", "2"]) == [
        *("--model", "m", "--enable-sleep-mode", "--tensor-parallel-size", "2")
    ]


def test_a_bench_that_takes_too_long_is_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    waited(child, 0.1)
    assert ended(child) == -signal.SIGTERM


def test_a_slice_that_is_ended_tells_what_its_bench_has_said(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('so far\\n'); sys.stderr.flush(); import time; time.sleep(600)"
    slice_ = (
        f"import sys; sys.path[:0] = {sys.path!r}; from benchmarks import gpu_run;"
        f"gpu_run.Step.command = lambda *_: [sys.executable, '-c', {code!r}];"
        f"gpu_run.main(['speed', {str(tmp_path)!r}])"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", slice_], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    log = tmp_path / "stream.log"
    wait_until(lambda: log.exists() and "so far" in log.read_text(), 60, what="the bench has begun")
    running.terminate()
    assert "so far" in running.communicate(timeout=60)[0]
    assert [path.name for path in tmp_path.iterdir()] == ["stream.log"]  # the next bench was not begun


def test_what_no_time_is_left_for_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert take(Step("stream"), tmp_path, time.monotonic() + 10) == 1
    assert "left out" in capsys.readouterr().out


def test_llama_draws_words_as_writer_does() -> None:
    body = llama_asked([1, 2], Sampling(seed=4, min_p=0.1, repetition_penalty=1.2), 8)
    assert (body["prompt"], body["n_predict"], body["seed"]) == ([1, 2], 8, 4)
    assert (body["min_p"], body["repeat_penalty"], body["cache_prompt"]) == (0.1, 1.2, True)


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


def test_a_row_that_comes_again_later_is_taken_for_the_one_that_it_is() -> None:
    """A small model repeats itself: the screen that shows the first half has not shown the second one."""
    text = "The lamp was lit. What they saw, they told. The boats came home. What they saw, they told. Then night fell."
    first = ["The lamp was lit.", "What they saw,"]
    assert position(first, letters(text)) == len(letters(" ".join(first)))
    again = ["The boats came home.", "What they saw,"]
    assert position(again, letters(text)) == len(letters(text.partition(" they told. Then")[0]))
    assert position(["What they saw,"], letters(text)) == len(letters("The lamp was lit. What they saw,"))
    assert position(["What they saw,"], letters(text), 60) == len(letters(text.partition(" they told. Then")[0]))
    frames = [(1.0, b"The lamp was lit.\r\nWhat they saw,"), (2.0, b" they told.")]
    seen = [count for _, count in progress(frames, text, (40, 6), 0)]
    assert seen == [len(letters("The lamp was lit. What they saw,")), len(letters(text.partition(" The boats")[0]))]


def test_what_was_painted_is_followed_frame_by_frame() -> None:
    frames = [(1.0, b"The lamp was lit"), (2.0, b"\x1b[1;1H"), (3.0, b"The lamp was lit\r\nby the keeper\r\n\r\n")]
    text = "The lamp was lit by the keeper"
    seen = list(progress(frames, text, (40, 6), 0))
    assert seen == [(1.0, len("Thelampwaslit")), (3.0, len("Thelampwaslitbythekeeper"))]
    assert first_beyond(seen, len("Thelampwaslit"), 0.0) == 3.0
    with pytest.raises(ValueError, match="nothing new"):
        first_beyond(seen, 100, 0.0)
