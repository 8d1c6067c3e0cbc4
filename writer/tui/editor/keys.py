"""The keyboard in the editor: typing, moving, selecting, deleting, cut and paste. Every move works with shift too."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType

from writer.editing import moves
from writer.editing.sheet import Sheet
from writer.editing.typography import front_matter
from writer.editing.typography import typed as typographic
from writer.tui.editor.clipboard import copy
from writer.tui.editor.surface import Surface
from writer.tui.typed import typed

MOVES = {
    "left": "left",
    "right": "right",
    "up": "up",
    "down": "down",
    "home": "row_start",
    "end": "row_end",
    "ctrl+left": "word_left",
    "ctrl+right": "word_right",
    "ctrl+up": "paragraph_up",
    "ctrl+down": "paragraph_down",
    "pageup": "page_up",
    "pagedown": "page_down",
    "ctrl+home": "text_start",
    "ctrl+end": "text_end",
}
"""Key → the move it makes."""
FRONT = 4000
"""Characters in which a chapter's front matter is looked for."""
CONTEXT = 1000
"""Characters before the cursor that decide what a quote becomes."""


def shifted(key: str) -> str:
    """The same key with shift: "ctrl+left" is "ctrl+shift+left"."""
    return key.replace("ctrl+", "ctrl+shift+") if "+" in key else f"shift+{key}"


def _bindings() -> list[BindingType]:
    pairs = [(key, f"move('{move}')") for key, move in MOVES.items()]
    pairs += [(shifted(key), f"move('{move}', True)") for key, move in MOVES.items()]
    pairs += [
        ("backspace", "delete('left')"),
        ("delete", "delete('right')"),
        ("ctrl+w,alt+backspace", "delete('word_left')"),
        ("ctrl+delete,alt+d", "delete('word_right')"),
        ("ctrl+u", "delete('row_start')"),
        ("ctrl+k", "delete('row_end')"),
        ("ctrl+a", "select_all"),
        ("ctrl+c", "copy"),
        ("ctrl+x", "cut"),
        ("ctrl+v", "paste"),
    ]
    return [Binding(key, action, show=False) for key, action in pairs]


class Typing(Surface):
    """Turns keys into changes of the sheet."""

    BINDINGS: ClassVar[list[BindingType]] = _bindings()
    acts_at_once = True
    """What it is bound to happens when the key comes, before the next one; see `tui.key_door`."""

    def __init__(self, *arguments: object, **named: object) -> None:
        super().__init__(*arguments, **named)  # type: ignore[arg-type]
        self.typography = ""
        """The language whose quotes and dashes are put in; empty: none are."""
        self._aim = moves.Aim()

    # Moving ---------------------------------------------------------------------------------------------------

    def action_move(self, move: str, select: bool = False) -> None:
        sheet = self.sheet
        before, _ = self.cursor_row()
        had = sheet.selected
        offset, upstream = self._target(move)
        if had[0] < had[1] and not select and move in ("left", "right"):
            offset, upstream = had[move == "right"], False
        sheet.break_step()
        sheet.select(sheet.mark if select else offset, offset, upstream=upstream)
        if select or had[0] != had[1]:
            self.refresh()
        self._author_moved(before)

    def _target(self, move: str) -> tuple[int, bool]:
        return moves.target(self.sheet, move, self._aim, max(1, self.rows_in_view - 1))

    def _author_moved(self, before: int) -> None:
        self.follow = False
        self.reveal()
        self.follow = self.at_end and self.sheet.cursor == self.sheet.length
        self.repaint_cursor(before)

    def action_select_all(self) -> None:
        self.select(0, self.sheet.length)

    # Changing -------------------------------------------------------------------------------------------------

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Every character that is not a control character is typing, unlike in Textual (`str.isprintable`)."""
        return not self.read_only and self._types(key, character)

    def _types(self, key: str, character: str | None) -> bool:
        """Whether the key is typing. Terminals send alt with a letter as that letter after an escape.

        Only where that is a key of ours it is one: an escape may as well come just before what is typed.
        """
        known = {*self._bindings.key_to_bindings, *self.screen._bindings.key_to_bindings}
        ours = key.startswith("alt+") and key in known.union(getattr(self.app, "changed_keys", {}).values())
        return typed(character) and not ours

    async def _on_key(self, event: events.Key) -> None:
        text = "\n" if event.key == "enter" else event.character if self._types(event.key, event.character) else ""
        if text and not self.read_only:
            self.type_in(text)
        elif not await self._act(event.key):
            return
        event.stop()
        event.prevent_default()

    async def _act(self, key: str) -> bool:
        """Do what the key is bound to in the editor. Textual would do it only after what was typed next meanwhile."""
        for binding in self._bindings.key_to_bindings.get(key, ()):
            if await self.app.run_action(binding.action, self):
                return True
        return False

    def type_in(self, text: str) -> None:
        """Insert at the cursor what the author has typed."""
        self._edit(lambda sheet: sheet.type(text))
        if self.typography and len(text) == 1 and text != "\n":
            self._set_type(text)

    def _set_type(self, text: str) -> None:
        """Put in the typographic character, as a step of its own: one undo gives back what was typed."""
        sheet = self.sheet
        start, _ = sheet.document.span(sheet.cursor)
        if start < FRONT and start < front_matter(sheet.document.slice(0, FRONT)):
            return
        before = sheet.document.slice(max(start, sheet.cursor - CONTEXT), sheet.cursor - 1)
        typeset = typographic(before, text, self.typography)
        if typeset is not None:
            sheet.select(sheet.cursor - typeset.removed, sheet.cursor)
            self._edit(lambda sheet: sheet.type(typeset.inserted, pasted=True))

    def _edit(self, edit: Callable[[Sheet], None]) -> None:
        """Let the author's edit happen, and show where it was."""
        if self.read_only:
            return
        before, _ = self.cursor_row()
        had = self.sheet.selected
        edit(self.sheet)
        self._aim.clear()
        if had[0] != had[1]:
            self.refresh()
        self._author_moved(before)

    def action_delete(self, move: str) -> None:
        start, end = self.sheet.selected
        if start == end:
            target, _ = self._target(move)
            start, end = sorted((start, target))
        if start < end:
            self._edit(lambda sheet: sheet.delete(start, end))

    # Clipboard ------------------------------------------------------------------------------------------------

    def action_copy(self) -> None:
        text = self.sheet.selected_text()
        if not text:
            raise SkipAction
        if sentence := copy(self.app, text):
            self.notify(sentence, markup=False)

    def action_cut(self) -> None:
        if self.read_only:
            raise SkipAction
        self.action_copy()
        self.action_delete("left")

    def action_paste(self) -> None:
        """Paste what this window copied last. The terminal's own paste key brings what other programs copied."""
        self._paste(self.app.clipboard)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self._paste(event.text)

    def _paste(self, text: str) -> None:
        """Terminals send a carriage return for a line break."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if text:
            self._edit(lambda sheet: sheet.type(text, pasted=True))
