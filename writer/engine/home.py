"""The folder that holds models of our own making, and what in it is ours: only that may ever be erased.

`$XDG_DATA_HOME/writer/models/`: one folder for each model, downloaded (`writer-model.json` beside it) or converted
(`writer-digests.json`), and hidden ones for what is not complete yet.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from writer import locations
from writer.engine.convert import DIGESTS
from writer.errors import ModelUnusable, WriterError
from writer.language import say
from writer.text.sanitise import one_line

MARKER = "writer-model.json"
"""Beside a downloaded model: {"hub": id, "revision": …, "licence": …, "files": {name: [bytes, sha256]}}."""
HUB_ID = re.compile(r"[A-Za-z0-9_][\w.-]{0,95}/[A-Za-z0-9_][\w.-]{0,95}", re.ASCII)
_UNFINISHED = ".download"


def home() -> Path:
    """The folder, made (0700) if need be."""
    return locations.private(locations.data_dir() / "models")


def folder_of(hub: str) -> Path:
    """Where the model of this id goes, or is."""
    return home() / hub.replace("/", "--")


def unfinished_of(hub: str) -> Path:
    """Where its download is kept until it is complete."""
    return home() / f".{hub.replace('/', '--')}{_UNFINISHED}"


def hub_of(place: Path) -> str:
    """The id that a folder of this home stands for; "" if for none."""
    name = place.name.removeprefix(".").removesuffix(_UNFINISHED).replace("--", "/", 1)
    return name if HUB_ID.fullmatch(name) else ""


def all_places() -> tuple[list[Path], list[Path]]:
    """The models here, and the downloads that are not complete. Looks only."""
    place = locations.data_dir() / "models"
    entries = sorted(place.iterdir()) if place.is_dir() else []
    whole = [path for path in entries if not path.name.startswith(".") and (path / "config.json").is_file()]
    parts = [path for path in entries if path.name.startswith(".") and path.name.endswith(_UNFINISHED)]
    return whole, [path for path in parts if path.is_dir() and not path.is_symlink()]


def is_ours(folder: Path) -> bool:
    """Whether writer made this folder: it lies in our home, is no link, and carries our note."""
    if folder.parent != locations.data_dir() / "models" or folder.is_symlink() or not folder.is_dir():
        return False
    return folder.name.endswith(_UNFINISHED) or any((folder / name).is_file() for name in (MARKER, DIGESTS))


def note(folder: Path) -> dict[str, Any]:
    """What was written down when it was downloaded; {} if nothing was."""
    try:
        table = json.loads((folder / MARKER).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}


def erase(folder: Path) -> None:
    """Erase a model of ours. Raises ModelUnusable if it is not ours, or cannot be erased."""
    if not is_ours(folder):
        raise ModelUnusable(
            say("{folder} was not made by writer, so it stays. Erase it yourself.", folder=one_line(str(folder), 300))
        )
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise WriterError(
            say("{folder} could not be erased ({why}). Check its permissions.", folder=folder, why=error.strerror)
        ) from None


def size_of(folder: Path) -> int:
    """Bytes of all files in it, links not followed."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
