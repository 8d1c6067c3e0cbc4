"""Asking a model what happens in a chapter. Pure: the prompt, and what of a long chapter is shown in it."""

from __future__ import annotations

from dataclasses import replace

from writer.generation.plan_parts import chunks
from writer.generation.prompt import ChapterPrompt, ChatMessage, tongue
from writer.generation.sampling import Sampling

WORDS = 150  # of a summary, at most
_TOKENS = 400  # enough for them in any script
_COLDEST = 0.3  # a summary invents nothing
_GAP = "\n\n[…]\n\n"
_SYSTEM = (
    "You sum up chapters of a book for its author, who must not contradict them later. Name who does what and where, "
    "what changes, what is promised, hidden or still open. Write plain sentences in the present tense, in {tongue}. "
    "Reply with the summary alone: no heading, no remarks."
)


def summary_prompt(manuscript_title: str, chapter_title: str, language: str, text: str, window: int) -> ChapterPrompt:
    """The request for a summary, for a model whose window holds so many tokens."""
    shown = shortened(text, window - _TOKENS)
    chapter = f'The chapter "{chapter_title}" of the book "{manuscript_title}":\n\n{shown.strip()}'
    asked = f"Sum up this chapter in at most {WORDS} words."
    system = _SYSTEM.format(tongue=tongue(language))
    messages = (ChatMessage("system", system), ChatMessage("user", f"{chapter}\n\n{asked}"))
    return ChapterPrompt(messages, "", f"{chapter}\n\nWhat happens in this chapter, in short:")


def summary_sampling(sampling: Sampling) -> Sampling:
    """As the author has it, but colder and short."""
    temperature = min(sampling.temperature, _COLDEST)
    return replace(sampling, temperature=temperature, max_tokens=_TOKENS, min_tokens=0, stop=(), ignore_eos=False)


def shortened(text: str, tokens: int) -> str:
    """Beginning and end of a text of more than so many tokens, guessed high; what is left out stands as […]."""
    room = tokens * 0.8  # the rest is for the request
    parts = list(chunks(text))
    if sum(map(_weight, parts)) <= room:
        return text
    head: list[str] = []
    tail: list[str] = []
    while parts:
        side, part = (head, parts.pop(0)) if len(head) <= len(tail) else (tail, parts.pop())
        room -= _weight(part)
        if room < 0:
            break
        side.append(part)
    return "".join(head).rstrip() + _GAP + "".join(reversed(tail)).lstrip()


def _weight(text: str) -> float:
    """Tokens, guessed: letters of an alphabet come several to a token, other signs one or two tokens each."""
    plain = sum(map(str.isascii, text))
    return plain * 0.4 + (len(text) - plain) * 1.5
