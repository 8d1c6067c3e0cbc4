"""From which token a generation goes on. Pure.

*Aligned*: cut back to where everything but one token is a whole cached block. The engine then computes exactly what
the original step computed; the few tokens that come again are compared, not shown. *Plain*: all saved tokens go back,
less a tail that never showed text (a prompt that ends in mid-character makes the server repeat it: vllm#48853).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from writer.generation.model import Delta, Saved

_LOOK_BACK = 4  # blocks; further back a replay would cost more than a plain resume


class Diverged(Exception):
    """What came again is not what is saved. Go on by the plain plan: shown text is never rewritten."""


@dataclass(frozen=True, slots=True)
class ResumePlan:
    """One segment: what to send, and what will come again."""

    prompt_ids: tuple[int, ...] = field(repr=False)  # the stored prompt and `kept` generated tokens
    kept: int
    replay_ids: tuple[int, ...]  # saved tokens that the engine makes again
    replay_text: str = field(repr=False)
    max_tokens: int  # for this request, replay included
    whole: bool = False
    """Whether the last token that is sent ends a character."""
    offset: int = 0
    """Tokens of the generation that count to the prompt: a thought that is over."""

    @property
    def start(self) -> int:
        """Index in the generation of the first new token."""
        return self.offset + self.kept + len(self.replay_ids)


def aligned(prompt_ids: Sequence[int], saved: Saved, *, block_size: int, max_tokens: int) -> ResumePlan:
    """The plan that is exact wherever the prefix cache is warm. `max_tokens` is the generation's, in all."""
    if block_size <= 1:  # no cache that a cut could meet
        return plain(prompt_ids, saved, max_tokens=max_tokens)
    total = len(saved.token_ids)
    nearest = look_back(total, block_size)
    for kept in range(total, nearest - 1, -1):
        whole_blocks = (len(prompt_ids) + kept) % block_size == 1
        if (whole_blocks or kept == 0) and clean_cut(saved, kept):
            return planned(prompt_ids, saved, kept, total, max_tokens)
    return plain(prompt_ids, saved, max_tokens=max_tokens)


def look_back(total: int, block_size: int) -> int:
    """How many tokens an aligned plan keeps at least."""
    return max(0, total - _LOOK_BACK * block_size)


def plain(prompt_ids: Sequence[int], saved: Saved, *, max_tokens: int, compared: bool = False) -> ResumePlan:
    """The plan that sends all, up to the last whole character. What was saved of the next one comes again.

    `compared`: it must be the same then, and is not told twice; else it takes the place of what is saved.
    """
    total = kept = len(saved.token_ids)
    while not clean_cut(saved, kept):
        kept -= 1
    return planned(prompt_ids, saved, kept, total if compared else kept, max_tokens)


def clean_cut(saved: Saved, kept: int) -> bool:
    """Whether the token before the cut showed text of its own, so the cut is not inside a character."""
    return kept == 0 or _shown(saved, kept) > _shown(saved, kept - 1)


def _shown(saved: Saved, tokens: int) -> int:
    return saved.ends[tokens - 1] if tokens else 0


def planned(prompt_ids: Sequence[int], saved: Saved, kept: int, until: int, max_tokens: int) -> ResumePlan:
    """The plan that sends `kept` tokens and makes those up to `until` again."""
    return ResumePlan(
        prompt_ids=(*prompt_ids, *saved.token_ids[:kept]),
        kept=kept,
        replay_ids=saved.token_ids[kept:until],
        replay_text=saved.text[_shown(saved, kept) :] if until > kept else "",
        max_tokens=max_tokens - kept,
        whole=kept > 0 and clean_cut(saved, kept),
    )


class Replay:
    """Lets only what is new through, and raises Diverged when what comes again is not what is saved."""

    def __init__(self, plan: ResumePlan) -> None:
        self._ids = plan.replay_ids
        self._text = plan.replay_text
        self._seen = ""
        self._done = not plan.replay_ids

    def feed(self, delta: Delta) -> Delta | None:
        """The new part of `delta`, or None if all of it was saved before."""
        if self._done:
            return delta
        again = min(len(self._ids), len(delta.token_ids))
        if delta.token_ids[:again] != self._ids[:again]:
            raise Diverged
        before, self._seen = len(self._seen), self._seen + delta.text
        self._ids = self._ids[again:]
        if self._ids:
            if delta.finish_reason:
                raise Diverged
            return None
        self._done = True
        return self._rest(delta, again, before)

    def _rest(self, delta: Delta, again: int, before: int) -> Delta | None:
        if not self._seen.startswith(self._text):
            raise Diverged
        shift = before - len(self._text)
        ends = tuple(max(0, end + shift) for end in delta.ends[again:])
        rest = Delta(delta.token_ids[again:], self._seen[len(self._text) :], ends, delta.finish_reason)
        if rest.text and not rest.token_ids:  # text without a token of its own cannot be placed
            raise Diverged
        return rest if rest.token_ids or rest.finish_reason else None


@dataclass(frozen=True, slots=True)
class Splice:
    """An edited continuation: ids kept from before the edit, and the author's text that must be tokenised."""

    kept: int
    rest: str


def splice(saved: Saved, edited: str) -> Splice:
    """How to go on after the author changed the generated text: everything before the edit keeps its ids."""
    common = _common_prefix(saved.text, edited)
    kept = len(saved.token_ids)
    while kept and not (clean_cut(saved, kept) and _shown(saved, kept) <= common):
        kept -= 1
    return Splice(kept, edited[_shown(saved, kept) :])


def _common_prefix(a: str, b: str) -> int:
    low, high = 0, min(len(a), len(b))
    while low < high:  # bisect on slices: far faster than a loop over characters
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low
