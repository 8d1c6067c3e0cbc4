"""A hub on the loopback with one small model, which drops, truncates, refuses, corrupts and lies when it is told to."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest
from model_weights import safetensors

from writer.engine import hub
from writer.engine.hub_call import Errand

HUB, REVISION = "org/tale", "c" * 40
CONFIG = {
    "dtype": "bfloat16",
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 4096,
}
WEIGHTS = "model.safetensors"
_PIECE = 16 * 1024


@dataclass
class Fault:
    """What happens instead, `times` times. Offsets are of the file, not of the answer."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    drop_at: int = -1  # the connection is cut there
    end_at: int = -1  # a well-formed answer ends there
    corrupt_at: int = -1  # that byte is another one
    longer: int = 0  # so many bytes too many
    no_ranges: bool = False
    at: int = -1
    hook: Callable[[int, int], object] = lambda start, sent: None  # called when the byte `at` is to be sent
    times: int = 1


@dataclass
class FakeHub:
    """`files` of the one model, `faults` by file name ("" is the list), and what was asked."""

    files: dict[str, bytes]
    url: str = ""
    licence: str = "apache-2.0"
    gated: str | bool = False
    sizes: dict[str, int] = field(default_factory=dict)  # lies
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    elsewhere: str = ""  # where weights are sent for
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    def plant(self, name: str, *faults: Fault) -> None:
        """The next answers for this file."""
        self.faults.setdefault(name, []).extend(faults)

    def fault(self, name: str) -> Fault | None:
        waiting = self.faults.get(name, [])
        if not waiting:
            return None
        waiting[0].times -= 1
        return waiting[0] if waiting[0].times > 0 else waiting.pop(0)

    def ranges(self, name: str = WEIGHTS) -> list[str]:
        """The ranges that were asked for of this file, "" for all of it."""
        return [headers.get("range", "") for path, headers in self.asked if path.endswith(f"/{name}")]

    def listing(self) -> dict[str, Any]:
        return {
            "id": HUB,
            "sha": REVISION,
            "gated": self.gated,
            "cardData": {"license": self.licence},
            "siblings": [self._sibling(name, data) for name, data in self.files.items()],
        }

    def _sibling(self, name: str, data: bytes) -> dict[str, Any]:
        size = self.sizes.get(name, len(data))
        blob = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
        told: dict[str, Any] = {"rfilename": name, "size": size, "blobId": blob}
        if name.endswith((".safetensors", ".bin")):
            told["lfs"] = {"sha256": hashlib.sha256(data).hexdigest(), "size": size, "pointerSize": 130}
        return told


def model_files(size: int = 200_000) -> dict[str, bytes]:
    """A whole model, and what else lies beside one on a hub."""
    return {
        "config.json": json.dumps(CONFIG).encode(),
        "tokenizer.json": b"{}",
        "README.md": b"---\nlicense: apache-2.0\n---\n",
        WEIGHTS: safetensors(size),
        "pytorch_model.bin": b"\x80\x04pickle",
        "modeling_tale.py": b"raise SystemExit('ran')",
        "consolidated.safetensors": safetensors(10),
        "original/model.safetensors": safetensors(10),
        ".gitattributes": b"*",
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: FakeHub

    def log_message(self, format: str, *args: object) -> None:
        """The tests ask the hub instead."""

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        self.hub.asked.append((path, {name.lower(): value for name, value in self.headers.items()}))
        with contextlib.suppress(ConnectionError):
            if path == f"/api/models/{HUB}":
                self._answer("", json.dumps(self.hub.listing()).encode())
            elif path.startswith(f"/{HUB}/resolve/{REVISION}/"):
                self._file(path.rsplit("/", 1)[1])
            elif path.startswith("/blobs/"):
                self._answer(path.rsplit("/", 1)[1], self.hub.files[path.rsplit("/", 1)[1]])
            else:
                self._status(Fault(404, {"X-Error-Code": "RepoNotFound"}))

    def _file(self, name: str) -> None:
        if self.hub.elsewhere and name == WEIGHTS:
            self._status(Fault(302, {"Location": f"{self.hub.elsewhere}/blobs/{name}"}))
        elif name in self.hub.files:
            self._answer(name, self.hub.files[name])
        else:
            self._status(Fault(404, {"X-Error-Code": "EntryNotFound"}))

    def _status(self, fault: Fault) -> None:
        self.send_response(fault.status)
        for name, value in {**fault.headers, "Content-Length": "0"}.items():
            self.send_header(name, value)
        self.end_headers()

    def _answer(self, name: str, data: bytes) -> None:
        fault = self.hub.fault(name) or Fault()
        if fault.status:
            self._status(fault)
            return
        start = 0
        if (wanted := self.headers.get("Range")) and not fault.no_ranges:
            start = int(wanted.removeprefix("bytes=").split("-")[0])
            if start >= len(data):
                self._status(Fault(416, {"Content-Range": f"bytes */{len(data)}"}))
                return
        if fault.corrupt_at >= 0:
            data = data[: fault.corrupt_at] + bytes([data[fault.corrupt_at] ^ 1]) + data[fault.corrupt_at + 1 :]
        data += bytes(fault.longer)
        end = len(data) if fault.end_at < 0 else fault.end_at
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(data)}")
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        self._send(data, start, end, fault)

    def _send(self, data: bytes, start: int, end: int, fault: Fault) -> None:
        for at in range(start, end, _PIECE):
            stop = min(end, at + _PIECE)
            if 0 <= fault.drop_at < stop:
                self.wfile.write(data[at : max(at, fault.drop_at)])
                self.close_connection = True
                return
            if 0 <= fault.at < stop:
                fault.at = -1
                fault.hook(start, at)
            self.wfile.write(data[at:stop])


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has been killed: that is what some tests are about."""


class InProcess(Errand):
    """An errand in the test's own process: most faults need no other one, and starting one takes a second."""

    def __init__(self, environ: Mapping[str, str], token: str = "", patience: float = 0.001) -> None:
        super().__init__(environ)
        self._token, self._patience = token, patience

    def facts(self, errand: Mapping[str, object]) -> Iterator[dict[str, Any]]:
        told: list[dict[str, Any]] = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(hub, "_say", lambda fact: told.append(json.loads(json.dumps(fact))))
            for module in ("file_download", "utils._http"):  # the library's own waits
                patch.setattr(f"huggingface_hub.{module}.time", SimpleNamespace(sleep=lambda _: None, time=time.time))
            endpoint = {"endpoint": self._environ["HF_ENDPOINT"], "patience": self._patience}
            hub.perform({**errand, **endpoint}, self._token)
        yield from told


@contextlib.contextmanager
def serving(fake: FakeHub) -> Iterator[FakeHub]:
    """A running one; its address is `url`."""
    handler = type("Handler", (_Handler,), {"hub": fake})
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    fake.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
