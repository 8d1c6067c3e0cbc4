"""Where a text ends because of what it says: stop strings, looked for in all of it, across every pause. Pure.

The engine is never told of them: it would look only at what it wrote since the last resume, and hold back text whose
ids it has given already. The text ends before the token that begins the stop string, so ids and text stay one.
"""

from __future__ import annotations

from collections.abc import Sequence

from writer.generation.model import Delta


class StopWatch:
    """Watches one segment. `before` is the generation's text so far.

    What may be the beginning of a stop string is held back until more has come. It is not saved meanwhile, so after a
    pause it comes again.
    """

    def __init__(self, stops: Sequence[str], before: str = "") -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._reach = max(map(len, self._stops), default=1) - 1
        self._before = self._tail(before)
        self._held = Delta((), "", ())

    def feed(self, delta: Delta) -> Delta | None:
        """What is sure to stay, with the finish reason "stop" if a stop string came; None if nothing is sure yet."""
        if not self._stops:
            return delta
        whole = _joined(self._held, delta)
        at = self._found(whole.text)
        if at is not None:
            return _first(whole, at, "stop")
        if whole.finish_reason:
            return whole
        sure = _first(whole, self._sure(whole.text))
        self._held = _rest(whole, len(sure.token_ids))
        self._before = self._tail(self._before + sure.text)
        return sure if sure.token_ids else None

    def _found(self, text: str) -> int | None:
        """Where the stop string begins that is complete first, in whatever pieces the text comes; of several the
        longest. Below 0 if its beginning was let through before it could be known.
        """
        places = [((self._before + text).find(stop), len(stop)) for stop in self._stops]
        ended = min(((place + size, place) for place, size in places if place >= 0), default=None)
        return ended[1] - len(self._before) if ended else None

    def _sure(self, text: str) -> int:
        """How many characters cannot be part of a stop string that is still to come."""
        for at in range(max(0, len(text) - self._reach), len(text)):
            if any(stop.startswith(text[at:]) for stop in self._stops):
                return at
        return len(text)

    def _tail(self, text: str) -> str:
        return text[-self._reach :] if self._reach else ""


def _joined(held: Delta, new: Delta) -> Delta:
    shift = len(held.text)
    ends = (*held.ends, *(end + shift for end in new.ends))
    return Delta(held.token_ids + new.token_ids, held.text + new.text, ends, new.finish_reason)


def _first(whole: Delta, characters: int, finish_reason: str | None = None) -> Delta:
    """The tokens whose text lies in the first characters; less those at the end that show no text of their own."""
    kept = sum(end <= characters for end in whole.ends)
    while kept and whole.ends[kept - 1] == (whole.ends[kept - 2] if kept > 1 else 0) and kept < len(whole.ends):
        kept -= 1
    return Delta(
        whole.token_ids[:kept], whole.text[: whole.ends[kept - 1] if kept else 0], whole.ends[:kept], finish_reason
    )


def _rest(whole: Delta, tokens: int) -> Delta:
    shift = whole.ends[tokens - 1] if tokens else 0
    return Delta(whole.token_ids[tokens:], whole.text[shift:], tuple(end - shift for end in whole.ends[tokens:]))
