"""What a request asks of this plugin: the fields of `vllm_xargs`, read strictly. Pure.

vLLM hands unknown fields on in silence, so a name of ours that is wrong must be an error here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

_OURS = "writer_"
_NONE = -(2**63)  # no request can have it


class Wishes(NamedTuple):
    """Word-level control of one request. What is 0 or empty does nothing."""

    seed: int = _NONE  # of the draw by position; if it is not there, that of the request itself
    prompt: int = -1  # ids of the original prompt; what stands after them was generated. -1: all of this request's
    presence: float = 0.0
    frequency: float = 0.0
    dry_multiplier: float = 0.0
    dry_base: float = 1.75
    dry_length: int = 2
    dry_range: int = 0  # ids looked back at; 0 is all
    dry_breakers: tuple[str, ...] = ()
    xtc_threshold: float = 0.1
    xtc_probability: float = 0.0
    banned: tuple[str, ...] = ()

    @property
    def shapes_logits(self) -> bool:
        """Whether anything but XTC is asked for: XTC belongs to the draw itself."""
        return bool(self.presence or self.frequency or self.dry_multiplier or self.banned)


def read(extra: Mapping[str, Any] | None) -> Wishes:
    """The wishes in a request's `extra_args`. Raises ValueError for a name or a type that is none of ours."""
    found: dict[str, Any] = {}
    for name, value in (extra or {}).items():
        if name.startswith(_OURS):
            field = name.removeprefix(_OURS)
            if field not in Wishes._field_defaults:
                raise ValueError(f"{name} is not known")
            found[field] = _typed(name, value, Wishes._field_defaults[field])
    return Wishes(**found)


def _typed(name: str, value: Any, default: Any) -> Any:
    if isinstance(default, tuple):
        if isinstance(value, list | tuple) and all(isinstance(each, str) and each for each in value):
            return tuple(value)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        return type(default)(value)
    raise ValueError(f"{name} has the wrong type: {value!r}")
