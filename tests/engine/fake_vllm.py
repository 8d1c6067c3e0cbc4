"""A stand-in for vLLM's process tree: an API server on a Unix socket, an EngineCore below it, a worker below that.

It prints recorded log lines and misbehaves as FAKE_* variables say. The children outlive their parent like the
real ones, ignore SIGTERM if FAKE_DEAF is set, and rename themselves.

FAKE_DELAY      seconds until ready (0)
FAKE_FAIL       name of a recorded log to end with, exit 1
FAKE_ONCE       a file: only the start that finds it missing fails
FAKE_FITS       a start with a larger --max-model-len fails, and says that so many tokens would fit
FAKE_SHARE      a start that wants a larger --gpu-memory-utilization fails, and says that this share is free
FAKE_SHM        a name in /dev/shm that the EngineCore maps and nobody removes
FAKE_HANG       hang instead of that exit, as vLLM 0.32 was seen to do
FAKE_EXIT       exit status, or -N to die of signal N, before ready
FAKE_DEAF       children (and with "all" the server too) ignore SIGTERM
FAKE_STRAY      the worker leaves the session
FAKE_BUSY       so many times it cannot sleep, because something is written
FAKE_DUMB       it does not answer at the doors of the plugin
FAKE_TP         so many workers below the EngineCore, each in a group of its own as with several GPUs (1)
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import signal
import socket
import sys
import time
from pathlib import Path

RECORDED = Path(__file__).parent / "recorded"
PR_SET_NAME = 15
SHARED: mmap.mmap | None = None  # held until the process ends


def rename(name: str) -> None:
    ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode(), 0, 0, 0)


def child(role: str, below: str = "") -> None:
    """A process that does nothing and ends only when killed."""
    if os.fork():
        return
    rename(f"VLLM::{role}")
    if below:
        map_shared()
    signal.signal(signal.SIGTERM, signal.SIG_IGN if os.environ.get("FAKE_DEAF") else signal.SIG_DFL)
    if below:
        workers = int(os.environ.get("FAKE_TP", "1"))
        for rank in range(workers):
            child(f"{below}_TP{rank}" if workers > 1 else below)
    elif role.startswith("Worker_TP"):
        os.setpgid(0, 0)
    elif os.environ.get("FAKE_STRAY"):
        os.setsid()
    while True:
        time.sleep(60)  # it lives until it is ended: whether it is, is the case


def flag(name: str, default: str = "") -> str:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def say(name: str) -> None:
    sys.stdout.write((RECORDED / f"{name}.log").read_text())
    sys.stdout.flush()


ASLEEP = BUSY = 0


def door(name: str) -> tuple[int, str, str]:
    """As plugin/writer_doors.py answers."""
    global ASLEEP, BUSY
    busy = int(os.environ.get("FAKE_BUSY", "0")) > BUSY
    status = 200
    if name == "sleep":
        status, ASLEEP, BUSY = (409, ASLEEP, BUSY + 1) if busy else (200, 1, BUSY)
    elif name == "wake":
        ASLEEP = 0
    return status, "application/json", json.dumps({"asleep": bool(ASLEEP), "busy": int(busy), "seconds": 0.25})


def answer(path: str) -> tuple[int, str, str]:
    if path.startswith("/writer/") and not os.environ.get("FAKE_DUMB"):
        return door(path.removeprefix("/writer/"))
    model = flag("--served-model-name", "m")
    if path == "/v1/models":
        entry = {"id": model, "object": "model", "max_model_len": 8192, "root": flag("--model")}
        return 200, "application/json", json.dumps({"object": "list", "data": [entry]})
    if path == "/version":
        return 200, "application/json", json.dumps({"version": "0.32.0"})
    if path == "/metrics":
        return 200, "text/plain", 'vllm:cache_config_info{block_size="32"} 1.0\nvllm:num_requests_running 0.0\n'
    return (200, "text/plain", "") if path == "/health" else (404, "application/json", '{"detail":"Not Found"}')


def serve(listener: socket.socket) -> None:
    words = {200: "OK", 404: "Not Found", 409: "Conflict"}
    while True:
        connection, _ = listener.accept()
        with connection:
            head = connection.recv(65536).split()
            if len(head) < 2:
                continue
            status, kind, body = answer(head[1].decode())
            connection.sendall(
                f"HTTP/1.1 {status} {words[status]}\r\ncontent-type: {kind}\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n{body}".encode()
            )


def has_failed_before() -> bool:
    if not (marker := os.environ.get("FAKE_ONCE")):
        return False
    if Path(marker).exists():
        return True
    Path(marker).touch()
    return False


def refuse(log: str, *changes: tuple[str, str]) -> None:
    text = (RECORDED / f"{log}.log").read_text()
    for old, new in changes:
        text = text.replace(old, new)
    sys.stdout.write(text)
    sys.stdout.flush()
    os._exit(1)


def end_if_too_big() -> None:
    if (fits := os.environ.get("FAKE_FITS")) and int(flag("--max-model-len", "0")) > int(fits):
        refuse("gpu_kv_small", ("4448", fits))
    if (share := os.environ.get("FAKE_SHARE")) and float(flag("--gpu-memory-utilization", "0")) > float(share):
        refuse("gpu_held", ("3.2/23.6", f"{float(share) * 100}/100.0"))


def map_shared() -> None:
    if name := os.environ.get("FAKE_SHM"):
        global SHARED
        handle = os.open(f"/dev/shm/{name}", os.O_RDWR | os.O_CREAT, 0o600)
        os.truncate(handle, 4096)
        SHARED = mmap.mmap(handle, 4096)
        os.close(handle)


def end_badly() -> None:
    end_if_too_big()
    if has_failed_before():
        return
    if name := os.environ.get("FAKE_FAIL"):
        say(name)
        while os.environ.get("FAKE_HANG"):
            time.sleep(60)  # it hangs, as the case asks: until it is ended
        os._exit(1)
    if status := os.environ.get("FAKE_EXIT"):
        if status.startswith("-"):
            os.kill(os.getpid(), int(status[1:]))
        os._exit(int(status))


def main() -> None:
    rename("vllm api_server")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(flag("--uds"))  # like vLLM: fails over a stale socket, and never removes its own
    child("EngineCore", below="Worker")
    if os.environ.get("FAKE_DEAF") == "all":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say("start_cpu_032")
    time.sleep(float(os.environ.get("FAKE_DELAY", "0")))  # how long its start takes, as the case asks
    end_badly()
    listener.listen(16)
    serve(listener)


if __name__ == "__main__":
    main()
