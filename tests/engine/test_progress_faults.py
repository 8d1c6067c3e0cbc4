"""vLLM's log lines in plain words: every recorded start and failure, and lines from vLLM's source for GPUs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from writer.engine import faults, progress

RECORDED = Path(__file__).parent / "recorded"


def lines(name: str) -> list[str]:
    return (RECORDED / f"{name}.log").read_text().replace("\r", "\n").splitlines()


def test_a_recorded_start_reads_like_a_sentence_at_a_time() -> None:
    said = [word for line in lines("start_cpu_032") if (word := progress.words(line))]
    stages = list(dict.fromkeys(said))
    assert stages == [
        "preparing the engine…",
        "loading the model…",
        "loading the model, 0 %…",
        "loading the model, 100 %…",
        "warming up…",
        "almost ready…",
    ]
    assert progress.latest(lines("start_cpu_032"), "before") == "almost ready…"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("INFO [gpu_model_runner.py:4879] Starting to load model /models/8b...", "loading the model…"),
        ("Loading safetensors checkpoint shards:  50% Completed | 2/4 [00:02<00:02]", "loading the model, 50 %…"),
        ("INFO [backends.py:1045] Dynamo bytecode transform time: 5.20 s", "compiling…"),
        ("INFO [backends.py:350] Compiling a graph for compile range (1, 8192) takes 11.9 s", "compiling…"),
        ("INFO [monitor.py:48] torch.compile took 18.15 s in total", "compiling…"),
        ("Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  60%|######    | 31/51", "warming up…"),
        ("INFO [kv_cache_utils.py:1307] GPU KV cache size: 612,336 tokens", "warming up…"),
        ("INFO [api_server.py:500] Starting vLLM API server 0 on unix:/run/user/1000/writer/s", "almost ready…"),
        ("INFO [loggers.py:257] Engine 000: Avg prompt throughput: 0.0 tokens/s", None),
        ("", None),
    ],
)
def test_lines_of_a_gpu_start(line: str, words: str | None) -> None:
    assert progress.words(line) == words


def test_ready() -> None:
    assert progress.ready(37.6) == "ready in 38 s"
    assert progress.latest([], "before") == "before"


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("fail_flag", "setup", "--no-such-flag"),
        ("fail_arch", "model", "FancyForCausalLM"),
        ("fail_kv", "setup", "416 tokens"),
        ("fail_trunc", "model", "damaged or cut off"),
        ("fail_noweights", "model", r"no \*\.safetensors"),
        ("fail_window", "setup", "8192 tokens"),
        ("fail_busy", "setup", "writer engine stop"),
    ],
)
def test_recorded_failures(name: str, kind: str, words: str) -> None:
    fault = faults.explain(lines(name), 1)
    assert fault.kind == kind
    assert re.search(words, fault.sentence)


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        ("RuntimeError: Failed to infer device type, please set the environment variable", "machine", "writer doctor"),
        ("RuntimeError: No CUDA GPUs are available", "machine", "writer doctor"),
        ("Failed to initialize NVML: Driver/library version mismatch", "machine", "Restart the machine"),
        ("RuntimeError: The NVIDIA driver on your system is too old (found version 11040)", "machine", "Update"),
        ("NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus", "machine", "Restart the machine"),
        (
            "ValueError: Free memory on device cuda:0 (3.2/23.6 GiB) on startup is less than desired GPU memory "
            "utilization (0.85, 20.06 GiB). Decrease GPU memory utilization or reduce GPU memory used by other "
            "processes.",
            "machine",
            r"3\.2 of 23\.6 GiB",
        ),
        ("ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_uti", "setup", "smaller"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "setup", "not enough"),
        ("RuntimeError: CUDA error: an illegal memory access was encountered", "machine", "illegal memory access"),
        ("torch.AcceleratorError: CUDA error: out of memory", "setup", "not enough"),
        ("ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0", "setup", "half"),
        ("RuntimeError: CUDA error: no kernel image is available for execution on the device", "machine", "too old"),
        ("ValueError: Available memory on node 0 (1.2/10.84 GiB) on kv cache", "machine", r"1\.2 of 10\.84 GiB"),
        ("RuntimeError: DefaultCPUAllocator: can't allocate memory: you tried to", "machine", "memory"),
        ("OSError: [Errno 28] No space left on device: '/dev/shm/psm_1'", "machine", "disk is full"),
        ("ValueError: The repository x contains custom code which must be executed", "model", "code of its own"),
        ("huggingface_hub.errors.HFValidationError: Repo id must be in the form", "model", "config.json"),
        ("ModuleNotFoundError: No module named 'vllm'", "setup", "pip install"),
        ("RuntimeError: operator torchvision::nms does not exist", "setup", "pip uninstall"),
        ("RuntimeError: Failed to find C compiler. Please specify via CC environment", "setup", "gcc"),
    ],
)
def test_lines_from_the_source(line: str, kind: str, words: str) -> None:
    log = [
        "(EngineCore pid=7) INFO 11-29 16:40:55 [core.py:133] Initializing a V1 LLM engine (v0.32.0)",
        f"(EngineCore pid=7) ERROR 11-29 16:41:00 [core.py:1510] {line}",
        "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}",
    ]
    fault = faults.explain(log, 1)
    assert fault.kind == kind
    assert re.search(words, fault.sentence)


def test_knows_when_a_start_cannot_succeed_any_more() -> None:
    assert any(map(faults.is_fatal, lines("fail_noweights")))
    assert not any(map(faults.is_fatal, lines("start_cpu_032")))


@pytest.mark.parametrize(("status", "words"), [(-9, "ran out of memory"), (-7, "shared memory"), (-11, "crashed")])
def test_killed_by_a_signal(status: int, words: str) -> None:
    assert words in faults.explain(lines("start_cpu_032")[:20], status).sentence


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
