"""llama.cpp's server with the small model's GGUF as it is: `llama-server`, or what the package xllamacpp has of it.

Its resume is a slot's cache: kept while the server lives, saved to a file and restored when it is started anew.
"""

from __future__ import annotations

import contextlib
import http.client
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.raw import Streamed
from benchmarks.shapes import gguf
from writer.generation.model import Sampling

_CHILD = Path(__file__).with_name("llama_child.py")
_PATIENCE = 120.0


def command(port: int, slots: Path, window: int) -> list[str] | None:
    """What starts the server; None if it is not on this machine, or has no model."""
    model = gguf()
    if model is None:
        return None
    if binary := shutil.which("llama-server"):
        threads = str(max(1, len(os.sched_getaffinity(0)) - 1))
        size = ["--ctx-size", str(window), "--parallel", "1", "--threads", threads]
        return [binary, "--model", str(model), "--port", str(port), "--slot-save-path", f"{slots}/", *size]
    if importlib.util.find_spec("xllamacpp"):
        return [sys.executable, str(_CHILD), str(model), str(port), str(slots), str(window)]
    return None


@contextmanager
def llama(slots: Path, window: int) -> Iterator[Llama]:
    """The server, answering; ended afterwards, as by kill -9."""
    port = _free_port()
    start = command(port, slots, window)
    assert start is not None, "ask `command` first"
    with (slots / "log").open("wb") as log:
        process = subprocess.Popen(start, stdout=log, stderr=log)
        try:
            server = Llama(port, process.pid)
            end = time.monotonic() + _PATIENCE
            while not server.healthy():
                if process.poll() is not None or time.monotonic() > end:
                    raise SystemExit((slots / "log").read_text(errors="replace")[-2000:])
                time.sleep(0.02)
            yield server
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Llama:
    """A client of the server."""

    def __init__(self, port: int, pid: int) -> None:
        self._port = port
        self.pid = pid

    def healthy(self) -> bool:
        """Whether the model is loaded."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self._asked("GET", "/health").status == 200
        return False

    def keep(self, name: str) -> None:
        """Save what the slot has read and written to a file."""
        self._asked("POST", "/slots/0?action=save", {"filename": name}).read()

    def bring_back(self, name: str) -> None:
        """The slot is as it was saved."""
        self._asked("POST", "/slots/0?action=restore", {"filename": name}).read()

    def stream(self, prompts: Sequence[Sequence[int]], sampling: Sampling, tokens: int) -> Streamed:
        """What it writes, one prompt after the other."""
        begun, moments, ids = time.perf_counter(), list[tuple[float, int]](), list[tuple[int, ...]]()
        for prompt in prompts:
            written: list[int] = []
            for line in self._asked("POST", "/completion", asked(prompt, sampling, tokens)):
                if line.startswith(b"data: ") and (new := json.loads(line[6:])["tokens"]):
                    written += new
                    moments.append((time.perf_counter() - begun, sum(map(len, ids)) + len(written)))
            ids.append(tuple(written))
        return Streamed(tuple(moments), tuple(ids), time.perf_counter() - begun)

    def _asked(self, method: str, path: str, body: Any = None) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_PATIENCE)
        connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        if answer.status not in (200, 503):  # 503: the model is being loaded
            raise SystemExit(f"llama.cpp's server refused {path}: {answer.read().decode(errors='replace')[:500]}")
        return answer


def asked(prompt: Sequence[int], sampling: Sampling, tokens: int) -> dict[str, Any]:
    """The body of a request that draws words as ours does."""
    return {
        "prompt": list(prompt),
        "n_predict": tokens,
        "stream": True,
        "return_tokens": True,
        "cache_prompt": True,
        "id_slot": 0,
        "ignore_eos": sampling.ignore_eos,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "min_p": sampling.min_p,
        "repeat_penalty": sampling.repetition_penalty,
        "repeat_last_n": len(prompt) + tokens,
        "seed": sampling.seed,
    }
