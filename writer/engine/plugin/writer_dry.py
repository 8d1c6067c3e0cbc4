"""DRY ("don't repeat yourself"): what would go on with a repetition becomes less likely, the more the longer it is.

If the last n ids stand earlier in the text too, the id that followed them there loses
`multiplier * base ** (n - allowed length)`, for n of at least the allowed length. No match goes across a sequence
breaker, and none is punished for being repeated. A pure function of the ids.

Source: pull request 5677 of oobabooga's text-generation-webui (2024) defines it, parameters and all.
"""

from __future__ import annotations

import math

import numpy as np

LONGEST = 256  # ids of a match that are counted: the penalty is beyond all logits long before, unless base is 1
_MOST = 1e9  # of a penalty: still finite in float32 after any repetition penalty


def penalties(
    ids: np.ndarray, breaks: np.ndarray, *, multiplier: float, base: float, allowed: int, reach: int
) -> tuple[np.ndarray, np.ndarray]:
    """Ids that would go on with a repetition, each once, and what each loses. `breaks[id]` tells a sequence breaker.

    `reach` bounds how many of the last ids are looked at; 0 is all.
    """
    ids = ids[-reach:] if reach > 0 else ids
    lengths = matches(ids, breaks)
    tokens = np.array([token for token, length in lengths.items() if length >= allowed], dtype=np.int64)
    lost = np.array([_penalty(multiplier, base, lengths[int(token)] - allowed) for token in tokens])
    return tokens, lost


def matches(ids: np.ndarray, breaks: np.ndarray) -> dict[int, int]:
    """For each id that has followed what the text now ends with: the length of the longest such match."""
    if len(ids) < 2 or breaks[ids[-1]]:
        return {}
    ends = np.flatnonzero(ids[:-1] == ids[-1])  # where a match may end
    ends = ends[~breaks[ids[ends + 1]]]
    found: dict[int, int] = {}
    length = 1
    while len(ends):
        found.update(dict.fromkeys(ids[ends + 1].tolist(), length))  # longer ones come later
        before = ids[-1 - length] if length < len(ids) else -1
        if before < 0 or breaks[before] or length == LONGEST:
            break
        ends = ends[ends >= length]
        ends = ends[ids[ends - length] == before]
        length += 1
    return found


def _penalty(multiplier: float, base: float, beyond: int) -> float:
    if base > 0 and math.log(base) * beyond > math.log(_MOST):
        return _MOST
    return min(_MOST, multiplier * base**beyond)
