"""What stands in a keeper's folder: its sockets, the launch it was given, and the note that says who it is.

Standard library only. The note outlives a killed keeper, so that the next start finds what is left of it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from writer.engine import proc

PROTOCOL = 1  # of the control socket and these files


@dataclass(frozen=True, slots=True)
class KeeperFolder:
    """`<runtime dir>/<launch fingerprint>/`, 0700."""

    path: Path

    @property
    def engine_socket(self) -> Path:
        return self.path / "s"

    @property
    def control_socket(self) -> Path:
        return self.path / "k"

    @property
    def note_file(self) -> Path:
        return self.path / "keeper.json"

    @property
    def launch_file(self) -> Path:
        return self.path / "launch.json"

    @property
    def shared_file(self) -> Path:
        return self.path / "shared.json"

    def clear(self) -> None:
        """Remove all of it; the note last, since it leads to survivors."""
        for file in (self.control_socket, self.engine_socket, self.launch_file, self.shared_file, self.note_file):
            file.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Order:
    """What the keeper is to start and keep: written by the app, read by the keeper."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    fingerprint: str
    model: str  # the served name
    wanted: str  # the model as the settings name it
    device: str
    log: str
    keep_warm: float  # seconds
    stop_grace: float = 5.0  # seconds between SIGTERM and SIGKILL of the engine
    patience: float = 900.0  # seconds without a line of the log after which a start counts as hung
    calculates: str = ""  # number format, runner, GPUs: what a resume compares
    kv_folder: str = ""  # what it has read is kept there on disk; "" is nowhere
    kv_bytes: int = 0  # the most that may be kept, of all engines together
    weights: int = 0  # bytes that go to main memory while it sleeps; 0 if not known

    @property
    def log_file(self) -> Path:
        return Path(self.log)


@dataclass(frozen=True, slots=True)
class Note:
    """Who the keeper is. With `boot` and `ticks` a pid is one process for good."""

    pid: int  # also the session id of everything it started
    ticks: int
    boot: str
    uid: int
    fingerprint: str
    model: str
    wanted: str
    device: str
    log: str
    started: float  # UTC seconds
    mark: proc.Mark | None = None  # (device, inode) of the log, which survivors still hold
    engine_pid: int = 0
    engine_ticks: int = 0
    protocol: int = PROTOCOL

    def alive(self) -> bool:
        """Whether this very keeper lives, and is ours."""
        return self.uid == os.getuid() and proc.is_same(self.pid, self.ticks, self.boot)


def write_private(path: Path, value: Mapping[str, Any]) -> None:
    """The value as JSON in a 0600 file, whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(value, file)
    partial.replace(path)


def write_order(folder: KeeperFolder, order: Order) -> None:
    """Lays the launch down for the keeper."""
    write_private(folder.launch_file, asdict(order))


def read_order(folder: KeeperFolder) -> Order:
    """The launch to keep. Raises OSError, ValueError or TypeError if it is not one of ours."""
    values = json.loads(folder.launch_file.read_text(encoding="utf-8"))
    return Order(**(values | {"argv": tuple(values["argv"])}))


def write_note(folder: KeeperFolder, note: Note) -> None:
    """Says who keeps the engine in this folder."""
    write_private(folder.note_file, asdict(note))


def read_note(folder: KeeperFolder) -> Note | None:
    """Who keeps, or kept, the engine here; None without a note, or with one that cannot be ours."""
    try:
        if folder.note_file.stat().st_uid != os.getuid():
            return None
        values = json.loads(folder.note_file.read_text(encoding="utf-8"))
        mark = values["mark"]
        return Note(**(values | {"mark": (int(mark[0]), int(mark[1])) if mark else None}))
    except (OSError, ValueError, TypeError, KeyError):
        return None
