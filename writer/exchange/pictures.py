"""The images that chapters show, if they are what they seem to be and lie inside the manuscript."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from writer.language import say
from writer.text.sanitise import one_line

MOST_BYTES, MOST = 32 * 1024 * 1024, 2000  # of one image; images
_NAMED = re.compile(r"\]\(\s*(?:<([^<>\n]{1,1000})>|([^\s()<>]{1,1000}))")
_SHOWN = re.compile(r"!\[[^\[\]\n]{0,1000}\Z")
_BEFORE = 1010  # characters in which an image begins
_KINDS = ((b"\x89PNG\r\n\x1a\n", "png"), (b"\xff\xd8\xff", "jpg"), (b"GIF87a", "gif"), (b"GIF89a", "gif"))
MIME = {"png": "image/png", "jpg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}


@dataclass(frozen=True, slots=True)
class Picture:
    """One image as it goes along: its name in the new file."""

    path: str
    mime: str
    data: bytes


def kind_of(data: bytes) -> str:
    """Its ending, by what it begins with; "" if it is no image that goes along."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return next((kind for head, kind in _KINDS if data.startswith(head)), "")


def pictures(folder: Path, text: str, places: Iterable[str]) -> tuple[dict[str, Picture], tuple[str, ...]]:
    """By what the text calls them, and a sentence for each that stays out.

    `places` are folders of the manuscript in which a relative name may begin.
    """
    found: dict[str, Picture] = {}
    notes: dict[str, str] = {}
    seen: set[str] = set()
    roots = [folder, *(folder / place for place in places)]
    for match in _NAMED.finditer(text):
        name = match[1] or match[2]
        if name in seen:
            continue
        seen.add(name)
        data = b"" if len(found) >= MOST else _read(folder, roots, unquote(name))
        if kind := kind_of(data):
            found[name] = Picture(f"images/{len(found) + 1}.{kind}", MIME[kind], data)
        elif _SHOWN.search(text, max(0, match.start() - _BEFORE), match.start()):
            notes[name] = say(
                "The image {name} is left out: put a PNG, JPEG, GIF or WebP file of that name into the "
                "manuscript's folder.",
                name=one_line(name, 80),
            )
    return found, tuple(notes.values())


def _read(folder: Path, roots: list[Path], name: str) -> bytes:
    """The image's bytes; b"" if it is not there, lies elsewhere, or is far too large."""
    inside = os.path.realpath(folder)
    if "\0" in name:
        return b""
    for root in roots:
        real = os.path.realpath(root / name)
        if not Path(real).is_relative_to(inside):
            continue
        try:
            fd = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            with open(fd, "rb") as file:
                facts = os.fstat(fd)
                if stat.S_ISREG(facts.st_mode) and facts.st_size <= MOST_BYTES:
                    return file.read(MOST_BYTES)
        except OSError:
            continue
    return b""
