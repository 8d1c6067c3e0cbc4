"""Starts the hub's door in a process of its own, passes on what it tells, and ends it when it is called off.

The engine's environment stays offline; this one errand alone goes out, to the hub or what HF_ENDPOINT names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from writer import locations
from writer.catalogue.ports import CalledOff
from writer.errors import ModelUnusable
from writer.language import say, spoken

_HUB = "https://huggingface.co"
_QUIET = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_XET": "1",  # its own protocol, with its own cache; plain HTTP can be resumed and checked
    "PYTHONUNBUFFERED": "1",
}
_UNSET = ("HF_DEBUG", "HF_HUB_USER_AGENT_ORIGIN", "WRITER_API_KEY", "PYTHONHOME", "PYTHONSTARTUP")
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


def host(environ: Mapping[str, str]) -> str:
    """Whom a download speaks to."""
    return urlsplit(environ.get("HF_ENDPOINT") or _HUB).hostname or say("the hub")


class Errand:
    """One call. `cancel` may come from any thread, before it begins too."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._child: subprocess.Popen[str] | None = None
        self._cancelled = threading.Event()
        self._lock = threading.Lock()

    @property
    def pid(self) -> int:
        """Of the process that does it; 0 before it runs."""
        return self._child.pid if self._child else 0

    def cancel(self) -> None:
        """End it; `run` raises CalledOff then."""
        with self._lock:
            self._cancelled.set()
            if self._child is not None:
                self._child.kill()

    def run(self, errand: Mapping[str, object], heard: Callable[[dict[str, Any]], None]) -> None:
        """Blocks until it is done; every line is passed on. Raises ModelUnusable, CalledOff, DiskFull."""
        _refuse_offline(self._environ)
        ended: dict[str, Any] = {}
        for fact in self.facts(errand):
            ended = fact if fact["event"] == "error" else ended
            heard(fact)
        if ended.get("full"):
            raise DiskFull
        if ended:
            raise ModelUnusable(str(ended["sentence"]))

    def facts(self, errand: Mapping[str, object]) -> Iterator[dict[str, Any]]:
        """What the process tells, line by line."""
        log = locations.log_dir() / "hub.log"
        failed = False
        with log.open("wb") as errors, self._started(errors.fileno()) as child:
            for fact in _lines(child, errand):
                failed = fact["event"] == "error"
                yield fact
        if self._cancelled.is_set():
            raise CalledOff
        if child.returncode and not failed:
            sentence = say(
                "The download stopped unexpectedly. What has come is kept; try again. Details: {log}", log=log
            )
            raise ModelUnusable(sentence)

    def _started(self, errors: int) -> subprocess.Popen[str]:
        with self._lock:
            if self._cancelled.is_set():
                raise CalledOff
            # -P: nothing in the working folder, which may be a stranger's manuscript, is imported.
            self._child = subprocess.Popen(
                [sys.executable, "-P", "-m", "writer.engine.hub"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=online(self._environ),
                text=True,
                start_new_session=True,  # Ctrl-C is for us: what has come is counted before it ends
            )
            return self._child


class DiskFull(Exception):
    """There is no room for the rest."""


def _lines(child: subprocess.Popen[str], errand: Mapping[str, object]) -> Iterator[dict[str, Any]]:
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        try:
            child.stdin.write(json.dumps(errand) + "\n")
            child.stdin.close()
        except BrokenPipeError:
            pass  # it has ended already: its exit code tells
        for line in child.stdout:
            yield json.loads(line)
    except BaseException:
        child.kill()
        raise


def _refuse_offline(environ: Mapping[str, str]) -> None:
    if name := is_offline(environ):
        raise ModelUnusable(say("{name} is set, so nothing is downloaded. Unset it, then try again.", name=name))


def is_offline(environ: Mapping[str, str]) -> str:
    """The variable that forbids every download; "" if none does."""
    return next((name for name in _OFFLINE if environ.get(name, "").upper() in ("1", "ON", "YES", "TRUE")), "")


def online(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of the errand: no telemetry, no token but the one that is asked for, this package found."""
    paths = [environ.get("PYTHONPATH", "")]
    root = Path(__file__).parents[2]
    if root.name not in ("site-packages", "dist-packages"):
        paths.insert(0, str(root))
    kept = {name: value for name, value in environ.items() if name not in _UNSET}
    if not kept.get("HF_ENDPOINT"):
        kept.pop("HF_ENDPOINT", None)  # set, but to nothing: the library would ask nobody
    return {**kept, **_QUIET, "WRITER_LANGUAGE": spoken(), "PYTHONPATH": os.pathsep.join(filter(None, paths))}
