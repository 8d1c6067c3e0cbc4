"""How long an author waits: until the first paint, and until a stopped engine writes again. U1 and U2.

U1 starts `writer DIR` and a minimal Textual app in turn, each in a terminal of its own. U2 starts the app's engine and
vLLM's own server with its defaults in turn; both have their compiled kernels on the disk, and both count until a
token has come.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from benchmarks.ground import Ground, ground
from benchmarks.memory import MINIMAL
from benchmarks.pairs import against
from benchmarks.raw import started_as
from benchmarks.seen import written_at
from benchmarks.targets import Measure, Plan, Reading
from benchmarks.window import Window
from writer import locations
from writer.engine import gpu_flags

PAINT, START = 2.0, 0.8
_TEXT = "The lamp had gone out an hour before the ship was seen."
_PATIENCE = 600.0


def first_paint(plan: Plan) -> list[Reading]:
    """U1: from the start of the program to the frame with the chapter list, or the one line; the chapter's text."""
    ours, texts, least = [], [], []
    with ground(plan) as place:
        folder = place.manuscript("novel", _TEXT).folder
        for number in range(1 if plan.quick else 3 * plan.pairs + 1):
            app = _painted(Window(folder), b"Chapter", b"The lamp had gone")
            minimal = _painted(Window(folder, [sys.executable, str(MINIMAL)]), b"minimal")
            if number or plan.quick:
                ours.append(app[0] * 1000)
                texts.append(app[1] * 1000)
                least.append(minimal[0] * 1000)
    return [
        against("first paint : a minimal Textual app", ours, least, PAINT, "ms", least=False, form=".0f"),
        against("the chapter's text : the same", texts, least, None, "ms", form=".0f"),
    ]


def engine_start(plan: Plan) -> list[Reading]:
    """U2: the app's engine, started a second time; vLLM's server with its defaults, started a second time."""
    with ground(plan) as place:
        if place.scripted:
            return [Reading("the engine's start : vLLM's with its defaults (not here)", 0.0)]
        device, command = place.held.engine.facts.device, _plain(place)
        ours, plain = [], []
        for number in range(min(plan.pairs, 2) + 1):
            place.held.stop()
            theirs = _served(place, command)
            if number:  # in the first round it compiles what is not compiled yet, as ours did above
                ours.append(place.held.hold())
                plain.append(theirs)
    goal = START if device == "gpu" else None
    what = "the engine's start : vLLM's with its defaults"
    return [against(what, ours, plain, goal, "s", least=False)]


ONCE = True
TARGETS: dict[str, Measure] = {"U1": first_paint, "U2": engine_start}


def _painted(window: Window, *texts: bytes) -> list[float]:
    """Seconds until each of these was written to the terminal. The last one comes last."""
    window.until(lambda: texts[-1] in b"".join(data for _, data in window.written), texts[-1].decode())
    window.quit()
    return [written_at(window.written, text) - window.begun for text in texts]


def _plain(place: Ground) -> list[str]:
    """What one would type: the model, a socket, and on a CPU the memory without which vLLM does not start."""
    prepared = started_as(place)
    memory = f"{place.settings.engine.kv_cache_mib}M"
    needed = ["--kv-cache-memory-bytes", memory, "--max-model-len", "8192"] if prepared.launch.device == "cpu" else []
    return [
        *prepared.launch.argv[:3],
        "--model",
        str(prepared.model_folder),
        *needed,
        *_as_the_app(prepared.launch.argv),
    ]


def _as_the_app(argv: Sequence[str]) -> list[str]:
    """Flags that are about the machine and the model and not about speed."""
    kept = ("--gpu-memory-utilization", "--tensor-parallel-size", "--load-format", "--compilation-config")
    return [word for flag, value in pairwise(argv) if flag in kept for word in (flag, value)]


def _served(place: Ground, command: Sequence[str]) -> float:
    """Seconds until vLLM's server has given a token; it is ended then."""
    path = place.folder / "plain"
    path.unlink(missing_ok=True)
    begun = time.perf_counter()
    with (place.folder / "plain.log").open("wb") as log:
        server = subprocess.Popen(
            [*command, "--uds", str(path)], stdout=log, stderr=log, env=_as_usual(), start_new_session=True
        )
    try:
        while not _gives_a_token(path):
            if server.poll() is not None or time.perf_counter() - begun > _PATIENCE:
                said = (place.folder / "plain.log").read_text(errors="replace")[-2000:]
                raise SystemExit(f"vLLM with its defaults does not start:\n{said}")
            time.sleep(0.1)
        return time.perf_counter() - begun
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _as_usual() -> dict[str, str]:
    """Nothing is sent or fetched, and compiled kernels lie where ours do; the start is the same."""
    quiet = {"VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    if os.environ.get("NCCL_NVLS_ENABLE") == "0":  # a machine that must not use it, whoever asks
        quiet |= gpu_flags.NO_MULTICAST
    return os.environ | quiet | {"VLLM_CACHE_ROOT": str(locations.cache_dir() / "vllm")}


class _Socket(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("engine", timeout=60)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(str(self._path))


def _gives_a_token(path: Path) -> bool:
    connection = _Socket(path)
    try:
        connection.request("GET", "/v1/models")
        model = json.loads(connection.getresponse().read())["data"][0]["id"]
        body = {"model": model, "prompt": "The lamp", "max_tokens": 1}
        connection.request("POST", "/v1/completions", json.dumps(body), {"Content-Type": "application/json"})
        return bool(json.loads(connection.getresponse().read())["choices"])
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
