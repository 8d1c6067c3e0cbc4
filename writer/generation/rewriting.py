"""Asking a model to rewrite a passage: the prompt, and how long the answer may be. Pure.

A model that follows instructions sees the text on both sides and is asked for the passage alone. A model that only
continues text gets two worked examples instead, or the author a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from writer.errors import RequestRefused
from writer.generation.prompt import ChapterPrompt, ChatMessage
from writer.generation.rewriting_examples import END, examples
from writer.generation.sampling import Sampling
from writer.language import say
from writer.text.sentences import sentences

BEFORE, AFTER = 4000, 2000  # characters of the text around that are shown at most


class Kind(StrEnum):
    """What is done to a selection. `TENSE` and `VIEW` take what they change to from the author's wish."""

    REWRITE = "rewrite"
    SHORTEN = "shorten"
    EXPAND = "expand"
    TENSE = "tense"
    VIEW = "view"
    FREE = "free"
    INSERT = "insert"


@dataclass(frozen=True, slots=True)
class Passage:
    """A selection and what stands around it, in characters of one chapter."""

    before: str
    text: str
    after: str

    @classmethod
    def of(cls, chapter: str, start: int, end: int) -> Passage:
        """[start, end) of the chapter, with a bounded part of its surroundings, cut where sentences begin or end."""
        return cls(_last(chapter[:start]), chapter[start:end], _first(chapter[end:]))


_SYSTEM = (
    "You are the line editor of a book. You revise one passage of it so that it fits between the text before it and "
    "the text after it. Keep its language, the author's style, the names, and how dialogue and emphasis are marked. "
    "Notes are the author's own; follow them where they concern the passage. "
    "Reply with the revised passage alone: no remarks, no heading, no quotation marks around it, and nothing of the "
    "text before or after it."
)
_TASKS = {
    Kind.REWRITE: "Rewrite the passage: the same events and meaning, better prose, about the same length.",
    Kind.SHORTEN: "Shorten the passage to about half its length. Keep what matters to the story.",
    Kind.EXPAND: "Expand the passage to about twice its length with concrete detail. Add no new events.",
    Kind.TENSE: "Change the tense of the passage to {wish}. Change nothing else.",
    Kind.VIEW: "Change the point of view of the passage to {wish}. Change nothing else.",
    Kind.FREE: "Revise the passage: {wish}",
}
_DEFAULT_WISHES = {
    Kind.TENSE: "the present tense, or to the past tense if it is in the present tense",
    Kind.VIEW: "the third person, or to the first person if it is in the third person",
}
_GROWTH = {Kind.SHORTEN: 1.0, Kind.EXPAND: 3.0, Kind.FREE: 3.0}
_ROOM = 48  # tokens for a passage of a word or two


def rewriting_prompt(kind: Kind, passage: Passage, wish: str = "", notes: Sequence[str] = ()) -> ChapterPrompt:
    """The prompt of any kind but INSERT. What changes from try to try stands last, for the prefix cache.

    `notes` are what the author has written on style, characters and places, as far as it belongs here.

    `plain`, for a model without a chat template, is "" where such a model cannot do it: see `require_able`.
    """
    user = f"{shown(passage, notes)}\n\n{task(kind, wish)}"
    return ChapterPrompt((ChatMessage("system", _SYSTEM), ChatMessage("user", user)), "", _plain(kind, passage, wish))


def shown(passage: Passage, notes: Sequence[str]) -> str:
    """What the model is shown, each part between marks that name it; an empty one is left out."""
    around = [("before", passage.before), ("after", passage.after), ("passage", passage.text)]
    parts = [("notes", "\n\n".join(notes)), *around]
    return "\n\n".join(f"<{name}>\n{text.strip()}\n</{name}>" for name, text in parts if text.strip())


def task(kind: Kind, wish: str = "") -> str:
    """The sentence that asks for it. Raises RequestRefused if it needs a wish and there is none."""
    wish = " ".join(wish.split())
    if kind is Kind.FREE and not wish:
        raise RequestRefused(say("Say what should become of the passage, then try again."))
    if "{wish}" in _TASKS[kind]:
        return _TASKS[kind].replace("{wish}", (wish or _DEFAULT_WISHES[kind]).rstrip(". ") + ".").replace("..", ".")
    return f"{_TASKS[kind]} {wish}".strip()


def require_able(prompt: ChapterPrompt, *, has_template: bool) -> None:
    """Raises RequestRefused if this model can only continue text, and there are no examples of the task."""
    if not has_template and not prompt.plain:
        raise RequestRefused(
            say(
                "This model only continues text and follows no instructions. Shorten or expand a passage without a "
                "wish of your own, or choose a model that is made for instructions."
            )
        )


def token_limit(kind: Kind, selection_tokens: int) -> int:
    """Most tokens an answer may have. It ends by itself; this stops a model that does not."""
    return _ROOM + int(selection_tokens * _GROWTH.get(kind, 2.0))


def answer_sampling(sampling: Sampling, limit: int, *, by_example: bool) -> Sampling:
    """How a rewriting is drawn. The passage stands in the prompt, so nothing may punish words that come again.

    A model that goes by examples ends where the next one would begin.
    """
    return replace(
        sampling,
        max_tokens=limit,
        min_tokens=0,
        ignore_eos=False,
        repetition_penalty=1.0,
        dry_multiplier=0.0,
        presence_penalty=0.0,
        frequency_penalty=0.0,
        stop=(*sampling.stop, f"\n{END}") if by_example else sampling.stop,
    )


def _plain(kind: Kind, passage: Passage, wish: str) -> str:
    shots = () if wish.strip() else examples(kind.value, passage.text)
    if not shots:
        return ""
    name = shots[0].name
    told = "".join(f"Original:\n{shot.before}\n\n{name}:\n{shot.after}\n\n{END}\n\n" for shot in shots)
    return f"{told}Original:\n{passage.text.strip()}\n\n{name}:\n"


def _last(text: str) -> str:
    """The end of a text, from where a sentence begins."""
    if len(text) <= BEFORE:
        return text
    part = text[-BEFORE:]
    spans = sentences(part)
    return part[spans[1][0] :] if len(spans) > 1 else part


def _first(text: str) -> str:
    """The beginning of a text, to where a sentence ends."""
    if len(text) <= AFTER:
        return text
    part = text[:AFTER]
    spans = sentences(part)
    return part[: spans[-1][0]] if len(spans) > 1 else part
