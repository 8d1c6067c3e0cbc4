"""From what a model answered to the passage it was asked for. Pure.

Models put remarks around a text, quote it, fence it, or go on with what follows. What the original has itself stays.
Each step takes away only what it knows; a text that it does not know is left as it came.
"""

from __future__ import annotations

import re

from writer.generation.rewriting_examples import END
from writer.generation.rewriting_remarks import without_remarks
from writer.text.sentences import complete, sentences

_FENCE = re.compile(r"\s*(```+|~~~+)[^\n`]*\n([\s\S]*?)(?:\n\s*\1\s*|\Z)")
_TAGGED = re.compile(r"<(passage|text|revised|rewritten|revised_passage|answer)>([\s\S]*?)(?:</\1>|\Z)", re.IGNORECASE)
_STRAY_TAG = re.compile(r"\s*</?(?:passage|before|after)>\s*", re.IGNORECASE)
_THOUGHT = re.compile(r"\A(?:\s*<think(?:ing)?>[\s\S]*?(?:</think(?:ing)?>|\Z)|[\s\S]*</think(?:ing)?>)", re.IGNORECASE)
_EXAMPLE_END = re.compile(rf"\n\s*(?:{re.escape(END)}|Original:|原文：)[\s\S]*\Z")
_WORDS, _SIGNS = 8, 12  # of what follows that must come again to count as an echo, or all of its first sentence
_MARKS = dict.fromkeys('"“”„', '["“”„]') | dict.fromkeys("'’‘", "['’‘]")
_CIRCLE, _TURNS = 4, 3  # sentences that come again, at least so often
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "»": "«", "「": "」", "『": "』", "'": "'", "‘": "’"}


def cleaned(answer: str, original: str = "", *, before: str = "", after: str = "", cut_short: bool = False) -> str:
    """The passage alone, with the white space at its ends that the original has.

    `cut_short` says that the limit of tokens ended the answer: then a sentence that is not complete goes.
    """
    text = _THOUGHT.sub("", answer)
    text = _without_example(text, original)
    text = _unwrapped(text, original)
    text = without_remarks(text, original)
    text = unquoted(_unwrapped(text, original).strip(), original)
    if before_what_follows(original, after) == original:  # else the author repeats it himself
        text = without_echo(text, before, after)
    if cut_short:
        text = without_loop(whole_sentences(text))
    return _as_at_the_ends_of(original, text)


def unquoted(text: str, original: str) -> str:
    """Without quotation marks around the whole; marks around a speech of it stay."""
    bare = original.strip()
    closing = _QUOTES.get(text[:1])
    if closing is None or len(text) < 2 or text[-1] != closing or bare[:1] in _QUOTES:
        return text
    inner = text[1:-1]
    marks = {text[0], closing} - {"'", "’"}  # apostrophes may stand inside
    return text if any(mark in inner for mark in marks) else inner.strip()


def without_echo(text: str, before: str, after: str) -> str:
    """Without the end of what stands before and the beginning of what stands after, if the model repeats them."""
    return before_what_follows(_behind_what_precedes(text, before), after)


def before_what_follows(text: str, after: str) -> str:
    """The text up to where it begins to repeat `after`: a run of its first words, wherever in the text it starts."""
    if not after.strip() or not text:
        return text
    if found := _opening(after).search(text):
        return text[: found.start()].rstrip()
    after = after.lstrip()
    for length in range(min(len(text), len(after)), 0, -1):  # or it ends in the midst of that run
        if _enough(after[:length]) and text.endswith(after[:length]):
            return text[:-length].rstrip()
    return text


def without_loop(text: str) -> str:
    """Without the turns of a circle of up to four sentences at the end, all but the first."""
    spans = sentences(text)
    said = [text[start:end].strip() for start, end in spans]
    for period in range(1, _CIRCLE + 1):
        turns = 1
        while said[-period * (turns + 1) : len(said) - period * turns] == said[-period:] and len(said) > period * turns:
            turns += 1
        if turns >= _TURNS and any(said[-period:]):
            return text[: spans[len(said) - period * (turns - 1) - 1][1]].rstrip()
    return text


def whole_sentences(text: str) -> str:
    """Without a last sentence that has no end, if something is left then."""
    spans = sentences(text)
    if len(spans) < 2 or complete(text):
        return text
    return text[: spans[-1][0]].rstrip()


def _behind_what_precedes(text: str, before: str) -> str:
    tail = before.rstrip()
    for length in range(min(len(text), len(tail)), 0, -1):
        if tail.endswith(text[:length]) and _enough(text[:length]):
            return text[length:].lstrip()
    return text


def _opening(after: str) -> re.Pattern[str]:
    """The first words of what follows, whatever the white space and quotation marks in them.

    So few that they may stand anywhere by chance count only at the very end.
    """
    first = next((after[start:end] for start, end in sentences(after) if after[start:end].strip()), after)
    if not _enough(first):
        first = after[: after.index(first) + len(first) + 80]
    wide = sum(character > "\u2e7f" for character in first[:_SIGNS]) > _SIGNS // 2
    words = first.strip()[:_SIGNS].split() if wide else first.split()[:_WORDS]
    pattern = r"\s+".join("".join(_MARKS.get(sign, re.escape(sign)) for sign in word) for word in words)
    return re.compile(("" if wide else r"(?<!\w)") + pattern + ("" if _enough(" ".join(words)) else r"\s*\Z"))


def _enough(echo: str) -> bool:
    """Whether it is too long to be chance: three words, or six signs of a script without spaces."""
    wide = sum(character > "\u2e7f" for character in echo)
    return len(echo.split()) >= 3 or wide >= 6


def _without_example(text: str, original: str) -> str:
    return text if _EXAMPLE_END.search("\n" + original) else _EXAMPLE_END.sub("", text)


def _unwrapped(text: str, original: str) -> str:
    """Without a fence or tags around it."""
    if "```" not in original and "~~~" not in original and (fence := _FENCE.search(text)):
        text = fence.group(2)
    if "<" in original:
        return text
    if tagged := _TAGGED.search(text):
        text = tagged.group(2)
    return _STRAY_TAG.sub("", text)


def _as_at_the_ends_of(original: str, text: str) -> str:
    if not original.strip():
        return text
    head = original[: len(original) - len(original.lstrip())]
    tail = original[len(original.rstrip()) :]
    return head + text.strip() + tail
