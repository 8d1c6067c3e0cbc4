"""Writing between two texts: the prompt of an insertion, with what follows in the model's view. Pure.

Models that were trained to fill in the middle have marks for it in their vocabulary. They take the text on both sides
as it is and no wish; models made for instructions are asked, and shown both sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from writer.errors import RequestRefused
from writer.generation.prompt import ChapterPrompt, ChatMessage
from writer.generation.rewriting import Passage, shown
from writer.generation.rewriting_answer import before_what_follows, cleaned, whole_sentences, without_loop
from writer.language import say


@dataclass(frozen=True, slots=True)
class Marks:
    """How a family of models writes a gap. The text after the gap comes first in some."""

    prefix: str
    suffix: str
    middle: str  # "" where the answer simply goes on behind the text before the gap
    suffix_first: bool = False


FAMILIES = (
    Marks("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),  # Qwen, CodeGemma
    Marks("<fim_prefix>", "<fim_suffix>", "<fim_middle>"),  # StarCoder, Granite, Refact, Stable Code
    Marks("<fim-prefix>", "<fim-suffix>", "<fim-middle>"),  # SantaCoder
    Marks("<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"),  # GLM
    Marks("<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),  # DeepSeek
    Marks("▁<PRE>", "▁<SUF>", "▁<MID>"),  # Code Llama
    Marks("<PRE>", "<SUF>", "<MID>"),
    Marks("[PREFIX]", "[SUFFIX]", "", suffix_first=True),  # Codestral
)


@dataclass(frozen=True, slots=True)
class Gap:
    """The ids of a model's marks; see Marks."""

    prefix: int
    suffix: int
    middle: int | None
    suffix_first: bool

    def ids(self, opening: Sequence[int], before: Sequence[int], after: Sequence[int]) -> tuple[int, ...]:
        """The prompt: `opening` is what the model begins every prompt with (BOS), or empty."""
        if self.suffix_first:
            parts = (self.suffix, *after, self.prefix, *before)
        else:
            parts = (self.prefix, *before, self.suffix, *after)
        return (*opening, *parts, *(() if self.middle is None else (self.middle,)))


def gap_of(special: Mapping[str, int]) -> Gap | None:
    """The marks of a tokenizer, from its special tokens and their ids; None if it has none."""
    for marks in FAMILIES:
        wanted = [mark for mark in (marks.prefix, marks.suffix, marks.middle) if mark]
        ids = [special[mark] for mark in wanted if mark in special]
        if len(ids) == len(wanted) == len(set(ids)):  # a tokenizer that knows none may answer one id for all
            return Gap(ids[0], ids[1], ids[2] if marks.middle else None, marks.suffix_first)
    return None


def mark_texts() -> tuple[str, ...]:
    """Every mark of every family, to ask a tokenizer about. One that it knows is one id."""
    return tuple(
        dict.fromkeys(mark for marks in FAMILIES for mark in (marks.prefix, marks.suffix, marks.middle) if mark)
    )


_SYSTEM = (
    "You are the author of a book. You write what is missing in it, between the text before a gap and the text after "
    "it, so that all three read as one. Keep their language, tense, point of view and style. Reply with the missing "
    "text alone: no remarks, no heading, and nothing of the text before or after the gap."
)


def insertion_prompt(passage: Passage, wish: str = "", notes: Sequence[str] = (), *, words: int = 150) -> ChapterPrompt:
    """Asks for about so many words between the two texts. `plain` is "": without a template it takes a Gap."""
    after = passage.after.strip()
    wish = " ".join(wish.split()).rstrip(".")
    ask = f"Write the missing text, about {words} words."
    ask += f" In it: {wish}." if wish else ""
    ask += " It begins where <before> ends." if passage.before.strip() else ""
    ask += " It ends where <after> begins." if after else ""
    return ChapterPrompt(
        (ChatMessage("system", _SYSTEM), ChatMessage("user", f"{shown(passage, notes)}\n\n{ask}")), "", ""
    )


def require_gap(gap: Gap | None, wish: str) -> Gap:
    """For a model without a chat template. Raises RequestRefused if it cannot write into the middle, or take a wish."""
    if gap is None:
        raise RequestRefused(
            say(
                "This model can only write on at the end of a text, not into the middle. Choose a model that is made "
                "for instructions, or one that can fill in the middle."
            )
        )
    if wish.strip():
        raise RequestRefused(
            say(
                "This model fills the middle from the text on both sides alone. Try again without a wish, or choose a "
                "model that is made for instructions."
            )
        )
    return gap


def inserted(answer: str, passage: Passage, *, filled: bool = False, cut_short: bool = False) -> str:
    """The text to put into the gap. `filled` tells that it came from marks, and so begins where the text before ends.

    It never repeats the beginning of what follows, and leaves no two words stuck together.
    """
    if filled:
        text = before_what_follows(answer, passage.after)
        if cut_short:
            text = without_loop(whole_sentences(text))
        return fitted(text, passage.before, passage.after, begun=True)
    text = cleaned(answer, before=passage.before, after=passage.after, cut_short=cut_short)
    return fitted(text, passage.before, passage.after)


def fitted(text: str, before: str, after: str, *, begun: bool = False) -> str:
    """The text with the blank that it needs on either side, and no second one.

    `begun` text may go on in mid-word, so nothing comes before it.
    """
    if not text.strip():
        return ""
    in_word = bool(before and after) and before[-1].isalnum() and after[0].isalnum()
    text = text.rstrip() if not after or after[0].isspace() else text
    text = text.lstrip() if not begun or not before or before[-1].isspace() else text
    head = _blank(before, text, " ") if not begun else ""
    tail = _blank(text, after, "\n\n" if "\n" in text.strip() else " ") if not in_word else ""
    return head + text + tail


def _blank(left: str, right: str, blank: str) -> str:
    """`blank` where two words or sentences would stand against each other without it."""
    if not left or not right or left[-1].isspace() or right[0].isspace():
        return ""
    opened = left[-1] in "([{“„‘«»—–-" and not (left[-1] in "»" and len(left) > 1 and not left[-2].isspace())
    unspaced = max(left[-1], right[0]) > "\u2e7f"
    return "" if opened or unspaced or right[0] in ".,;:!?…)]}”’»—–-" else blank
