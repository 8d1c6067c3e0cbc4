"""The card that is shown with a chapter that is not UTF-8: what it looks like, and what can be done with it."""

from __future__ import annotations

from writer.language import say
from writer.manuscript.legacy import LegacyText
from writer.text.sanitise import one_line
from writer.tui.screens.choice import Choice

COPY, READ = "copy", "read"
_COPY_BUTTON = (COPY, say("Make a copy in UTF-8 and open it"))
_READ_BUTTON = (READ, say("Just read"))


class ConvertCard(Choice):
    """Returns COPY or READ; None is as READ."""

    def __init__(self, title: str, shown: LegacyText) -> None:
        super().__init__(card_lines(title, shown), (_COPY_BUTTON, _READ_BUTTON) if shown.whole else (_READ_BUTTON,))


def card_lines(title: str, shown: LegacyText) -> list[str]:
    """The card's text."""
    lines = [
        say(
            "{title}: the file is not UTF-8 text; {encoding}. It can be read here but not changed.",
            title=one_line(title, 60),
            encoding=looks_like(shown),
        )
    ]
    if shown.whole:
        return [*lines, say("A copy in UTF-8 takes its place in the manuscript. The file itself stays as it is.")]
    return [*lines, say("Save it as UTF-8 in the program it comes from, then open it here again.")]


def looks_like(shown: LegacyText) -> str:
    """What its encoding seems to be, as half a sentence."""
    return say("it looks like {name}", name=shown.name) if shown.encoding else say("its encoding is not known")
