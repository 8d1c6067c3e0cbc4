"""How tokens are drawn: a frozen value that is stored with each generation, and what of it which engine can do. Pure.

The names are vLLM's where it has them. docs/sampling.md says in plain words what each does and what holds across a
resume; writer/presets.py holds the same for programs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from writer.config import WritingSettings
from writer.errors import RequestRefused
from writer.language import say


@dataclass(frozen=True, slots=True)
class Thinking:
    """How a generation thinks before it writes. All ids are made with its prompt, and never again.

    The prompt has opened the thought. Behind the thought stand `then` or `cut`, which no model draws: they lead back to
    where the chapter's text goes on.
    """

    begin: str
    end: str
    end_id: int | None  # of the mark that ends a thought, where it is one token
    limit: int  # most tokens of the thought
    then: tuple[int, ...] = field(repr=False)  # behind a thought that the model has ended
    cut: tuple[int, ...] = field(repr=False)  # behind one that has used up its tokens; the mark that ends it is in it

    def __post_init__(self) -> None:
        for name in ("then", "cut"):  # JSON has lists only
            object.__setattr__(self, name, tuple(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn. `seed` makes the draw a function of (seed, position), so it survives a resume.

    Fields have defaults, because rows of older programs lack the newer ones.
    """

    temperature: float = 0.8
    top_p: float = 0.95
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.05
    seed: int = 0
    max_tokens: int = 1200
    ignore_eos: bool = False
    min_tokens: int = 0
    stop: tuple[str, ...] = ()
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    dry_multiplier: float = 0.0
    dry_base: float = 1.75
    dry_allowed_length: int = 2
    dry_range: int = 0
    dry_breakers: tuple[str, ...] = ("\n", ":", '"', "*")
    xtc_threshold: float = 0.1
    xtc_probability: float = 0.0
    banned: tuple[str, ...] = ()
    think: bool = False
    think_tokens: int = 1000
    raw: bool = False
    thinking: Thinking | dict[str, Any] | None = None
    """Of a generation that thinks first; the wish alone is `think`. A dict, as JSON has it, becomes a Thinking."""

    def __post_init__(self) -> None:
        if isinstance(self.thinking, dict):
            object.__setattr__(self, "thinking", Thinking(**self.thinking))
        for name in ("stop", "dry_breakers", "banned"):  # JSON has lists only
            object.__setattr__(self, name, tuple(getattr(self, name)))


_OF_WRITING = tuple(
    each.name for each in fields(WritingSettings) if each.name in Sampling.__dataclass_fields__ and each.name != "seed"
)
_WORD_CONTROL = ("presence_penalty", "frequency_penalty", "dry_multiplier", "xtc_probability", "banned")


def sampling_of(settings: WritingSettings, *, seed: int) -> Sampling:
    """The settings in force, as a value to draw with. `seed` is used where they name none."""
    return Sampling(seed=settings.seed or seed, **{name: getattr(settings, name) for name in _OF_WRITING})


def thinking_of(sampling: Sampling) -> Thinking | None:
    """How it thinks; None if it does not."""
    return sampling.thinking if isinstance(sampling.thinking, Thinking) else None


def drawn_in_thought(sampling: Sampling) -> Sampling:
    """How a thought is drawn: what shapes the words of a text is no business of its thought."""
    plain = Sampling(repetition_penalty=1.0)
    kept = ("temperature", "top_p", "top_k", "min_p", "seed", "max_tokens", "ignore_eos")
    return replace(plain, **{name: getattr(sampling, name) for name in kept})


def require_ability(sampling: Sampling, *, has_word_control: bool) -> None:
    """Raises RequestRefused if a setting in use is beyond the engine."""
    wanted = word_control(sampling)
    if wanted and not has_word_control:
        names = say(" and ").join(filter(None, (", ".join(wanted[:-1]), wanted[-1])))
        raise RequestRefused(
            say(
                "This engine cannot do {names}: only the engine that writer starts on a CPU can. Take that "
                "out of the settings, then begin anew.",
                names=names,
            )
        )


def word_control(sampling: Sampling) -> tuple[str, ...]:
    """The settings in use that only an engine with our own processor can do."""
    return tuple(name for name in _WORD_CONTROL if getattr(sampling, name))
