"""The takes of one chapter: those of one order side by side while they are written, and all of them as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import ContentSwitcher, OptionList

from writer.language import many, say
from writer.runtime.takes import Take
from writer.text.sanitise import one_line
from writer.tui.book.sheet import Rows, Sheet
from writer.tui.takes.columns import Columns, Shown
from writer.tui.takes.tree_rows import tree_rows

if TYPE_CHECKING:
    from writer.tui.screens.takes_actions import TakesActions

_FRAME = 0.2
"""Seconds between two looks at what has been written."""
_TAIL = 40
"""Characters that are told of what a take goes on from."""
CHOOSE, AFTER = "choose", "after"


class TakesSheet(Sheet[tuple[str, str]]):
    """Returns what is to be done, and with which take. Leaving it leaves the takes writing."""

    KEYS: ClassVar[str] = say(
        "Enter, 1–9 choose · left right mark · g pause, go on · p pause all · n new takes · c go "
        "on from its end, f from inside · t tree · w chapters · Esc back"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "mark(-1)", show=False),
        Binding("right", "mark(1)", show=False),
        Binding("up", "scroll_text(-1)", show=False),
        Binding("down", "scroll_text(1)", show=False),
        Binding("pageup", "scroll_text(-10)", show=False),
        Binding("pagedown", "scroll_text(10)", show=False),
        Binding("enter", "choose", show=False),
        *(Binding(str(number), f"choose({number})", show=False) for number in range(1, 10)),
        Binding("g", "turn", show=False),
        Binding("p", "pause_all", show=False),
        Binding("n", "new", show=False),
        Binding("c", "after", show=False),
        Binding("f", "place", show=False),
        Binding("t", "tree", show=False),
        Binding("w", "chapters", show=False),
    ]

    def __init__(self, screen: TakesActions, chapter: str, title: str) -> None:
        super().__init__(say("Takes"))
        self._screen = screen
        self.chapter = chapter
        self._name = one_line(title, 60)
        self._first = ""  # a take of the order that is shown; "" for the newest order
        self._columns = Columns()
        self._rows = Rows()
        self._columns.id, self._rows.id = "columns", "tree"

    def body(self) -> Widget:
        return ContentSwitcher(self._columns, self._rows, initial="columns", classes="body")

    def on_mount(self) -> None:
        self._columns.focus()
        self.set_interval(_FRAME, self.look)
        self.look()

    def newest(self) -> None:
        """Show the takes that were ordered last."""
        self._first, self._columns.marked = "", 0
        self._show_columns()

    # Showing --------------------------------------------------------------------------------------------------

    @property
    def _group(self) -> list[Take]:
        return self._screen.board.group(self.chapter, self._first)

    @property
    def _take(self) -> Take | None:
        if self._in_tree:
            return self._screen.board.take(self._rows.chosen)
        group = self._group
        return group[self._columns.marked] if self._columns.marked < len(group) else None

    @property
    def _in_tree(self) -> bool:
        return self.query_one(ContentSwitcher).current == "tree"

    def look(self) -> None:
        """Show what is known now."""
        board, group = self._screen.board, self._group
        self._columns.show([self._shown(number, take) for number, take in enumerate(group, 1)])
        if self._in_tree:
            self._rows.fill(list(tree_rows(board, board.takes(self.chapter))))
        self.entitle(" · ".join(filter(None, self._title_parts(group))))

    def _title_parts(self, group: list[Take]) -> Iterator[str]:
        board = self._screen.board
        yield say("Takes of {name}", name=self._name)
        if waiting := sum(count for chapter, count in board.ordered.values() if chapter == self.chapter):
            yield say("{count} more: the engine reads the chapter…", count=waiting)
        elif not board.takes(self.chapter):
            yield say("none yet: n writes some")
        elif self._in_tree:
            yield say("{count} texts", count=len(board.takes(self.chapter)))
        elif not group:
            yield say("none beside it: n writes some, t shows its texts")
        else:
            yield say("{count} at once", count=len(group)) if len(group) > 1 else say("1 take")
            yield group[0].instruction
            if before := one_line(group[0].before[-_TAIL:]):
                yield say("after “…{before}”", before=before)
        take = self._take
        if take is not None and (live := board.live.get(take.generation)) and live.why:
            yield live.why

    def _shown(self, number: int, take: Take) -> Shown:
        size = many("{count:,} word", "{count:,} words", take.words)
        head = f"{number} · {size} · {self._screen.board.state(take)}"
        return Shown(take.generation, head, take.text.lstrip("\n"))

    # Keys -----------------------------------------------------------------------------------------------------

    def action_mark(self, by: int) -> None:
        self._columns.mark(self._columns.marked + by)
        self.look()

    def action_scroll_text(self, by: int) -> None:
        if column := self._columns.column:
            column.scroll.scroll_relative(y=by, animate=False)

    def action_choose(self, number: int = 0) -> None:
        group = self._group
        take = self._take if not number else group[number - 1] if number <= len(group) else None
        if take is not None:
            self.dismiss((CHOOSE, take.generation))

    def on_columns_chosen(self) -> None:
        self.action_choose()

    def action_after(self) -> None:
        if take := self._take:
            self.dismiss((AFTER, take.generation))

    def action_place(self) -> None:
        """Go on from a place inside of it."""
        if (take := self._take) and take.text:
            from writer.tui.takes.place_sheet import PlaceSheet

            def chosen(characters: int | None) -> None:
                if characters is not None:
                    self._screen.ordering.ask_after(take, characters)

            self.app.push_screen(PlaceSheet(take.text), chosen)

    def action_turn(self) -> None:
        if take := self._take:
            self._screen.turn_take(take)

    def action_pause_all(self) -> None:
        for take in self._screen.board.takes(self.chapter):
            if self._screen.board.busy(take.generation):
                self._screen.turn_take(take)

    def action_new(self) -> None:
        self._screen.ordering.ask_at_end(self.chapter)

    def action_chapters(self) -> None:
        self.dismiss(None)
        self._screen.action_write_chapters()

    def action_tree(self) -> None:
        if self._in_tree:
            self._show_columns()
            return
        self.query_one(ContentSwitcher).current = "tree"
        self.look()
        self._rows.focus()

    def _show_columns(self) -> None:
        self.query_one(ContentSwitcher).current = "columns"
        self._columns.focus()
        self.look()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A take of the tree: shown with those that were written with it."""
        event.stop()
        self._first = self._rows.name_at(event.option_index)
        names = [take.generation for take in self._group]
        self._columns.marked = names.index(self._first) if self._first in names else 0
        self._show_columns()
