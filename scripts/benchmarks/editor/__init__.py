"""The bench of the manuscript editor: targets P1 to P16 of docs/performance.md."""

from __future__ import annotations

from benchmarks.editor import editing, imports, opening, pasting, resizing, soaking, streaming, typing
from benchmarks.targets import Measure

TARGETS: dict[str, Measure] = {
    "P1": streaming.at_any_size,
    "P2": streaming.against_one_line,
    "P3": streaming.at_the_end_of_one_line,
    "P4": streaming.below_the_view,
    "P5": typing.while_text_streams,
    "P6": editing.at_the_top,
    "P7": opening.to_first_paint,
    "P8": resizing.at_any_size,
    "P9": soaking.for_long,
    "P10": opening.memory_of_a_document,
    "P11": streaming.bytes_to_the_terminal,
    "P12": imports.of_the_app,
    "P13": soaking.pauses_for_garbage,
    "P14": editing.of_a_long_passage,
    "P15": pasting.a_million,
    "P16": typing.onto_a_bracket,
}
