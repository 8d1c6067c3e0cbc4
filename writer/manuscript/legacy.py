"""Chapters that are not UTF-8: read in the encoding that they seem to have, only to be shown and copied.

What is made here never goes back into the file it came from. [door: charset_normalizer]
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from dataclasses import dataclass

from writer.errors import ChapterUnreadable
from writer.language import say
from writer.manuscript.chapter_file import ChapterFile
from writer.manuscript.encoding import decode, digest
from writer.manuscript.model import ChapterText
from writer.manuscript.plausible import CHINESE, CYRILLIC, EVERY, JAPANESE, KOREAN, WESTERN, Reading, reading

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\r\f"})
UNKNOWN = say("unknown encoding")
_Candidate = tuple[str, str, tuple[str, ...]]  # codec, name for people, languages written in it
_SAMPLE = 32 * 1024  # bytes that are looked at closely
_MARKED = (  # by the mark they begin with; that of UTF-32 begins as that of UTF-16 does
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_WIDE = (("utf-16-le", "UTF-16", EVERY), ("utf-16-be", "UTF-16", EVERY))
_CANDIDATES = (  # the earlier wins a draw
    ("cp1252", say("Windows-1252 (Western)"), (WESTERN,)),
    ("gb18030", say("GB 18030 (Chinese)"), (CHINESE,)),
    ("cp950", say("Big5 (Chinese)"), (CHINESE,)),
    ("big5hkscs", say("Big5 (Chinese, Hong Kong)"), (CHINESE,)),
    ("cp932", say("Shift-JIS (Japanese)"), (JAPANESE,)),
    ("euc_jp", say("EUC-JP (Japanese)"), (JAPANESE,)),
    ("cp949", say("EUC-KR (Korean)"), (KOREAN,)),
    ("latin-1", say("Latin-1 (Western)"), (WESTERN,)),
    ("cp1251", say("Windows-1251 (Cyrillic)"), (CYRILLIC,)),
    ("koi8_r", say("KOI8-R (Russian)"), (CYRILLIC,)),
    ("utf-8-sig", "UTF-8", EVERY),  # which some bytes do not fit
    *_WIDE,
)
_ALPHABETS = ("cp1252", "latin-1", "cp1251", "koi8_r")  # of the candidates, those of one byte a letter
_LETTERS = 12  # beyond ASCII: with fewer the library guesses
_OTHERS = {  # more alphabets of one byte a letter, which the library tells apart by their languages
    "cp866": say("DOS 866 (Cyrillic)"),
    "iso8859_5": say("ISO 8859-5 (Cyrillic)"),
    "cp1250": say("Windows-1250 (Central European)"),
    "iso8859_2": say("ISO 8859-2 (Central European)"),
    "cp1253": say("Windows-1253 (Greek)"),
    "cp1254": say("Windows-1254 (Turkish)"),
    "cp1255": say("Windows-1255 (Hebrew)"),
    "cp1256": say("Windows-1256 (Arabic)"),
    "cp1257": say("Windows-1257 (Baltic)"),
    "cp1258": say("Windows-1258 (Vietnamese)"),
    "tis_620": say("TIS-620 (Thai)"),
}


@dataclass(frozen=True, slots=True)
class LegacyText:
    """The text of a chapter file that is not UTF-8. Line breaks are those of the file."""

    text: str
    encoding: str  # a codec of Python; "" where none fits: then each byte is shown as a character of Latin-1
    name: str  # for people: "GB 18030 (Chinese)", "unknown encoding"
    sha256: str  # of the file's bytes
    whole: bool  # every byte became the text that it stands for; if not, this is only fit to be looked at


def read(file: ChapterFile, known: LegacyText | None = None) -> ChapterText | LegacyText:
    """What the file holds, UTF-8 or not; `known` if it still holds that. Raises ChapterUnreadable.

    A file that is no text in any encoding is refused with the same sentence as by `ChapterFile.read`.
    """
    data = file.read_bytes()
    if known is not None and digest(data) == known.sha256:
        return known
    try:
        return decode(data, file.name)
    except ChapterUnreadable:
        if (found := recognise(data)) is None:
            raise
        return found


def recognise(data: bytes) -> LegacyText | None:
    """The text of bytes that are not UTF-8; None if they are no text at all."""
    for mark, encoding, name in _MARKED:
        if data.startswith(mark):
            whole = _decoded(data, encoding, name)
            return whole if whole.whole else _wide(data, ((encoding, name, EVERY),))
    if data.count(0) * 1000 > len(data):  # UTF-16 has a zero byte in each Latin letter
        return _wide(data, _WIDE)
    sample = _sample(data)
    found, encoding, name = _likeliest(sample, _CANDIDATES)
    if encoding in _ALPHABETS or not found.plausible:
        other = _by_library(sample, encoding if found.plausible else "")
        if other:
            return _decoded(data, other, _OTHERS[other])
    if found.plausible:
        return _decoded(data, encoding, name)
    if len(data.translate(None, _CONTROLS)) * 50 < len(data) * 49:  # more of them than any text has
        return None
    return LegacyText(data.decode("latin-1"), "", UNKNOWN, digest(data), whole=False)


def _likeliest(sample: bytes, candidates: Iterable[_Candidate]) -> tuple[Reading, str, str]:
    readings = (
        (reading(sample.decode(encoding, "replace"), languages), encoding, name)
        for encoding, name, languages in candidates
    )
    return min(readings, key=lambda each: each[0].bits)


def _wide(data: bytes, candidates: Iterable[_Candidate]) -> LegacyText | None:
    """In characters of two bytes or more, if that makes it a text."""
    found, encoding, name = _likeliest(data[:_SAMPLE], candidates)
    return _decoded(data, encoding, name) if found.plausible else None


def _decoded(data: bytes, encoding: str, name: str) -> LegacyText:
    try:
        return LegacyText(data.decode(encoding), encoding, name, digest(data), whole=True)
    except UnicodeDecodeError:
        text = data.decode(encoding, "replace")
        return LegacyText(text, encoding, say("{name}, damaged", name=name), digest(data), whole=False)


def _sample(data: bytes) -> bytes:
    """The first lines that are not plain ASCII. A byte of a line break is never a part of a longer character."""
    if len(data) <= _SAMPLE:
        return data
    lines, length, end = [], 0, 0
    while length < _SAMPLE and (odd := _BEYOND_ASCII.search(data, end)):
        start = data.rfind(b"\n", end, odd.start()) + 1 or end
        end = data.find(b"\n", odd.start()) + 1 or len(data)
        start = max(start, odd.start() - _SAMPLE // 2)
        lines.append(data[start : min(end, start + _SAMPLE)])
        length += len(lines[-1])
    return b"".join(lines)


def _by_library(sample: bytes, ours: str) -> str:
    """The library's guess among alphabets, if it is not `ours` and convincing; else ""."""
    if ours and sum(byte >= 0x80 for byte in sample) < _LETTERS:
        return ""
    from charset_normalizer import from_bytes  # only now: it takes 25 ms to import, and hardly anyone needs it

    best = from_bytes(sample, cp_isolation=[*_OTHERS, *_ALPHABETS], enable_fallback=False).best()
    if best is None or best.encoding not in _OTHERS or ours in best.could_be_from_charset:
        return ""
    return best.encoding if best.chaos < 0.1 and best.coherence >= (0.35 if ours else 0.0) else ""
