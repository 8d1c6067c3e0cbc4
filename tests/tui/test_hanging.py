"""Indented lines stay indented where they are wrapped."""

from __future__ import annotations

from pathlib import Path

from desktop import make_novel, running
from fake_desk import FakeDesk
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from test_guide import shown
from textual.content import Content

from writer.doctor.finding import Finding
from writer.tui.widgets.hanging import hung

STEP = "! Disk: full.\n  → Free some space on it, then look again."


def rows(text: str, width: int) -> list[str]:
    return [row.rstrip() for row in hung(Content(text), width).plain.split("\n")]


def test_a_next_step_stands_below_what_it_belongs_to() -> None:
    assert rows(STEP, 20) == ["! Disk: full.", "  → Free some space", "    on it, then look", "    again."]
    assert rows(STEP, 80) == STEP.split("\n")
    assert rows("  → 请在磁盘上腾出一些空间", 14) == ["  → 请在磁盘上", "    腾出一些空", "    间"]


def test_where_there_is_no_room_for_an_indent_lines_are_left_alone() -> None:
    assert rows(STEP, 9) == STEP.split("\n")
    assert rows("One.\n\nA long line that has no indent.\n", 12) == ["One.", "", "A long line that has no indent.", ""]


@given(st.lists(st.text(alphabet="ab 海→\u0301", max_size=40), max_size=4), st.integers(1, 30))
def test_no_letter_is_lost_and_no_row_is_too_wide(lines: list[str], width: int) -> None:
    text = "\n".join(f"  → {line}" for line in lines)
    found = hung(Content(text), width).plain
    assert found.replace(" ", "").replace("\n", "") == text.replace(" ", "").replace("\n", "")
    if width >= 12:
        assert all(cell_len(row.rstrip()) <= width for row in found.split("\n"))


async def test_the_guide_shows_it_so(tmp_path: Path) -> None:
    step = "Free some space on the disk of your manuscript, or put the manuscript on another disk that has more room."
    async with running(make_novel(tmp_path), FakeDesk()) as desktop:
        await shown(desktop, None, "welcome")
        desktop.app.examine = desktop.app.screen._examine = lambda: [Finding("Disk", "warn", "It is full.", step)]  # type: ignore[attr-defined]
        desktop.app.screen._look_at_machine()  # type: ignore[attr-defined]
        await desktop.press("n")

        def screen() -> list[str]:
            return [strip.text.strip("\n") for strip in desktop.app.screen._compositor.render_strips()]

        await desktop.until(lambda: any("  → Free some space" in row for row in screen()))
        at = next(number for number, row in enumerate(screen()) if "→ Free" in row)
        arrow = screen()[at].index("→")
        assert screen()[at + 1].startswith(" " * (arrow + 2))
        assert screen()[at + 1].strip()
