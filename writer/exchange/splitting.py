"""A whole book in Markdown, cut into chapters at its headings. Pure.

Which headings are chapters depends on the book: those of the highest level, unless there is but one of these, which is
the book's title, or there is nothing below them but other headings: then they are parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from writer.exchange.joining import PART
from writer.text.sanitise import one_line

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*?)(?:[ \t]+#+)?[ \t]*\Z")
_LONGEST = 2000  # characters of a heading
_UNDERLINE = re.compile(r" {0,3}=+[ \t]*\Z|(?P<second> {0,3}-{4,}[ \t]*\Z)")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKS = re.compile(r"[*_`]+")
_AROUND = "*_ \t\u3000"
_SPOKEN = (
    "chapter|chapitre|kapitel|cap[íi]tulo|capitolo|hoofdstuk|глава|rozdział|"
    "prologue|epilogue|prolog|epilog|prólogo|epílogo|interlude"
)
_LINE = re.compile(
    rf"[ \t]*(?:(?:{_SPOKEN})\b(?:[ \t]+[^\s.,;]{{1,20}}){{0,3}}(?:[ \t]*[:.–—-][ \t]*.{{0,80}})?"
    r"|第[0-9０-９零〇一二三四五六七八九十百千两]{1,8}[章回节節話话卷][ \t\u3000]*.{0,40}"
    r"|[楔序]子?|[序尾][章声聲])[ \t]*\Z",
    re.IGNORECASE,
)


def has_headings(text: str) -> bool:
    """Whether any line is a heading."""
    return any(section.level for section in _sections(text))


@dataclass(frozen=True, slots=True)
class Piece:
    """One chapter. `text` begins with its heading, if it has one."""

    title: str
    text: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """A book in pieces; `title` if one of its headings was that."""

    pieces: tuple[Piece, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class _Section:
    level: int  # 0: what stands before the first heading
    title: str
    lines: tuple[str, ...]  # below the heading

    @property
    def empty(self) -> bool:
        return not any(line.strip() for line in self.lines)


def cut(text: str) -> Cut:
    """The chapters of a book in Markdown."""
    sections = list(_sections(text))
    headed = [section for section in sections if section.level and not section.title.startswith(PART)]
    if not headed:
        return Cut(tuple(_pieces(sections, 1, frozenset())))
    levels = sorted({section.level for section in headed})
    top = [section for section in headed if section.level == levels[0]]
    bare = len(levels) > 1 and all(_is_bare(sections, section) for section in top)
    if bare and len(top) == 1 and headed[0] is top[0]:
        rest = [section for section in sections if section is not top[0]]
        return Cut(tuple(_pieces(rest, levels[1], frozenset())), plain(top[0].title))
    parts = frozenset(map(id, top)) if bare else frozenset()
    return Cut(tuple(_pieces(sections, levels[1] if bare else levels[0], parts)))


def _is_bare(sections: list[_Section], section: _Section) -> bool:
    """Whether nothing stands below it but a heading of a lower level."""
    at = next(number for number, other in enumerate(sections) if other is section)
    return section.empty and at + 1 < len(sections) and sections[at + 1].level > section.level


def _pieces(sections: list[_Section], level: int, parts: frozenset[int]) -> Iterator[Piece]:
    """Chapters begin at headings of that level or above; their own become the first level."""
    title, part, held = "", "", list[str]()
    for section in sections:
        is_part = id(section) in parts or section.title.startswith(PART)
        begins = is_part or 0 < section.level <= level
        if begins:
            if title or any(line.strip() for line in held):
                yield Piece(title, _tidy(held), part)
            title, held = "", []
        if is_part:
            part = plain(section.title)
            held += section.lines
            continue
        if section.level:
            held.append(f"{'#' * max(1, section.level - level + 1)} {section.title}")
        if begins:
            title = plain(section.title) or "#"
        held += section.lines
    if title or any(line.strip() for line in held):
        yield Piece(title, _tidy(held), part)


def _sections(text: str) -> Iterator[_Section]:
    level, title, lines, fence = 0, "", list[str](), ""
    for line in _with_signs(text.split("\n")):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        found = None if fence or len(line) > _LONGEST else _HEADING.match(line)
        if found:
            yield _Section(level, title, tuple(lines))
            level, title, lines = len(found[1]), found[2], []
        else:
            lines.append(line)
    yield _Section(level, title, tuple(lines))


def _with_signs(lines: list[str]) -> Iterator[str]:
    """Headings that are underlined, with `#` instead. Three dashes are a scene break to many; four may underline."""
    at = 0
    while at < len(lines):
        line, below = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        alone = at == 0 or not lines[at - 1].strip()
        able = alone and 0 < len(line.strip("-= \t")) <= len(line) <= 120 and not _HEADING.match(line)
        found = _UNDERLINE.match(below) if able else None
        if found:
            yield f"{'##' if found['second'] else '#'} {line.strip()}"
            at += 1
        else:
            yield line
        at += 1


def marked(text: str) -> str:
    """A text without headings; lines like "Chapter 3" or "第三章" that stand alone become some, if several do."""
    lines = text.split("\n")
    found = [
        at
        for at, line in enumerate(lines)
        if line.strip() and len(line) <= 120 and _LINE.match(line.strip(_AROUND)) and _alone(lines, at)
    ]
    if len(found) < 2:
        return text
    for at in found:
        lines[at] = f"# {lines[at].strip(_AROUND)}\n"
    return "\n".join(lines)


def _alone(lines: list[str], at: int) -> bool:
    """Whether a line has nothing before it; in Chinese texts the chapter's first line often follows at once."""
    return at == 0 or not lines[at - 1].strip()


def plain(title: str) -> str:
    """A heading's text without its marks."""
    return one_line(_MARKS.sub("", _ESCAPE.sub(r"\1", title.removeprefix(PART)).replace(PART, "")), 200)


def _tidy(lines: list[str]) -> str:
    text = "\n".join(lines).strip("\n")
    return f"{text}\n" if text else ""
