"""A stranger's file, looked at before anything is done with it: what it is, and whether it is safe to unpack.

A Word or EPUB file is a zip. Its sizes may be lies, so everything in it is unpacked once, to nowhere, and counted.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

from writer.errors import ExchangeError
from writer.language import say
from writer.manuscript.encoding import decode, is_utf8
from writer.manuscript.legacy import recognise
from writer.text.sanitise import one_line

MOST_BYTES = 128 * 1024 * 1024  # of a file
MOST_UNPACKED, MOST_ENTRIES = 384 * 1024 * 1024, 10_000  # bytes and files in a zip
MOST_TEXT = 32 * 1024 * 1024  # bytes of a text
_CHUNK = 1024 * 1024
_OFFICE = b"\xd0\xcf\x11\xe0"
_KINDS = {".docx": "docx", ".epub": "epub", ".odt": "odt", ".html": "html", ".htm": "html", ".xhtml": "html"}
_TEXTS = {".md": "md", ".markdown": "md", ".txt": "txt", ".text": "txt"}
_ENDINGS = say("docx, odt, epub, html, md and txt")
_DC = "{http://purl.org/dc/elements/1.1/}"


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file that may be read. `text` is that of a text or page, else ""."""

    name: str
    kind: str
    """ "docx", "epub", "odt", "html", "md" or "txt"."""
    data: bytes
    text: str
    note: str
    """One sentence about how it was read; "" if there is nothing to say."""


def receive(path: Path) -> Incoming:
    """Read and check the file. Raises ExchangeError."""
    name = one_line(path.name, 80)
    kind = (_KINDS | _TEXTS).get(path.suffix.lower(), "")
    if not kind:
        raise ExchangeError(
            say(
                "{name} is of a kind that cannot be imported; {endings} can. Save it as one of these.",
                name=name,
                endings=_ENDINGS,
            )
        )
    data = _bytes(path, name)
    if data.startswith(_OFFICE):
        raise ExchangeError(
            say("{name} has a password, or is an old Word file. Save it as .docx without a password.", name=name)
        )
    if kind in ("docx", "epub", "odt"):
        check_zip(data, name)
        return Incoming(name, kind, data, "", "")
    if len(data) > MOST_TEXT:
        raise ExchangeError(
            say(
                "{name} is larger than {most_text} MB. Split it, then import the parts.",
                name=name,
                most_text=MOST_TEXT // 1024**2,
            )
        )
    text, note = _decoded(data, name)
    return Incoming(name, kind, text.encode("utf-8"), text, note)


def _bytes(path: Path, name: str) -> bytes:
    try:
        if path.is_dir():
            raise ExchangeError(
                say("{name} is a folder and not a file. Name the file that you want to import.", name=name)
            )
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            facts = os.fstat(fd)
            if not stat.S_ISREG(facts.st_mode):
                raise ExchangeError(say("{name} is not a file. Name the file that you want to import.", name=name))
            if facts.st_size > MOST_BYTES:
                raise ExchangeError(
                    say(
                        "{name} is larger than {most_bytes} MB. Take images out of it first.",
                        name=name,
                        most_bytes=MOST_BYTES // 1024**2,
                    )
                )
            return file.read(MOST_BYTES)
    except FileNotFoundError:
        raise ExchangeError(say("There is no file {name}. Check the name, then try again.", name=name)) from None
    except OSError as error:
        sentence = say(
            "{name} cannot be read ({why}). Check its permissions, then try again.", name=name, why=error.strerror
        )
        raise ExchangeError(sentence, detail=repr(error)) from error


def _decoded(data: bytes, name: str) -> tuple[str, str]:
    """The text with "\\n" for line breaks, and a sentence if it is not UTF-8."""
    note = ""
    if is_utf8(data):
        text = decode(data, name).text
    else:
        found = recognise(data)
        if found is None or not found.whole:
            raise ExchangeError(
                say("{name} is no text in an encoding that is known here. Save it as UTF-8, then try again.", name=name)
            )
        text, note = (
            found.text,
            say(
                "{name} was read as {found}. If letters are wrong, save it as UTF-8 first.", name=name, found=found.name
            ),
        )
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff"), note


def check_zip(data: bytes, name: str) -> None:
    """Raises ExchangeError if unpacking this would fill the memory, or put files where they do not belong."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            entries = package.infolist()
            if len(entries) > MOST_ENTRIES:
                raise ExchangeError(
                    say("{name} has far too many files in it to be a book. Save it again, then try that.", name=name)
                )
            _check_names(entries, name)
            _check_sizes(package, entries, name)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError) as error:
        sentence = say(
            "{name} is damaged, or not what its name says. Save it again in the program it comes from.", name=name
        )
        raise ExchangeError(sentence, detail=repr(error)) from error


def _check_names(entries: list[zipfile.ZipInfo], name: str) -> None:
    for entry in entries:
        inside = PurePosixPath(entry.filename.replace("\\", "/"))
        if inside.is_absolute() or ".." in inside.parts or ":" in entry.filename:
            raise ExchangeError(
                say(
                    "{name} wants to put files outside of its place, so it is not read. Get it from a source you "
                    "trust.",
                    name=name,
                )
            )
        if entry.flag_bits & 1 or str(inside) == "META-INF/rights.xml":
            raise ExchangeError(
                say("{name} is protected by a password or by its shop. Save it without that.", name=name)
            )


def _check_sizes(package: zipfile.ZipFile, entries: list[zipfile.ZipInfo], name: str) -> None:
    left = MOST_UNPACKED
    for entry in entries:
        with package.open(entry) as file:
            while chunk := file.read(_CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise ExchangeError(
                        say(
                            "{name} unpacks to more than {most_unpacked} MB, so it is not read. Take images out of it, "
                            "or get it from a source you trust.",
                            name=name,
                            most_unpacked=MOST_UNPACKED // 1024**2,
                        )
                    )


def core_facts(data: bytes) -> dict[str, str]:
    """Title and author that a Word file tells of itself; what cannot be read is missing."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            told = package.read("docProps/core.xml")
        if len(told) > 65536 or b"<!" in told.replace(b"<!--", b""):  # no entities, no surprises
            return {}
        root = ElementTree.fromstring(told)
    except (KeyError, zipfile.BadZipFile, ElementTree.ParseError, ValueError):
        return {}
    found = {key: root.findtext(f"{_DC}{tag}") for key, tag in (("title", "title"), ("author", "creator"))}
    return {key: value.strip() for key, value in found.items() if value and value.strip()}
