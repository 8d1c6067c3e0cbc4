"""The text of a Word or PDF file, as Markdown, by pypdf or python-docx: they may be missing, and then that is said.

Such files are built to be complicated, and a stranger's may be built to do harm. So they are read in a process of its
own that may use so much time and memory and no more; it is given bytes and gives back text. What comes out is kept in
the cache folder, by the file's SHA-256: the next time costs nothing.
"""

from __future__ import annotations

import contextlib
import io
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from writer import installation, locations
from writer.errors import ManuscriptError, StorageError
from writer.language import say
from writer.manuscript import atomic
from writer.manuscript.encoding import digest

MOST_BYTES = 64 * 1024 * 1024
SECONDS, MEMORY = 60, 2 * 1024 * 1024 * 1024  # for one file: of processor time, bytes
_PAGES, _MOST_TEXT = 3000, 8_000_000  # pages; characters that come back
_MISSING, _PROTECTED, _EMPTY = 3, 4, 5  # exit codes of the reading process
_FORM = "1"  # of the text that is kept: another number, and all are read again
_ROOT = str(Path(__file__).parents[2])
_LIBRARIES = {".pdf": "pypdf", ".docx": "python-docx"}


def text_of(data: bytes, suffix: str, name: str) -> tuple[str, str]:
    """The document's text, and "". `name` is for sentences. Raises ManuscriptError."""
    kept = _kept(data, suffix)
    if kept is not None:
        with contextlib.suppress(OSError, UnicodeDecodeError):
            return kept.read_text("utf-8"), ""
    text = _read(data, suffix, name)
    if kept is not None:
        with contextlib.suppress(OSError):  # a full disk: it is read once more next time
            atomic.write_new(kept, text.encode("utf-8"))
    return text, ""


def _kept(data: bytes, suffix: str) -> Path | None:
    try:
        return locations.private(locations.cache_dir() / "sources") / f"{digest(data)}-{_FORM}{suffix}.md"
    except StorageError:
        return None


def _read(data: bytes, suffix: str, name: str) -> str:
    command = [sys.executable, "-I", "-c", _CHILD, _ROOT, suffix]
    try:
        done = subprocess.run(
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # as long as a hostile file wants it to be, and with its words in it
            timeout=SECONDS * 3,
            env=_bare(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ManuscriptError(
            say("{name} takes too long to read. Save it as text, then put that there.", name=name)
        ) from None
    except OSError as error:
        raise ManuscriptError(
            say("{name} cannot be read now ({why}). Try again.", name=name, why=error.strerror), detail=repr(error)
        ) from error
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "replace")
    library = _LIBRARIES[suffix]
    reasons = {
        _MISSING: say(
            '{name} needs the package {library}. Run "{command}".',
            name=name,
            library=library,
            command=installation.pip("install", library),
        ),
        _PROTECTED: say("{name} is protected by a password. Save it without one.", name=name),
        _EMPTY: say("{name} holds no text, only pictures of it. Put a text of it there.", name=name),
    }
    sentence = reasons.get(
        done.returncode,
        say("{name} cannot be read by {library}. Save it as text, then put that there.", name=name, library=library),
    )
    raise ManuscriptError(sentence, detail=f"the reading process ended with {done.returncode}")


def _bare() -> dict[str, str]:
    """What the reading process is told of its surroundings."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR") if name in os.environ}


# With -I nothing but the installed packages can be imported; ours may stand in a folder that is not installed.
_CHILD = (
    "import sys; sys.path.append(sys.argv[1]); from writer.manuscript import documents; documents.child(sys.argv[2])"
)


def child(suffix: str) -> None:
    """The reading process: bytes come in, text goes out."""
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        text = _EXTRACTORS[suffix](data)
    except ImportError:
        raise SystemExit(_MISSING) from None
    if not text.strip():
        raise SystemExit(_EMPTY)
    sys.stdout.buffer.write(text[:_MOST_TEXT].encode("utf-8", "replace"))


def _pdf(data: bytes) -> str:
    import pypdf

    reader = pypdf.PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise SystemExit(_PROTECTED)
    parts: list[str] = []
    for number, page in enumerate(reader.pages):
        if number == _PAGES or sum(map(len, parts)) > _MOST_TEXT:
            break
        parts.append(page.extract_text().strip())
    return "\n\n".join(part for part in parts if part)


def _docx(data: bytes) -> str:
    import docx
    from docx.table import Table

    parts: list[str] = []
    for block in docx.Document(io.BytesIO(data)).iter_inner_content():
        if isinstance(block, Table):
            rows = [[" ".join(cell.text.split()).replace("|", "\\|") for cell in row.cells] for row in block.rows]
            lines = [f"| {' | '.join(row)} |" for row in rows]
            parts.append("\n".join([*lines[:1], "|" + " --- |" * len(rows[0]), *lines[1:]]) if rows else "")
        else:
            parts.append(_marks((block.style.name if block.style else None) or "") + block.text.strip())
    return "\n\n".join(part for part in parts if part.strip())


def _marks(style: str) -> str:
    """What Markdown writes before a paragraph of this style."""
    if style == "Title":
        return "# "
    if style.startswith("Heading ") and style[8:].isdecimal():
        return "#" * min(6, int(style[8:])) + " "
    return "- " if style.startswith("List ") else ""


_EXTRACTORS: Mapping[str, Callable[[bytes], str]] = {".pdf": _pdf, ".docx": _docx}
