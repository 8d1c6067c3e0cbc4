"""What the screens of the guide say. Pure: facts in, paragraphs out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, Protocol

from writer.catalogue.values import Shelved, Suggestion, gigabytes
from writer.engine.base import EngineStatus
from writer.exchange.wording import main_language
from writer.generation.prompt import beginning
from writer.language import say, spoken
from writer.manuscript.model import Manuscript
from writer.text.sanitise import one_line

Step = Literal["welcome", "machine", "model", "words", "try"]
STEPS: tuple[Step, ...] = ("welcome", "machine", "model", "words", "try")
_MARKS = {"ok": "✓", "warn": "!", "bad": "✗"}
_ORDER = {"bad": 0, "warn": 1, "ok": 2}


class Found(Protocol):
    """One thing that was found on the machine; `state` is "ok", "warn" or "bad"."""

    @property
    def subject(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def sentence(self) -> str: ...
    @property
    def next_step(self) -> str: ...


def title(step: Step) -> str:
    """The name of a screen."""
    match step:
        case "welcome":
            return say("Welcome")
        case "machine":
            return say("Your machine")
        case "model":
            return say("Which model writes")
        case "words":
            return say("Where your words are")
        case "try":
            return say("Try it now")


def welcome(manuscript: Manuscript) -> list[str]:
    """What this is, and in which language."""
    said = [
        say(
            "You write, and when you ask for it a language model writes on in the same text. You may change all of it."
        ),
        say("What you have seen is saved: every word is on the disk before it is on the screen."),
        say("Nothing leaves this machine, unless you download a model or name a server."),
        say(
            "This manuscript, “{title}”, is in {language}, and so is what the model writes.",
            title=one_line(manuscript.title, 100),
            language=tongue(manuscript.language),
        ),
    ]
    if (mine := spoken()) != main_language(manuscript.language):
        said.append(say("For one in {language}: writer new DIR --language {code}", language=tongue(mine), code=mine))
    return said


def machine(found: Sequence[Found] | None) -> list[str]:
    """What was found; None while it is being looked at."""
    if found is None:
        return [say("Looking at this machine…")]
    if any(each.state != "ok" for each in found):
        after = say("What is marked has a next step. You can go on; “writer doctor” tells it again.")
    else:
        after = say("All is well. “writer doctor” tells more.")
    worst_first = sorted(found, key=lambda each: _ORDER.get(each.state, 0))  # a low window shows the beginning
    return ["\n".join(map(_line, worst_first)), after]


def model(problem: str = "", *, none_here: bool = False) -> list[str]:
    """What there is to be known before one is chosen."""
    if problem:
        return [one_line(problem, 300)]
    if none_here:
        return [
            say(
                "No model is here yet, not even the small one: “Your machine” says how to get it. Enter on one of "
                "these asks before it downloads."
            )
        ]
    return [
        say(
            "The small model shows how everything works; it is no novelist. Enter chooses, or asks before it downloads."
        )
    ]


def words(manuscript: Manuscript, state: Path, keys: Iterable[str]) -> list[str]:
    """Where everything lies. `keys`: those for saving and undoing."""
    save, undo = keys
    return [
        say(
            "Your chapters are plain Markdown files: {folder}",
            folder=one_line(str(manuscript.folder / "chapters"), 300),
        ),
        say("Any editor, git and backup understands them."),
        say("What was generated is also kept token by token: {folder}", folder=one_line(str(state), 300)),
        say("If the terminal dies or the power goes, open it again: writing goes on at the next word."),
        say(
            "Saving happens by itself; {save} saves now. {undo} takes a whole generated text back.",
            save=save,
            undo=undo,
        ),
    ]


def trying(
    chapter: str,
    engine: EngineStatus | None,
    with_keys: Iterable[str],
    found: Sequence[Found] | None = None,
    server: str = "",
) -> list[str]:
    """What happens next. `chapter`: its title, "" while none is open. `found` on the machine: what is bad is told.

    `server`: the address of the one that writes, if there is one.

    `with_keys`: for writing, for an instruction, for all commands, for help.
    """
    write, instruct, commands, helped = with_keys
    if engine is not None and engine.state == "ready":
        begin = say("The engine is ready: text comes at once.")
    elif any(each.state == "bad" for each in found or ()):
        begin = say("Something is missing before it can write: go back to “Your machine”, or run “writer doctor”.")
    elif server:
        begin = say("The server {url} writes; what is needed of your text goes there.", url=one_line(server, 100))
    else:
        begin = say(
            "The engine starts first: half a minute with the small model, longer with a large one. Type meanwhile."
        )
    return [
        say("Enter writes at the end of “{chapter}”.", chapter=one_line(chapter, 100)) if chapter else say("Opening…"),
        begin,
        say("{write} pauses, and goes on. {instruct} says what should happen next.", write=write, instruct=instruct),
        say("{commands} has all commands, {help} all keys.", commands=commands, help=helped),
    ]


def first_instruction(text: str, language: str) -> str:
    """What the model is asked for at the end of this text: an empty chapter needs a beginning."""
    prose = "".join(line for line in text.splitlines() if not line.startswith("#"))
    return "" if prose.strip() else beginning(language)


def shelved_row(each: Shelved) -> str:
    """A model that is here."""
    name = say("The small model that comes with writer") if each.place == "small" else one_line(each.name, 200)
    parts = [name, say("in use") if each.chosen else "", gigabytes(each.size) if each.size else ""]
    return " · ".join(filter(None, parts))


def suggested_row(each: Suggestion) -> str:
    """A model that would fit."""
    size = gigabytes(each.variant.weights.size)
    name = one_line(each.variant.hub, 200)
    if each.fit.room:
        row = say(
            "{name} · {size} to download · sets aside {memory} of memory for its text",
            name=name,
            size=size,
            memory=gigabytes(each.fit.room),
        )
    else:
        row = say("{name} · {size} to download, and fits", name=name, size=size)
    return f"{row} · {say('its licence is to be accepted first')}" if each.model.gated else row


def tongue(language: str) -> str:
    """A language by its name; one that has none here by its code."""
    match main_language(language):
        case "en":
            return say("English")
        case "zh":
            return say("Chinese")
        case "de":
            return say("German")
        case "fr":
            return say("French")
        case "es":
            return say("Spanish")
        case "ja":
            return say("Japanese")
    return one_line(language, 40)


def _line(each: Found) -> str:
    step = f"\n  → {one_line(each.next_step, 300)}" if each.next_step else ""
    subject, sentence = one_line(each.subject, 60), one_line(each.sentence, 300)
    mark = _MARKS.get(each.state, "!")
    return say("{mark} {subject}: {sentence}", mark=mark, subject=subject, sentence=sentence) + step
