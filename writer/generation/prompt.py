"""What is asked of a model, as messages and as plain text. Pure: it becomes ids elsewhere, once.

Instruct models: the chapter so far is an assistant turn that is never closed. Base models: plain continuation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

_LANGUAGES = {"en": "English", "zh": "Chinese", "de": "German", "fr": "French", "es": "Spanish", "ja": "Japanese"}
_GO_ON = "Go on with the chapter from exactly where it stands."
_JOINT = 1200  # characters at a text's end that stand behind a thought, at most


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message for the model's chat template."""

    role: str  # "system", "user" or "assistant"
    content: str


@dataclass(frozen=True, slots=True)
class ChapterPrompt:
    """`messages` go through the chat template; `prefill` follows as the open assistant turn.

    A model without a template gets `plain` instead.
    """

    messages: tuple[ChatMessage, ...]
    prefill: str
    plain: str


def tongue(language: str) -> str:
    """A language by its English name, if we know it: "German" for "de-AT"."""
    return _LANGUAGES.get(language.split("-")[0].lower(), language)


def instructions(language: str) -> str:
    """What the model is told to be, if the author has not written it himself."""
    return (
        f"You are a novelist. You write vivid, coherent prose in {tongue(language)}. "
        "You write the text of the book alone: no remarks, no headings, no summaries."
    )


def report_instructions(language: str) -> str:
    """The same for a report: what is not in the sources is not made up, and what comes from one names it."""
    return (
        f"You write a report. You write clear, sober prose in {tongue(language)}: facts first, short paragraphs. "
        "You take facts and figures from the sources and the text alone; what they do not say, you do not say. "
        "Behind a fact you name its source in brackets, by the heading that it has here. "
        "You write the text of the report alone: no remarks, no summaries."
    )


def chapter_request(manuscript_title: str, chapter_title: str, synopsis: str = "") -> str:
    """Which chapter is written, and what happens in it."""
    asked = f'Write the chapter "{chapter_title}" of the book "{manuscript_title}".'
    return f"{asked} In it: {synopsis.strip()}" if synopsis.strip() else asked


def wish(instruction: str) -> str:
    """What the author wants to happen next."""
    return f"In what follows: {instruction.strip()}" if instruction.strip() else ""


def beginning(language: str) -> str:
    """What is asked for where an author who is new lets an empty chapter begin: little, so that it comes soon."""
    if language.lower().startswith("zh"):
        return "写出这一章的第一段。"
    return "Write the first paragraph of this chapter."


def chat(steady: Sequence[str], chapter: str, asked: str, before: str) -> tuple[ChatMessage, ...]:
    """What stays the same, the chapter, then what is asked; the text `before` that is a turn of its own."""
    system = (ChatMessage("system", "\n\n".join(steady)),) if steady else ()
    if not before:
        return (*system, ChatMessage("user", f"{chapter}\n\n{asked}" if asked else chapter))
    return (
        *system,
        ChatMessage("user", chapter),
        ChatMessage("assistant", before),
        ChatMessage("user", f"{asked}\n\n{_GO_ON}" if asked else _GO_ON),
    )


def plainly(steady: Sequence[str], chapter_title: str, asked: str, before: str, behind: str) -> str:
    """The same as a text that goes on: what is asked stands in brackets, as an author's note to himself."""
    note = f"[{asked}]\n\n" if asked else ""
    head = "\n\n".join(steady)
    text = before + note + behind
    if not (before + behind).lstrip().startswith("# "):
        text = f"# {chapter_title}\n\n{text}"
    return f"{head}\n\n{text}" if head else text


def before_thought(prompt: ChapterPrompt) -> tuple[ChapterPrompt, str]:
    """The prompt for an answer that begins with a thought, and the end of the text, which stands behind the thought.

    So what is written goes on in the middle of a sentence, as without a thought. The text before is a turn of its own.
    """
    at = _last_paragraph(prompt.prefill)
    text, joint = prompt.prefill[:at], prompt.prefill[at:]
    *head, last = prompt.messages or (ChatMessage("user", ""),)
    if not text.strip():
        messages = (*head, last)
        joint = prompt.prefill
    elif head and head[-1].role == "assistant":
        messages = (*head[:-1], ChatMessage("assistant", head[-1].content + text), last)
    else:
        messages = (*head, last, ChatMessage("assistant", text), ChatMessage("user", _GO_ON))
    return replace(prompt, messages=messages, prefill=""), joint


def _last_paragraph(text: str) -> int:
    """Where the last paragraph begins; nearer to the end if that is long."""
    begins = text.rstrip().rfind("\n\n")
    at = begins + 2 if begins >= 0 else 0
    if len(text) - at <= _JOINT:
        return at
    at = len(text) - _JOINT
    blank = text.find(" ", at)
    return blank if blank >= 0 else at  # a blank belongs to the word behind it
