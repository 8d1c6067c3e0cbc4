"""What is done in the recording, key by key: a passage, a gap, a word, and how words are drawn."""

from __future__ import annotations

import re
from collections.abc import Callable

from recording.terminal import Terminal
from writer.presets import WRITING
from writer.tui.prompt.fields import GROUPS

Still = Callable[[str], None]
PROMPT = "$ "
CHAPTER = "the-lamp.md"
TEMPERATURE, REPETITION, DRY, XTC = "temperature", "repetition_penalty", "dry_multiplier", "xtc_probability"
"""What is changed in the sampling sheet."""
ROWS = [name for names in GROUPS.values() for name in names]
"""Of the sampling sheet, from above to below."""
LONG = 300.0
"""Seconds that a slow machine may need."""
COUNTING = """\
# Counting

The first wave came in, and she counted one. The second wave came in, and she counted two. The third wave came in, and \
she counted"""
SETTINGS = """
[settings.writing]
temperature = 0.0
max_tokens = 120
seed = 1

[settings.editor]
width = 66
"""
"""One seed: so that the next recording has the same words, more or less."""


FILES = {"counting.md": COUNTING, "settings.toml": SETTINGS}
"""What lies in the session's home, beside the chapter."""


def play(terminal: Terminal, still: Still) -> None:
    """The whole session. `still` keeps the screen under a name. Raises NotShown."""
    _open(terminal)
    _rewrite(terminal, still)
    _insert(terminal, still)
    _another_word(terminal, still)
    _loops(terminal, still)


def _open(terminal: Terminal) -> None:
    terminal.until(PROMPT)
    terminal.command('writer new harbour --title "The Harbour Wall"')
    terminal.until("Made")
    terminal.command(f"cp {CHAPTER} harbour/chapters/01-chapter-1.md; cp counting.md harbour/chapters/")
    terminal.command("cat settings.toml; cat settings.toml >> harbour/writer.toml")
    terminal.hold(2)
    terminal.command("writer harbour")
    terminal.until("The last ferry")
    terminal.hold(1)


def _rewrite(terminal: Terminal, still: Still) -> None:
    """A paragraph in other words: what would change is shown piece by piece, and one piece is not taken."""
    terminal.press("ctrl+home", "ctrl+down", "f12")
    terminal.until("Shorten: about")
    terminal.press("tab")
    terminal.hold(1.5)
    terminal.press("r")
    _answered(terminal)
    if many := re.search(r"(\d+) changes,", terminal.text()):
        terminal.press(*["down"] * (int(many[1]) - 1), "space")
        terminal.hold(1.5)
    still("rewriting")
    _leave(terminal)


def _insert(terminal: Terminal, still: Still) -> None:
    """New text at the end of the first paragraph, which fits what comes before and behind; with livelier words."""
    _set(terminal, (TEMPERATURE, "0.7"))
    terminal.press("ctrl+home", "ctrl+down", "ctrl+down", "left", "left", "f12")
    terminal.until("Insert at the cursor")
    terminal.hold(1)
    terminal.press("i")
    terminal.until("Enter asks the model")
    terminal.type("A gull lands beside her.")
    terminal.press("enter")
    _answered(terminal)
    still("insertion")
    _leave(terminal)


def _another_word(terminal: Terminal, still: Still) -> None:
    """What might have stood in place of one word of what was just written; the model goes on from another one."""
    terminal.press("ctrl+end")
    _written(terminal, "ctrl+g")
    terminal.press("ctrl+end", *["ctrl+left"] * 12, "ctrl+e")
    terminal.until("Instead of")
    terminal.hold(2.5)
    still("words")
    terminal.press("down", "enter")
    _answered(terminal)
    _leave(terminal)


def _loops(terminal: Terminal, still: Still) -> None:
    """A text in which the likeliest word is always the same again; then with DRY; then drawn, with XTC."""
    terminal.press("tab", "down", "enter")
    terminal.until("The first wave")
    _set(terminal, (TEMPERATURE, "0"), (REPETITION, "1"))
    _written(terminal, "ctrl+g")
    still("repeating")
    _set(terminal, (DRY, "0.8"))
    _written(terminal, "alt+g")
    still("dry")
    _set(terminal, (TEMPERATURE, "0.7"), (XTC, "0.5"))  # at 0 there is no draw that it could change
    _written(terminal, "alt+g")
    still("xtc")


def _set(terminal: Terminal, *changes: tuple[str, str]) -> None:
    """Change rows of the sampling sheet, from above to below."""
    terminal.press("f5")
    terminal.until(WRITING[ROWS[0]].says[:30])
    at = 0
    for name, value in changes:
        row = ROWS.index(name)
        terminal.press(*["down"] * (row - at))
        terminal.until(WRITING[name].says[:30])  # its explanation: this is the row
        terminal.press("enter")
        terminal.until("Enter saves it")
        terminal.type(value)
        terminal.press("enter")
        terminal.until("Saved in writer.toml")
        terminal.hold(1)
        at = row
    terminal.hold(1.5)
    terminal.press("escape")
    terminal.until("^g ")


def _written(terminal: Terminal, key: str) -> None:
    """Have the model write, to its end."""
    terminal.press(key)
    terminal.until("Writing chapter", "^g Pause", seconds=LONG)
    terminal.until("· saved", gone="^g Pause", seconds=LONG)
    terminal.hold(2.5)


def _answered(terminal: Terminal) -> None:
    """Wait for what was asked for on a card."""
    terminal.until("Enter take", seconds=LONG)
    terminal.until(" taken", "[✓]", gone="· writing…", seconds=LONG)
    terminal.hold(2)


def _leave(terminal: Terminal) -> None:
    """Take what is marked on the card."""
    terminal.press("enter")
    terminal.look(1.5)
    if "Enter take" in terminal.text():
        terminal.press("escape")
    terminal.until("^g ")
    terminal.hold(2)


__all__ = ["CHAPTER", "FILES", "PROMPT", "Still", "play"]
