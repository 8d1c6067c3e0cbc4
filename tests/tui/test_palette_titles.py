"""Titles in the command palette are text, never markup: they come from the names of a stranger's files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from desktop import make_novel, running
from fake_desk import FakeDesk
from textual.command import CommandPalette
from textual.widgets import OptionList

from writer.manuscript.project import add_chapter
from writer.tui.commands import WriterCommands

TITLES = ("[link=javascript:x]y[/link]", "[@click=app.quit]harbour[/]", "[bold", "[/]", "\\[b]", "Open [b]")


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("query", ["", "open"])
async def test_a_title_that_looks_like_markup_is_shown_as_it_is(tmp_path: Path, title: str, query: str) -> None:
    novel = add_chapter(make_novel(tmp_path), title)
    title = novel.chapters[-1].title
    assert "[" in title
    async with running(novel, FakeDesk()) as desktop:
        await desktop.press("ctrl+p", *query)

        def shown() -> list[str]:
            if not isinstance(desktop.app.screen, CommandPalette):
                return []
            options = desktop.app.screen.query_one(OptionList).options
            return [str(getattr(each.prompt, "plain", each.prompt)).split("\n")[0] for each in options]

        await desktop.until(lambda: f"Open 3 {title}" in shown())


async def test_whatever_the_palette_offers_is_listed_in_the_page_of_keys(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "keys.md").read_text(encoding="utf-8").split("## All commands")[1]
    async with running(make_novel(tmp_path), FakeDesk()) as desktop:
        offered = [(general(name), said) for name, said, _ in WriterCommands(desktop.screen)._commands()]
    names = {name for name, _ in offered}
    assert {"Shorten the passage", "Insert at the cursor", "Takes", "Rename the chapter"} <= names
    assert [name for name, said in offered if f"| {name} | {said} |" not in page] == []


def general(name: str) -> str:
    """As the page has those of which there are several."""
    return re.sub(r"^(Open) \d+ .*", r"\1 *number and title*", re.sub("^(Theme:) .*", r"\1 *name*", name))
