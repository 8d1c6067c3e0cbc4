"""The prompt of a chapter, the simplest honest one. Pure: what is asked becomes ids elsewhere, once.

Instruct models: the chapter so far is an assistant turn that is never closed. Base models: plain continuation.
"""

from __future__ import annotations

from dataclasses import dataclass

_LANGUAGES = {"en": "English", "zh": "Chinese", "de": "German", "fr": "French", "es": "Spanish", "ja": "Japanese"}


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


def chapter_prompt(
    *, manuscript_title: str, chapter_title: str, language: str, text: str, instruction: str = ""
) -> ChapterPrompt:
    """Asks for the chapter to go on after `text`. What changes per request stands last, for the prefix cache."""
    tongue = _LANGUAGES.get(language.split("-")[0].lower(), language)
    system = (
        f"You are a novelist. You write vivid, coherent prose in {tongue}. "
        "You write the text of the book alone: no remarks, no headings, no summaries."
    )
    wish = f" In what follows: {instruction.strip()}" if instruction.strip() else ""
    user = f'Write the chapter "{chapter_title}" of the book "{manuscript_title}".{wish}'
    return ChapterPrompt(
        messages=(ChatMessage("system", system), ChatMessage("user", user)),
        prefill=text,
        plain=text or f"# {chapter_title}\n\n",
    )
