"""Bytes of a chapter to text and back, so that what the author did not touch stays byte for byte. Pure."""

from __future__ import annotations

import codecs
import hashlib
import re
from dataclasses import replace

from writer.errors import ChapterUnreadable
from writer.language import say
from writer.manuscript.model import ChapterText

_SURROGATE = re.compile("[\ud800-\udfff]")


def digest(data: bytes) -> str:
    """The sha256 by which a chapter's content is known."""
    return hashlib.sha256(data).hexdigest()


def is_utf8(data: bytes) -> bool:
    """Whether `decode` can read these bytes."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def decode(data: bytes, name: str) -> ChapterText:
    """The text of a chapter file. Raises ChapterUnreadable that tells the first byte that is not UTF-8."""
    bom = data.startswith(codecs.BOM_UTF8)
    skip = len(codecs.BOM_UTF8) if bom else 0
    try:
        text = data[skip:].decode("utf-8")
    except UnicodeDecodeError as error:
        raise ChapterUnreadable(
            say(
                "{name} is not UTF-8 text (byte {start:,} does not fit). Save it as UTF-8 in the program it "
                "comes from, then open it again.",
                name=name,
                start=error.start + skip,
            )
        ) from None
    breaks = text.count("\r\n")
    crlf = breaks > 0 and text.count("\r") == breaks == text.count("\n")
    return ChapterText(text.replace("\r\n", "\n") if crlf else text, digest(data), crlf=crlf, bom=bom)


def whole(text: str) -> str:
    """The text with each lone surrogate, which no file can hold, as U+FFFD. Same length."""
    return _SURROGATE.sub("\ufffd", text)


def encode(text: str, like: ChapterText) -> bytes:
    """The bytes of `text` in the style (line breaks, BOM) of `like`."""
    text = whole(text)
    if like.crlf:  # a pasted CRLF must not become CR CR LF
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    return (codecs.BOM_UTF8 if like.bom else b"") + text.encode("utf-8")


def like(text: ChapterText, before: ChapterText) -> ChapterText:
    """The text of a file that had one kind of line ends `before`, though another program has mixed them.

    Without this a merge would take every line for a changed one. Saved, all of them are of the more frequent kind.
    """
    breaks, lines = text.text.count("\r\n"), text.text.count("\n")
    if "\r" in before.text or not breaks or text.text.count("\r") > breaks:
        return text
    return replace(text, text=text.text.replace("\r\n", "\n"), crlf=breaks * 2 > lines)
