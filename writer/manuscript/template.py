"""What a new manuscript's folder holds. writer.toml is written last: a folder without it is only half-made."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import tomlkit

from writer.manuscript import atomic
from writer.manuscript.names import file_name
from writer.manuscript.recipes import DEFAULTS

_FOLDERS = ("chapters", "notes", "sources", "prompts")
_FIRST = f"chapters/{file_name(1, 'Chapter 1')}"
_OUTLINE = b"""<!-- One heading per chapter, and below it what happens there:

## Chapter 1

Who arrives, what is at stake, how it ends.
-->
"""
_FILES = {_FIRST: b"", "outline.md": _OUTLINE} | {path: text.encode() for path, text in DEFAULTS.items()}
_SETTINGS = """
Settings for this manuscript alone. Take away the "#" in front of those that you want to change.

[settings.writing]
temperature = 0.8  # 0 takes the likeliest word each time
max_tokens = 1200  # most tokens written in one go

[settings.engine]
window = 8192  # tokens of prompt and text together; the model itself is named in your own settings

[settings.editor]
autosave = 3.0  # seconds between saves of a changed chapter
"""


def unfinished(folder: Path) -> bool:
    """Whether the folder is empty, or holds nothing but what an interrupted `fill` leaves behind."""
    for name in os.listdir(folder):
        path = folder / name
        if name in _FOLDERS and path.is_dir() and not path.is_symlink():
            if any(not _ours(folder, f"{name}/{inner}") for inner in os.listdir(path)):
                return False
        elif not _ours(folder, name):
            return False
    return True


def fill(folder: Path, title: str, language: str) -> None:
    """Make what is missing, writer.toml last. Raises OSError."""
    for name in _FOLDERS:
        (folder / name).mkdir(mode=0o700, exist_ok=True)
        atomic.sweep(folder / name)
    for name, content in _FILES.items():
        if not (folder / name).exists():
            atomic.write_new(folder / name, content)
    atomic.write_new(folder / "writer.toml", _settings_file(title, language).encode("utf-8"))


def _ours(folder: Path, name: str) -> bool:
    path = folder / name
    if atomic.is_temporary(path.name):
        return True
    return name in _FILES and path.is_file() and path.read_bytes() == _FILES[name]


def _settings_file(title: str, language: str) -> str:
    document = tomlkit.document()
    document.add(tomlkit.comment("A manuscript of writer. The id names its saved state: keep it."))
    document["id"] = str(uuid.uuid4())
    document["title"] = title
    document["language"] = language
    document.add(tomlkit.nl())
    document.add(tomlkit.comment("Chapters in reading order. Files in chapters/ that are not listed come after these."))
    chapters = tomlkit.array().multiline(True)
    chapters.append(_FIRST)
    document["chapters"] = chapters
    commented = [f"# {line}".rstrip() if line else "" for line in _SETTINGS.splitlines()]
    return tomlkit.dumps(document) + "\n".join(commented) + "\n"
