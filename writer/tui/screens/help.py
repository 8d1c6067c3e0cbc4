"""The help screen: every key, and where the text is."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from writer.language import say
from writer.text.sanitise import one_line
from writer.tui.aligned import padded

KEYS = (
    ("ctrl+g", say("write on at the chapter's end; pause; go on (one key)")),
    ("escape", say("pause while writing; it never removes text")),
    ("f2", say("say what should happen next, then write")),
    ("ctrl+s", say("save now (saving also happens by itself)")),
    ("ctrl+z  ctrl+y", say("undo and redo; a whole generation is one step")),
    ("ctrl+f  ctrl+r", say("find; find and replace")),
    ("f3  shift+f3", say("next match, match before")),
    ("ctrl+l", say("go to a line")),
    ("f4", say("accept generated text: its tint goes")),
    ("f5  f6", say("sampling: how words are drawn; what is sent")),
    ("f7", say("underline unknown words, or stop it")),
    ("f8", say("typewriter: the row you write on stays in the middle")),
    ("f9", say("focus: dim all other paragraphs")),
    ("ctrl+c  ctrl+x", say("copy; cut")),
    ("ctrl+v", say("paste; with shift, any move selects")),
    ("ctrl+n", say("new chapter")),
    ("ctrl+t", say("takes: several texts for one place, side by side")),
    ("alt+g", say("write the last text anew; the former stays as a take")),
    ("alt+t", say("read the thought of a model that thinks first")),
    ("alt+p", say("pause everything, and free the GPU")),
    ("ctrl+o", say("the book: chapters, outline, notes, reading, days")),
    ("f10", say("search and replace in the whole book")),
    ("f12", say("rewrite, shorten, expand, insert; your own prompts")),
    ("ctrl+e", say("other words for a generated one; go on from there")),
    ("tab", say("go between text and chapter list")),
    ("ctrl+p", say("all commands")),
    ("f1", say("this help")),
    ("ctrl+q", say("quit; everything is saved first")),
)


class Help(ModalScreen[None]):
    """Any of escape, f1 and enter closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,enter", "dismiss(None)", say("Back"))]

    def __init__(self, folder: str, with_keys: Callable[[str], str] = str) -> None:
        """`with_keys` puts in the keys that the author has set."""
        super().__init__()
        self._with_keys = with_keys
        self._folder = folder

    def compose(self) -> ComposeResult:
        lines = [f"{padded(self._with_keys(key), 16)}{what}" for key, what in KEYS]
        where = say("Your text is in plain files: {folder}/chapters", folder=one_line(self._folder))
        saved = say(
            "Every word that appears is on disk before you see it. If anything dies, start writer again and go on."
        )
        with VerticalScroll(classes="card"):
            yield Static("\n".join([*lines, "", where, saved]), markup=False)
