"""Whether a model has begun to repeat itself: one token for ever (a calculation that broke gives token 0), or a few.

Pure. Ordinary text repeats too, in lists, tables, verse and laughter, but never that exactly for that long.
"""

from __future__ import annotations

from collections.abc import Sequence

from writer.generation.model import Delta

SAME = 48  # the same token so many times in a row
CYCLE, SPAN = 4, 200  # or at most so many tokens, over and over, for so many tokens


class LoopWatch:
    """Watches one segment. A resume begins with a fresh one, so an author who wants the repetition can go on."""

    def __init__(self) -> None:
        self._last: list[int] = []
        self._runs = [0] * (CYCLE + 1)  # [p]: how many tokens in a row were equal to the one p before them
        self.looping = False

    def clip(self, delta: Delta) -> Delta:
        """The delta up to where it counts as a loop; the whole of it otherwise."""
        kept = self._kept(delta.token_ids)
        if kept == len(delta.token_ids):
            return delta
        return Delta(delta.token_ids[:kept], delta.text[: delta.ends[kept - 1]], delta.ends[:kept])

    def _kept(self, token_ids: Sequence[int]) -> int:
        for index, token in enumerate(token_ids):
            self._take(token)
            if self.looping:
                return index + 1
        return len(token_ids)

    def _take(self, token: int) -> None:
        for period, earlier in enumerate(reversed(self._last), 1):
            self._runs[period] = self._runs[period] + 1 if earlier == token else 0
        self._last = [*self._last[1 - CYCLE :], token]
        self.looping = self._runs[1] + 1 >= SAME or any(
            run + period >= SPAN for period, run in enumerate(self._runs) if run
        )
