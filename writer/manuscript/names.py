"""Titles and file names of chapters, each made from the other. Letters of every script stay."""

from __future__ import annotations

import os
import re
import stat
import time
import unicodedata
from pathlib import Path

from writer.text.sanitise import one_line

RECORD = "arranging.json"
"""In the state folder: a change of chapters that is being carried out. Looked for at each start, so it stands here."""
_HEAD = 4096  # bytes in which a heading is looked for
_HEADING = re.compile(r"#[ \t]+(.*?)[ \t#]*")
_HEAD_LINES = re.compile(r"---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"^[0-9]+[\s._-]*")


def title_of(file: Path) -> str:
    """The `# heading` that a chapter begins with, else what its file name says. Never raises."""
    return heading(_beginning(file)) or file_title(file.name)


def heading(text: str) -> str:
    """The readable `# heading` that a text begins with, as one safe line; "" if there is none."""
    line = heading_line(text)
    found = _HEADING.fullmatch(text[line[0] : line[1]]) if line else None
    return one_line(found[1], 120) if found else ""


def heading_line(text: str) -> tuple[int, int] | None:
    """Where that heading stands, [start, end) in characters, without its line break.

    It is the first line that is not blank; what a head between lines of `---` says is not looked at. A heading further
    down belongs to the text: a model may write one at any time, and the chapter keeps its title.
    """
    start = _behind_head(text[:_HEAD])
    bare = text[start:_HEAD].lstrip()
    start = len(text[:_HEAD]) - len(bare)
    line = bare.splitlines()[0] if bare else ""
    found = _HEADING.fullmatch(line)
    return (start, start + len(line)) if found and "\ufffd" not in found[1] and one_line(found[1], 120) else None


def _behind_head(text: str) -> int:
    found = _HEAD_LINES.match(text)
    return found.end() if found else 0


def file_title(name: str) -> str:
    """What a file's name says: "The harbour" for "03-the-harbour.md"."""
    stem = os.path.splitext(name)[0]
    title = one_line(re.sub(r"[-_]+", " ", _NUMBER.sub("", stem) or stem), 120)
    return title[:1].upper() + title[1:]


def file_name(number: int, title: str, attempt: int = 1) -> str:
    """ "03-the-harbour.md"; `attempt` above 1 makes another one of the same title."""
    again = f"-{attempt}" if attempt > 1 else ""
    return f"{number:02d}-{slug(title) or 'chapter'}{again}.md"


def aside_name(path: Path, label: str, number: int = 1) -> str:
    """What a text that is kept beside this file is called: "03-the-harbour (conflict 2026-11-29).md"."""
    stem = os.fsencode(path.stem)[:150].decode("utf-8", "ignore")
    label = re.sub(r"[^\w -]", "", label) or "copy"
    day = time.strftime("%Y-%m-%d")
    return f"{stem} ({label} {day}{f' {number}' if number > 1 else ''}){path.suffix}"


def slug(title: str) -> str:
    """The title's letters and digits in lower case, joined by hyphens; at most 60 characters and 150 bytes."""
    letters = (
        c if c.isalnum() or unicodedata.category(c)[0] == "M" else "-" for c in unicodedata.normalize("NFC", title)
    )
    joined = re.sub("-+", "-", "".join(letters).lower())[:60]
    return joined.encode("utf-8", "ignore")[:150].decode("utf-8", "ignore").strip("-")


def _beginning(file: Path) -> str:
    try:
        fd = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as opened:
            data = opened.read(_HEAD) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        return ""
    return data.decode("utf-8-sig", "replace")
