"""The rows of the tree of takes: under each text what was continued from inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.content import Content

from writer.language import many
from writer.runtime.takes import Take
from writer.text.sanitise import one_line
from writer.tui.takes.board import Board


def tree_rows(board: Board, takes: Iterable[Take]) -> Iterator[tuple[str, Content]]:
    """(generation, row) of each; "●" is in the chapter, "○" beside it."""
    for take in takes:
        mark = "●" if take.inside else "○"
        after = many("after {count:,} token", "after {count:,} tokens", take.parent_tokens) if take.depth else ""
        size = many("{count:,} word", "{count:,} words", take.words)
        told = "  " * take.depth + " · ".join(filter(None, (f"{mark} {size}", board.state(take), after)))
        begins = Content(f"  {one_line(take.text, 200)}").stylize("dim")
        yield take.generation, Content(told) + begins
