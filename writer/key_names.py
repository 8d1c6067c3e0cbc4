"""The keys that an author may change: their names, which keys are taken, and what of a key map is wrong. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from writer.language import say


@dataclass(frozen=True, slots=True)
class KeySettings:
    """`[keys]`: what is pressed on the main screen. Each is one key, such as "ctrl+g", "alt+w" or "f2"."""

    write: str = "ctrl+g"
    """Writes on; pauses; goes on."""
    instruct: str = "f2"
    """Asks what should happen next, then writes."""
    find: str = "ctrl+f"
    """Find in the chapter."""
    replace: str = "ctrl+r"
    """Find and replace in the chapter."""
    find_next: str = "f3"
    """The next match."""
    find_previous: str = "shift+f3"
    """The match before."""
    go_to_line: str = "ctrl+l"
    """Goes to a line."""
    accept: str = "f4"
    """Accepts generated text."""
    sampling: str = "f5"
    """How words are drawn."""
    inspect: str = "f6"
    """What the model is given."""
    spelling: str = "f7"
    """Underlines unknown words."""
    typewriter: str = "f8"
    """Typewriter scrolling."""
    focus: str = "f9"
    """Dims the other paragraphs."""
    search_book: str = "f10"
    """Search and replace in the book."""
    rewrite: str = "f12"
    """Rewrites the selection, or inserts."""
    other_words: str = "ctrl+e"
    """Other words for a generated one."""
    takes: str = "ctrl+t"
    """The takes of the chapter."""
    retry: str = "alt+g"
    """Writes the last text anew."""
    thought: str = "alt+t"
    """The thought of a model that thinks."""
    chapters: str = "ctrl+o"
    """The book: chapters, outline, notes."""
    new_chapter: str = "ctrl+n"
    """A new chapter."""
    free_gpu: str = "alt+p"
    """Pauses everything and frees the GPU."""
    undo: str = "ctrl+z"
    """Takes back the last change."""
    redo: str = "ctrl+y"
    """Puts it back."""
    save: str = "ctrl+s"
    """Saves now."""
    help: str = "f1"
    """All keys."""
    quit: str = "ctrl+q"
    """Saves everything and leaves."""


TAKEN: Mapping[str, str] = {
    **dict.fromkeys(("ctrl+a", "ctrl+c", "ctrl+x", "ctrl+v"), say("is for selecting and copying")),
    **dict.fromkeys(("ctrl+w", "ctrl+u", "ctrl+k", "alt+d", "alt+backspace", "ctrl+delete"), say("deletes text")),
    "ctrl+p": say("shows all commands"),
    **dict.fromkeys(("ctrl+i", "ctrl+j", "ctrl+m", "ctrl+h"), say("is Tab, Enter or Backspace to a terminal")),
}
"""Keys that cannot be given, and why."""
_KEY = re.compile(r"(?:shift\+)?f(?:[1-9]|1[0-2])|(?:ctrl|alt)\+(?:[a-z0-9]|f(?:[1-9]|1[0-2])|delete|backspace)")


def key_map(keys: KeySettings) -> dict[str, str]:
    """Name → key, of those that are not the usual ones."""
    usual = KeySettings()
    return {
        each.name: getattr(keys, each.name)
        for each in fields(keys)
        if getattr(keys, each.name) != getattr(usual, each.name)
    }


def wrong_key(keys: KeySettings) -> tuple[str, str]:
    """The name of the first key that cannot be, and why, as the end of a sentence; ("", "") if all can.

    Two names with one key are a conflict: what is not the usual key is to blame.
    """
    by_key: dict[str, str] = {each.default: each.name for each in fields(KeySettings)}  # type: ignore[misc]
    changed = key_map(keys)
    for name in changed:
        by_key.pop(getattr(KeySettings(), name))
    for name, key in changed.items():
        if key in TAKEN:
            return name, say('cannot be "{key}", which {why}. Choose another key.', key=key, why=TAKEN[key])
        if not _KEY.fullmatch(key):
            return name, say('must be one key that is no letter of the text, such as "f11", "ctrl+b" or "alt+w".')
        if key in by_key:
            return name, say(
                'cannot be "{key}", which is the key of "{name}". Give that one another key, too.',
                key=key,
                name=by_key[key],
            )
        by_key[key] = name
    return "", ""
