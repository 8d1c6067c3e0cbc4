"""Text whose indented lines stay indented where they are wrapped: a next step stands below what it belongs to."""

from __future__ import annotations

import re
from typing import Any

from textual.content import Content

_INDENT = re.compile(r" +(?:→ )?")
_LEAST = 8
"""Cells of text beside an indent; where there are fewer, lines are wrapped as usual."""


class Hanging(Content):
    """Such a text, which finds its rows by the width it is given."""

    def get_height(self, rules: Any, width: int) -> int:
        return hung(self, width).get_height(rules, width)

    def render_strips(self, width: int, *arguments: Any, **named: Any) -> Any:
        return hung(self, width).render_strips(width, *arguments, **named)


def hung(text: Content, width: int) -> Content:
    """The text with the rows of its indented lines, in so many cells; other lines are left as they are."""
    return Content("\n").join(row for line in text.split("\n", allow_blank=True) for row in _rows(line, width))


def _rows(line: Content, width: int) -> list[Content]:
    found = _INDENT.match(line.plain)
    indent = found.end() if found else 0
    if not indent or width - indent < _LEAST:
        return [line]
    first, *others = line[indent:].wrap(width - indent)
    return [Content.assemble(line[:indent], first), *(Content.assemble(" " * indent, row) for row in others)]
