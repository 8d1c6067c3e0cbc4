"""A chapter's text as strict Markdown, for a converter that knows no author's habits. Pure.

An author presses Enter once between paragraphs, or writes in lines of 80 characters, or indents by hand; in strict
Markdown the first would flow together and the last be code. Scene breaks get one form. Words are never changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, pairwise

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_BREAK = re.compile(r"[ \t\u3000]*(?:([-*_＊])[ \t\u3000]*(?:\1[ \t\u3000]*){2,}|#[ \t]*|[⁂※][ \t]*)\Z")
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|\Z)")
_OPENS = re.compile(r"[ \t]*(?:[-+*][ \t]|\d{1,9}[.)][ \t]|>|\||<|\[\^?[^\]]+\]:)|#{1,6}[ \t]")
_ROW = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\Z")
_WIDEST = 4000  # columns of a table
_FOOTNOTE = re.compile(r"\[\^([^\]\s^]{1,60})\]")
_ENDED = re.compile(r"[.!?…:;。！？：；—–-][\"'”’»)\]*_」』》）]*\s*\Z")
_LEAST_WRAPPED, _MOST_WRAPPED = 40, 120  # columns; shorter lines are verses, longer ones were not wrapped by hand
SCENE = "***"


def strict(text: str, *, prose: bool, notes: str) -> str:
    """The text with blank lines between its paragraphs. `notes` goes before the names of its footnotes.

    In `prose` white space at the beginning of a line is the author's indentation, else it may be code.
    """
    blocks: list[str] = []
    for fenced, lines in _fenced(text):
        if fenced:
            blocks.append("\n".join(lines))
        else:
            told = [_FOOTNOTE.sub(lambda found: f"[^{notes}{found[1]}]", line) for line in lines]
            blocks += _blocks(told, prose)
    return "\n\n".join(blocks)


def demoted(text: str) -> str:
    """The text with every heading of the first level behind its first one a level lower: a chapter has one title."""
    seen = False
    lines = []
    for fenced, run in _fenced(text):
        for line in run:
            found = None if fenced or _BREAK.match(line) else _HEADING.match(line)
            if found and len(found[1]) == 1:
                line, seen = (f"#{line.lstrip(' ')}" if seen else line), True
            lines.append(line)
    return "\n".join(lines)


def _fenced(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Runs of lines, and whether they are a block of code between fences."""
    fence, run = "", list[str]()
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            run.append(line)
            if found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
                yield True, run
                fence, run = "", []
        elif found:
            yield False, run
            fence, run = found[1], [line]
        else:
            run.append(line)
    yield bool(fence), run


def _blocks(lines: list[str], prose: bool) -> Iterator[str]:
    for blank, group in groupby(lines, key=lambda line: not line.strip(" \t\u3000\r")):
        if not blank:
            yield from _block([line.rstrip("\r") for line in group], prose)


def _block(lines: list[str], prose: bool) -> Iterator[str]:
    """Paragraphs of lines that stand together."""
    for is_break, group in groupby(lines, key=lambda line: bool(_BREAK.match(line))):
        run = list(group)
        if is_break:
            yield from [SCENE] * len(run)
            continue
        while run and _HEADING.match(run[0]):
            yield run.pop(0).strip()
        if run:
            yield from _text(run, prose)


def _text(run: list[str], prose: bool) -> Iterator[str]:
    table = "|" in run[0] and any(len(line) <= _WIDEST and _ROW.match(line.strip()) for line in run[1:2])
    code = not prose and run[0].startswith(("    ", "\t"))
    if table or code or _OPENS.match(run[0]):
        yield "\n".join(run)
        return
    run = [line.lstrip(" \t\u3000") for line in run] if prose else [line.lstrip("\u3000") for line in run]
    heading = next((at for at, line in enumerate(run) if _OPENS.match(line)), len(run))
    text, rest = run[:heading], run[heading:]
    yield from (["\n".join(text)] if _wrapped(text) else _paragraphs(text))
    if rest:
        yield from _block(rest, prose)


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Each line is one, unless it ends in a hard break."""
    held: list[str] = []
    for line in lines:
        held.append(line)
        if not line.endswith(("  ", "\\")):
            yield "\n".join(held)
            held = []
    if held:
        yield "\n".join(held)


def _wrapped(lines: list[str]) -> bool:
    """Whether somebody has cut one paragraph into lines: in mid-sentence, and the next word would never have fitted."""
    widest = max((len(line) for line in lines), default=0)
    if not _LEAST_WRAPPED < widest <= _MOST_WRAPPED or all(_ENDED.search(line) for line in lines[:-1]):
        return False
    return all(len(line) + 1 + len(after.split(" ", 1)[0]) > widest for line, after in pairwise(lines))
