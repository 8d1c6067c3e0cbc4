"""Every path we touch outside a manuscript. All follow the XDG variables; folders are made 0700 on first use."""

from __future__ import annotations

import errno
import os
import warnings
from pathlib import Path

import platformdirs

from writer.errors import StateFull, StateReadOnly
from writer.language import say

_APP = "writer"


def private(folder: Path) -> Path:
    """The folder, made with its parents if need be; whatever is made is readable by its owner alone.

    Raises StateFull or StateReadOnly.
    """
    try:
        _make(folder)
    except OSError as error:
        kind = StateFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else StateReadOnly
        sentence = say(
            "The folder {folder} cannot be written ({why}). Free space or mend its permissions.",
            folder=folder,
            why=error.strerror,
        )
        raise kind(sentence) from error
    return folder


def _make(folder: Path) -> None:
    if not folder.is_dir():
        if folder.parent != folder:
            _make(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def config_file() -> Path:
    """The user's settings: `$XDG_CONFIG_HOME/writer/config.toml`."""
    return Path(platformdirs.user_config_dir(_APP)) / "config.toml"


def state_dir(manuscript_id: str) -> Path:
    """Where one manuscript's state lives: `$XDG_STATE_HOME/writer/<uuid>/`."""
    return private(Path(platformdirs.user_state_dir(_APP)) / manuscript_id)


def data_dir() -> Path:
    """Where prepared models live: `$XDG_DATA_HOME/writer/`."""
    return private(Path(platformdirs.user_data_dir(_APP)))


def cache_dir() -> Path:
    """What may be deleted at any time: compiled kernels of the engine."""
    return private(Path(platformdirs.user_cache_dir(_APP)))


def log_dir() -> Path:
    """Log files, without manuscript text: `$XDG_STATE_HOME/writer/log/`."""
    return private(Path(platformdirs.user_state_dir(_APP)) / "log")


def runtime_dir() -> Path:
    """Sockets and pid files. Short: a Unix socket's path may hold 107 bytes at most."""
    with warnings.catch_warnings(action="ignore"):  # without XDG_RUNTIME_DIR platformdirs speaks to the terminal
        wanted = Path(platformdirs.user_runtime_dir(_APP, ensure_exists=False))
    if len(os.fsencode(wanted)) <= 70:
        try:
            return private(wanted)
        except (StateFull, StateReadOnly):
            pass  # the temporary folder below serves as well
    import hashlib
    import tempfile

    digest = hashlib.sha256(os.fsencode(wanted)).hexdigest()[:8]
    return private(Path(tempfile.gettempdir()) / f"writer-{os.getuid()}-{digest}")
