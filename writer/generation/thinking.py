"""A generation that thinks before it writes: where it stands, and what of its tokens is thought. Pure.

Its tokens are the thought, then the ids that lead back to the chapter (see `Thinking`), then the text. All of them are
in the journal; those before the text show no character of it. For whoever goes on in the text the rest is as good as
a part of the prompt: `beyond` sees it so.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from writer.generation.model import Delta, Generation, Saved
from writer.generation.sampling import Thinking, thinking_of
from writer.generation.thought import Channel, Markers, ThoughtSplitter

_NEVER = "\0"  # stands in no text of a model
_UNSHOWN = 4  # tokens of a text's first character, at most: they show nothing before it is whole


class Stage(StrEnum):
    """How far a generation is that thinks first."""

    INSIDE = "inside"  # the thought goes on
    ENDED = "ended"  # the model has ended it; what leads back is still to come
    FULL = "full"  # it has used up its tokens, and is to be closed
    WRITING = "writing"


@dataclass(frozen=True, slots=True)
class Beyond:
    """A generation as if its thought had been a part of its prompt."""

    prompt_ids: tuple[int, ...]
    saved: Saved
    offset: int = 0
    """Tokens that count to the prompt here, and to the generation in the journal."""


def stage(thinking: Thinking, saved: Saved, said: str = "") -> Stage:
    """Where it stands. `said` is the text of all its ids; it is needed while no text is there, if `end_id` is None."""
    if text_start(thinking, saved, said) is not None:
        return Stage.WRITING
    if thinking.end_id in saved.token_ids or (thinking.end_id is None and thinking.end in said):
        return Stage.ENDED
    return Stage.FULL if len(saved.token_ids) >= thinking.limit else Stage.INSIDE


def text_start(thinking: Thinking, saved: Saved, said: str = "") -> int | None:
    """The index of the text's first token, or of where it will be; None while that is not known."""
    ids = saved.token_ids
    if thinking.end_id is not None:
        if thinking.end_id not in ids:
            return None
        first = ids.index(thinking.end_id) + 1
        start = first + len(thinking.then)
        return start if ids[first:start] == thinking.then else None
    if not saved.text and thinking.end not in said:
        return None
    shown = next((number for number, end in enumerate(saved.ends) if end), len(ids))
    size = len(thinking.then)
    starts = range(shown, max(size - 1, shown - _UNSHOWN), -1)
    return next((start for start in starts if ids[start - size : start] == thinking.then), None)


def beyond(generation: Generation, saved: Saved, said: str = "") -> Beyond:
    """The generation from where its text begins. One without a thought, or still in it, as it is."""
    thinking = thinking_of(generation.sampling)
    start = text_start(thinking, saved, said) if thinking else None
    if start is None:
        return Beyond(generation.prompt_ids, saved)
    text = Saved(saved.token_ids[start:], saved.text, saved.ends[start:], saved.batches)
    return Beyond(generation.prompt_ids + saved.token_ids[:start], text, start)


def thought_ids(generation: Generation, saved: Saved) -> tuple[int, ...]:
    """The ids of its thought, without what leads back to the chapter; () if it has none."""
    thinking = thinking_of(generation.sampling)
    if thinking is None:
        return ()
    start = text_start(thinking, saved)
    ids = saved.token_ids if start is None else saved.token_ids[: start - len(thinking.then)]
    return ids[: ids.index(thinking.end_id)] if thinking.end_id in ids else ids


class ThoughtWatch:
    """Watches one segment inside a thought: what comes shows nothing in the text, up to where the thought is over."""

    def __init__(self, thinking: Thinking, kept: int = 0, said: str = "") -> None:
        """`kept` tokens of the thought are in the prompt; `said` is their text."""
        spelled = thinking.end if thinking.end_id is None else _NEVER  # a mark that is a token is known by it alone
        marks = Markers(thinking.begin, spelled, end_id=thinking.end_id)
        self._splitter = ThoughtSplitter(marks, inside=True)
        self._splitter.feed(Delta((), said, ()))
        self._limit, self._end_id, self._end = thinking.limit, thinking.end_id, thinking.end
        self._tokens = kept
        self._pieces: list[tuple[int, str]] = []
        self.over: Stage | None = None
        """ENDED by the model, or FULL: then the rest of the stream is not wanted."""

    def feed(self, delta: Delta) -> Delta:
        """The tokens that are thought, without text. A model that ends its answer inside its thought is not heard."""
        ids: list[int] = []
        start = 0
        for token, end in zip(delta.token_ids, delta.ends, strict=True):
            if self.over is not None or (delta.finish_reason == "stop" and self._is_end(delta, len(ids), start)):
                break
            self._take(token, delta.text[start:end])
            ids.append(token)
            start = end
        if delta.finish_reason and self.over is None:
            self.over = Stage.FULL
        return Delta(tuple(ids), "", (0,) * len(ids))

    def taken(self, until: int) -> str:
        """What the thought says in the tokens before that index, as far as it was not taken yet."""
        said = "".join(text for at, text in self._pieces if at < until)
        self._pieces = [(at, text) for at, text in self._pieces if at >= until]
        return said

    def _is_end(self, delta: Delta, index: int, start: int) -> bool:
        """Whether this is the token that ends an answer: the last one, and nothing to see."""
        last = index == len(delta.token_ids) - 1
        return last and not delta.text[start:] and delta.token_ids[-1] != self._end_id

    def _take(self, token: int, text: str) -> None:
        before = text.partition(self._end)[0] if token == self._end_id else ""  # it may come together with words
        feeds = ([Delta((), before, ())] if before else []) + [Delta((token,), text, (len(text),))]
        for said in (said for each in feeds for said in self._splitter.feed(each)):
            if said.channel is Channel.THOUGHT:
                self._pieces.append((self._tokens, said.text))
        self._tokens += 1
        if self._splitter.channel is Channel.TEXT:
            self.over = Stage.ENDED
        elif self._tokens >= self._limit:
            self.over = Stage.FULL
