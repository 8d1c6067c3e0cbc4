"""What a new manuscript's folder holds. writer.toml is written last: a folder without it is only half-made."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tomlkit

from writer.language import say
from writer.manuscript import atomic
from writer.manuscript.names import file_name
from writer.manuscript.recipes import DEFAULTS

_FOLDERS = ("chapters", "notes", "sources", "prompts")
INSTRUCTIONS = "notes/instructions.md"
"""What the model is told to be, in the author's own words."""
_FIRST = f"chapters/{file_name(1, say('Chapter {number}', number=1))}"
_OUTLINE = say(
    """<!-- A heading for each chapter, and below it what happens there, like this:

## The harbour

Mara comes home. Somebody has lit the lamp.

What stands in here is left out. Write yours below. -->

"""
)
_FILES = {_FIRST: b"", "outline.md": _OUTLINE.encode()} | {path: text.encode() for path, text in DEFAULTS.items()}
_WRITING = f"# [settings.writing]\n# temperature = 0.8  # {say('0 takes the likeliest word each time')}\n"
_BOOK = f"""
# {say('For title pages. Take away the "#" in front of what you want to say.')}

# [book]
# author = "{say("Your Name")}"
# contact = ["{say("Street and town")}", "{say("e-mail")}"]
"""
_SETTINGS = f"""{_BOOK}
# {say('Settings for this manuscript alone. Take away the "#" in front of those that you want to change.')}

{_WRITING}# max_tokens = 1200  # {say("most tokens written in one go")}

# [settings.engine]
# window = 8192  # {say("tokens of prompt and text together; the model itself is named in your own settings")}

# [settings.editor]
# autosave = 3.0  # {say("seconds between saves of a changed chapter")}
"""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What its author says of a new manuscript. Empty instructions and no preset: those that come with writer."""

    title: str
    language: str
    instructions: str = ""
    preset: str = ""

    @property
    def files(self) -> dict[str, bytes]:
        """What the folder holds, but for writer.toml."""
        own = {INSTRUCTIONS: f"{self.instructions}\n".encode()} if self.instructions else {}
        return _FILES | own


def unfinished(folder: Path, chosen: Chosen) -> bool:
    """Whether the folder is empty, or holds nothing but what an interrupted `fill` leaves behind."""
    files = chosen.files
    for name in os.listdir(folder):
        path = folder / name
        if name in _FOLDERS and path.is_dir() and not path.is_symlink():
            if any(not _ours(folder, f"{name}/{inner}", files) for inner in os.listdir(path)):
                return False
        elif not _ours(folder, name, files):
            return False
    return True


def fill(folder: Path, chosen: Chosen) -> None:
    """Make what is missing, writer.toml last. Raises OSError."""
    for name in _FOLDERS:
        (folder / name).mkdir(mode=0o700, exist_ok=True)
        atomic.sweep(folder / name)
    for name, content in chosen.files.items():
        if not (folder / name).exists():
            atomic.write_new(folder / name, content)
    atomic.write_new(folder / "writer.toml", _settings_file(chosen).encode("utf-8"))


def _ours(folder: Path, name: str, files: Mapping[str, bytes]) -> bool:
    path = folder / name
    if atomic.is_temporary(path.name):
        return True
    return name in files and path.is_file() and path.read_bytes() == files[name]


def _settings_file(chosen: Chosen) -> str:
    document = tomlkit.document()
    document.add(tomlkit.comment(say("A manuscript of writer. The id names its saved state: keep it.")))
    document["id"] = str(uuid.uuid4())
    document["title"] = chosen.title
    document["language"] = chosen.language
    document.add(tomlkit.nl())
    order = say("Chapters in reading order. Files in chapters/ that are not listed come after these.")
    document.add(tomlkit.comment(order))
    chapters = tomlkit.array().multiline(True)
    chapters.append(_FIRST)
    document["chapters"] = chapters
    settings = _SETTINGS
    if chosen.preset:
        settings = settings.replace(_WRITING, f'[settings.writing]\npreset = "{chosen.preset}"\n')
    if chosen.preset == "report":
        settings = settings.replace("# [book]\n", '[book]\nstyle = "report"  # ' + say("how it is exported") + "\n")
    return tomlkit.dumps(document) + settings
