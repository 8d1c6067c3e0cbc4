"""How tokens are drawn: a frozen value that is stored with each generation, and what of it which engine can do. Pure.

The names are vLLM's where it has them. docs/sampling.md says in plain words what each does and what holds across a
resume; writer/presets.py holds the same for programs.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from writer.config import WritingSettings
from writer.errors import RequestRefused


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

    def __post_init__(self) -> None:
        for name in ("stop", "dry_breakers", "banned"):  # JSON has lists only
            object.__setattr__(self, name, tuple(getattr(self, name)))


_OF_WRITING = tuple(
    each.name for each in fields(WritingSettings) if each.name in Sampling.__dataclass_fields__ and each.name != "seed"
)
_WORD_CONTROL = ("presence_penalty", "frequency_penalty", "dry_multiplier", "xtc_probability", "banned")


def sampling_of(settings: WritingSettings, *, seed: int) -> Sampling:
    """The settings in force, as a value to draw with. `seed` is used where they name none."""
    return Sampling(seed=settings.seed or seed, **{name: getattr(settings, name) for name in _OF_WRITING})


def require_ability(sampling: Sampling, *, has_word_control: bool) -> None:
    """Raises RequestRefused if a setting in use is beyond the engine."""
    wanted = word_control(sampling)
    if wanted and not has_word_control:
        names = " and ".join(filter(None, (", ".join(wanted[:-1]), wanted[-1])))
        raise RequestRefused(
            f"This engine cannot do {names}: only the engine that writer starts on a CPU can. "
            "Take that out of the settings, then begin anew."
        )


def word_control(sampling: Sampling) -> tuple[str, ...]:
    """The settings in use that only an engine with our own processor can do."""
    return tuple(name for name in _WORD_CONTROL if getattr(sampling, name))
