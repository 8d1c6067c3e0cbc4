"""vLLM's log lines in plain words: a recorded start, and lines from vLLM's source for GPUs."""

from __future__ import annotations

from pathlib import Path

import pytest

from writer.engine import progress

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
