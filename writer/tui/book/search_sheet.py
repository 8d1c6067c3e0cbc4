"""Search and replace over the whole book."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList

from writer.editing.find import BadPattern, Finder, Query, compile
from writer.language import many, say, together
from writer.text.sanitise import one_line, visible
from writer.tui.book.searching import Found, Hit, look_through
from writer.tui.book.sheet import Rows, Sheet
from writer.tui.editor.find_bar import FindBar
from writer.tui.working import work_anew

if TYPE_CHECKING:
    from writer.tui.screens.manuscript import ManuscriptScreen


class SearchSheet(Sheet[Hit]):
    """Returns the place to go to."""

    KEYS: ClassVar[str] = say("Enter to the list, then to the place · Tab around the bar · Esc back")
    DEFAULT_CSS = "SearchSheet FindBar { dock: bottom; }"

    def __init__(self, screen: ManuscriptScreen, pattern: str) -> None:
        super().__init__(say("Search the book"))
        self._screen, self._pattern = screen, pattern
        self._rows, self._bar = Rows(), FindBar()
        self._finder: Finder | None = None
        self._found: Found | None = None

    def body(self) -> Widget:
        return Vertical(self._rows, self._bar, classes="body")

    def on_mount(self) -> None:
        self._bar.open(replacing=True, pattern=self._pattern)

    # Searching ------------------------------------------------------------------------------------------------

    def on_find_bar_searched(self, event: FindBar.Searched) -> None:
        self._search(event.query)

    def _search(self, query: Query) -> None:
        self._finder, self._found = None, None
        try:
            self._finder = compile(query) if query.pattern else None
        except BadPattern as error:
            self._bar.tell(error.sentence)
        self._screen.last_search = query.pattern
        work_anew(self, "search", self._look, self._finder)

    async def _look(self, finder: Finder | None) -> None:
        if finder is None:
            self._rows.fill([])
            return
        texts = {path: page.editor.text for path, page in self._screen.pages.items()}
        found = await asyncio.to_thread(look_through, self._screen.manuscript, finder, texts)
        self._found = found
        self._bar.tell(together(_told(found), *found.sentences[:2]))
        titles = {chapter.path: f"{chapter.number} {chapter.title}" for chapter in self._screen.manuscript.chapters}
        self._rows.fill(list(_rows(found, titles)))

    # What the author does -------------------------------------------------------------------------------------

    def on_find_bar_moved(self, event: FindBar.Moved) -> None:
        """From the bar into the list, where Enter goes to the place."""
        if self._found and self._found.hits:
            self._rows.focus()

    def on_find_bar_closed(self, event: FindBar.Closed) -> None:
        self.dismiss(None)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self._found is not None:
            self.dismiss(self._found.hits[int(self._rows.name_at(event.option_index))])

    def on_find_bar_replaced(self, event: FindBar.Replaced) -> None:
        if not event.all:
            self._bar.tell(say("Enter in the list goes to a place; Replace all asks before it changes anything."))
            return
        if self._found is None or not self._found.count or self._finder is None:
            self._bar.tell(say("Nothing is found to be replaced."))
            return
        from writer.tui.screens.choice import Choice

        finder, counts, new = self._finder, self._found.counts, event.replacement
        lines = [
            say(
                "Replace {places} in {chapters}?",
                places=many("{count:,} place", "{count:,} places", self._found.count),
                chapters=many("{count:,} chapter", "{count:,} chapters", len(counts)),
            ),
            say("“{pattern}” becomes “{new}”.", pattern=one_line(finder.query.pattern, 100), new=one_line(new, 100)),
            say("In open chapters Ctrl+Z takes it back. Of all others the former text is kept among the versions."),
        ]
        card = Choice(lines, (("back", say("Back")), ("replace", say("Replace all"))))
        self.app.push_screen(card, lambda answer: self._replace(finder, counts, new) if answer == "replace" else None)

    def _replace(self, finder: Finder, counts: dict[str, int], new: str) -> None:
        self._screen.replace_in_book(finder, new, tuple(counts))
        self.dismiss(None)


def _told(found: Found) -> str:
    if not found.count:
        return say("none")
    chapters = many("{count:,} chapter", "{count:,} chapters", len(found.counts))
    if len(found.hits) == found.count:
        return say("{hits:,} in {chapters}", hits=found.count, chapters=chapters)
    return say(
        "{hits:,} in {chapters}, the first {shown:,} are shown",
        hits=found.count,
        chapters=chapters,
        shown=len(found.hits),
    )


def _rows(found: Found, titles: dict[str, str]) -> Iterator[tuple[str, Content]]:
    path = ""
    for number, hit in enumerate(found.hits):
        if hit.path != path:
            path = hit.path
            yield "", Content(f"{one_line(titles.get(path, path), 80)}: {found.counts[path]:,}")
        row = Content(f"  {visible(hit.line)}")
        yield str(number), row.stylize("bold underline", hit.start + 2, hit.end + 2)
