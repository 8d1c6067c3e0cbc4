"""The settings of `[writing]` in plain words, their limits, and the presets: one table for documentation, commands and
screens. Values only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from writer.language import say

_MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Explained:
    """One setting. The limits are of a number, or of the count of a list's entries."""

    says: str
    low: float = 0
    high: float = 0
    word_control: bool = False
    """Only an engine with writer's own processor can do it: the one that it starts on a CPU."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A named choice of settings. What it does not name stays."""

    says: str
    values: Mapping[str, float]


WRITING: Mapping[str, Explained] = {
    "preset": Explained(
        say('"prose", "report", or empty. It comes first; what stands beside it in the same table wins.')
    ),
    "temperature": Explained(say("0 takes the likeliest token each time; the higher, the more surprising."), 0, 100),
    "top_p": Explained(
        say("The choice is made from the likeliest tokens that have this share of probability."), 0.001, 1
    ),
    "top_k": Explained(say("The choice is made from so many of the likeliest tokens. 0 is all."), 0, _MOST),
    "min_p": Explained(say("Tokens below this share of the likeliest one's probability are left out."), 0, 1),
    "repetition_penalty": Explained(say("Above 1, words that are already there become less likely."), 0.01, 100),
    "max_tokens": Explained(say("Most tokens written in one go."), 1, _MOST),
    "min_tokens": Explained(say("The model may not end its text before so many tokens."), 0, _MOST),
    "stop": Explained(say("The text ends before any of these, a heading or a name perhaps."), 0, 16),
    "presence_penalty": Explained(
        say("Taken from the score of every token that was written once already."), -2, 2, word_control=True
    ),
    "frequency_penalty": Explained(
        say("Taken from a token's score for each time that it was written."), -2, 2, word_control=True
    ),
    "dry_multiplier": Explained(
        say("DRY: how strongly the next word of a repeated phrase is avoided. 0.8 is usual, 0 is off."),
        0,
        100,
        word_control=True,
    ),
    "dry_base": Explained(say("DRY: how fast that grows with the length of the phrase."), 1, 10),
    "dry_allowed_length": Explained(say("DRY: phrases shorter than this, in tokens, may repeat."), 1, 1000),
    "dry_range": Explained(say("DRY: how many of the last tokens are looked at. 0 is all."), 0, _MOST),
    "dry_breakers": Explained(say("DRY: no phrase goes across these."), 0, 64),
    "xtc_threshold": Explained(say("XTC: what has at least this probability is a top choice."), 0, 1),
    "xtc_probability": Explained(
        say("XTC: how often all top choices but the least likely are left out. 0.5 is usual, 0 is off."),
        0,
        1,
        word_control=True,
    ),
    "banned": Explained(say("Words and phrases that are never written."), 0, 100, word_control=True),
    "think": Explained(
        say("A model that can think does so before it writes. Its thought is shown apart, and is never in the text.")
    ),
    "think_tokens": Explained(say("Most tokens of a thought. Then it is closed, and the text begins."), 1, _MOST),
    "raw": Explained(
        say("The chapter goes on as plain text, without the model's chat template, as with a model that has none.")
    ),
    "seed": Explained(say("Another number is another draw of the same text. 0 takes a new one each time."), 0, _MOST),
}

PRESETS: Mapping[str, Preset] = {
    "prose": Preset(
        say("Lively and varied: unlikely words may come, unlikely tokens may not."),
        {"temperature": 1.0, "top_p": 1.0, "top_k": 0, "min_p": 0.06, "repetition_penalty": 1.05},
    ),
    "report": Preset(
        say("Sober and steady: likely words, and terms may repeat."),
        {"temperature": 0.5, "top_p": 0.9, "top_k": 0, "min_p": 0.1, "repetition_penalty": 1.02},
    ),
}
"""Every engine can do what they name."""
