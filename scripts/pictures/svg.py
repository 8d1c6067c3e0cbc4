"""A screenshot of Textual's as a picture of our own: every cell in its place, no window around it, no address in it.

Rich gives each text a length by its count of characters, which squeezes Chinese into half its room. Here each run of
characters of one width gets a place and a length of its own, so that any font will do.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import groupby
from xml.sax.saxutils import escape

from rich.cells import cell_len, get_character_cell_size

CELL, LINE = 12.2, 24.4
"""Rich's: the width of a cell, the height of a row."""
SIZE = CELL / 0.6
"""Of letters that are a cell wide, in a font like JetBrains Mono."""
WIDE = 22.4
"""Size of letters two cells wide: as large as the others look."""
EDGE = 14.0
CORNER = 12.0
FAMILY = "'JetBrains Mono', 'Fira Code', 'Noto Sans Mono CJK SC', 'Noto Sans CJK SC', 'Noto Color Emoji', monospace"

_STYLE = re.compile(r"^\s*\.terminal-\d+-(r\d+) \{ (.*) \}$", re.MULTILINE)
_RECT = re.compile(r'<rect fill="(#\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" shape')
_TEXT = re.compile(r'<text class="terminal-\d+-(r\d+)" x="([\d.]+)" y="([\d.]+)" textLength[^>]*>([^<]*)</text>')
_WORDS = re.compile(r"[^ ]+(?: [^ ]+)*")
"""Several spaces in a row would be drawn as one."""


def picture(exported: str, columns: int, rows: int, background: str) -> str:
    """The picture as SVG. `exported` is what `App.export_screenshot()` gave for a terminal of that size."""
    width, height = columns * CELL + 2 * EDGE, rows * LINE + 2 * EDGE
    styles = "\n".join(f".{name} {{ {rules} }}" for name, rules in _STYLE.findall(exported))
    fills = "\n".join(_fills(exported, columns, rows))
    texts = "\n".join(run for found in _TEXT.findall(exported) for run in _runs(*found))
    window = f'x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1:g}" rx="{CORNER:g}"'
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}">
<style>
text {{ font-family: {FAMILY}; font-size: {SIZE:.3f}px; font-variant-ligatures: none; }}
.wide {{ font-size: {WIDE:g}px; }}
{styles}
</style>
<clipPath id="window"><rect {window}/></clipPath>
<g clip-path="url(#window)">
<rect width="{width:g}" height="{height:g}" fill="{background}"/>
<g transform="translate({EDGE:g}, {EDGE:g})">
<g shape-rendering="crispEdges">
{fills}
</g>
{texts}
</g>
</g>
<rect {window} fill="none" stroke="#ffffff" stroke-opacity="0.18"/>
</svg>
"""


def _fills(exported: str, columns: int, rows: int) -> Iterator[str]:
    """The ground of the cells. At the edge of the terminal it goes on to the edge of the picture."""
    before = ("", 0)
    for fill, *place in _RECT.findall(exported):
        x, y, width, _ = map(float, place)
        row = round((y - 1.5) / LINE)
        left, top, right, bottom = x, row * LINE, x + width, (row + 1) * LINE
        left -= EDGE if left < CELL / 2 else 0
        top -= EDGE if row == 0 else 0
        bottom += EDGE if row == rows - 1 else 0
        if right > (columns - 0.5) * CELL and (width > 1.5 * CELL or before == (fill, row)):
            right += EDGE  # but a scroll bar stays a cell wide
        before = (fill, row)
        yield f'<rect fill="{fill}" x="{left:g}" y="{top:g}" width="{right - left:g}" height="{bottom - top:g}"/>'


def _runs(style: str, x: str, y: str, quoted: str) -> Iterator[str]:
    """The text as elements: one for each run that is sure to be in the font, one for each other character."""
    at = float(x)
    for sure, run in groupby(_characters(html.unescape(quoted).replace("\xa0", " ")), key=_in_the_font):
        for text in ["".join(run)] if sure else run:
            room = cell_len(text) * CELL
            if sure:
                for words in _WORDS.finditer(text):
                    yield _line(style, at + words.start() * CELL, y, words[0])
            elif text.strip():
                yield _alone(style, at + room / 2, y, text)
            at += room


def _in_the_font(character: str) -> bool:
    """ASCII, lines and blocks."""
    return character.isascii() or "\u2500" <= character <= "\u259f"


def _line(style: str, x: float, y: str, text: str) -> str:
    return f'<text class="{style}" x="{x:g}" y="{y}" textLength="{len(text) * CELL:g}">{escape(text)}</text>'


def _alone(style: str, middle: float, y: str, text: str) -> str:
    size = " wide" if cell_len(text) > 1 else ""
    return f'<text class="{style}{size}" x="{middle:g}" y="{y}" text-anchor="middle">{escape(text)}</text>'


def _characters(text: str) -> Iterator[str]:
    """Characters, each with the signs without a cell that follow it."""
    held = ""
    for character in text:
        if held and get_character_cell_size(character):
            yield held
            held = ""
        held += character
    if held:
        yield held
