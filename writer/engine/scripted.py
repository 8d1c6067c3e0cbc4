"""An engine without a model: deterministic by (model name, seed, absolute position), with faults on demand.

For tests and demonstrations. It keeps the promises that a real engine keeps (resume is exact, cached tokens are
counted), and breaks them only where its script says so.
"""

from __future__ import annotations

import asyncio
import codecs
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from writer.engine import scripted_odds
from writer.engine import scripted_words as words
from writer.engine.base import Alternative, ChatMessage, EngineFacts, Probe, Request
from writer.engine.scripted_cache import BLOCK_SIZE, PrefixCache
from writer.errors import EngineDied, PromptTooLong
from writer.generation.model import Delta, Fingerprint
from writer.generation.sampling import require_ability
from writer.text.sanitise import from_model

_GREEDY = -1  # what stands for the seed when the likeliest token is taken
_DIED = "The engine stopped in the middle of writing. The text so far is safe; continue to start it again."


@dataclass(frozen=True, slots=True)
class Script:
    """What the engine does. Token counts are counted from the start of each request."""

    model: str = "scripted"
    tokens_per_second: float = 0.0
    """0 is as fast as possible."""
    batch: tuple[int, int] = (1, 4)
    """Fewest and most tokens in one delta."""
    first_delay: float = 0.0
    """Seconds before a request's first delta."""
    start_delay: float = 0.0
    """Seconds that starting the engine takes."""
    window: int = 8192
    template: bool = True
    """Whether the model has a chat template."""
    die_at: int | None = None
    """The engine is dead once it has given that many tokens."""
    die_once: bool = False
    """After one death, streams go on."""
    hang_at: int | None = None
    """No token comes after that many, and no error either."""
    eof_at: int | None = None
    """The stream ends there without a finish reason."""
    finish_at: int | None = None
    """The model ends its text ("stop") after that many tokens."""
    end_position: int | None = None
    """The model ends its text when prompt and text together have that many tokens: the same after a resume."""
    think: int | None = None
    """The model can think before it writes, and does so for that many tokens; None cannot."""
    can_sleep: bool = False
    """Whether it plays an engine on a GPU, which can be freed."""
    word_control: bool = True
    """Whether it takes the settings that only an engine with our own processor can do. It heeds none of them."""
    cache_file: str = ""
    """Where the prefix cache is kept, so that a new process finds the engine warm."""


class ScriptedEngine:
    """An Engine (see base.py). `dead` is true after a scripted death; only a new engine helps then."""

    def __init__(self, script: Script, cache: PrefixCache) -> None:
        self._script = script
        self._cache = cache
        self.dead = False

    @property
    def facts(self) -> EngineFacts:
        """As a real engine's; the fingerprint changes with the model's name."""
        model = self._script.model
        fingerprint = Fingerprint(model=f"scripted:{model}", tokenizer=words.DIGEST, engine="scripted 1")
        window, able = self._script.window, self._script.word_control
        return EngineFacts(
            model,
            "scripted 1",
            "scripted",
            window,
            BLOCK_SIZE,
            fingerprint,
            word_control=able,
            can_sleep=self._script.can_sleep,
            tells_cost=True,
        )

    async def render(self, messages: Sequence[ChatMessage]) -> tuple[int, ...] | None:
        """A template in the manner of ChatML."""
        if not self._script.template:
            return None
        said = "".join(f"<{m.role}>\n{m.content}\n" for m in messages)
        return (words.BOS, *self._ids(said + "<assistant>\n"))

    async def tokenize(self, text: str, *, special: bool = False) -> tuple[int, ...]:
        """Ids of any text, which `detokenize` turns back exactly."""
        return ((words.BOS,) if special else ()) + self._ids(text)

    def _ids(self, text: str) -> tuple[int, ...]:
        return words.tokenize(text) if self._script.think is None else words.tokenize_marked(text)

    async def detokenize(self, token_ids: Sequence[int]) -> str:
        """The text of the ids; an unfinished character shows as U+FFFD."""
        return words.detokenize(token_ids)

    async def probe(self, prompt_ids: Sequence[int]) -> Probe:
        """Counts the cached blocks of the prompt, then caches them."""
        self._require_life()
        self._require_room(prompt_ids)
        await asyncio.sleep(0)
        cached = self._cache.cached(prompt_ids)
        self._cache.remember(prompt_ids)
        return Probe(len(prompt_ids), cached, 0.0)

    async def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """Deltas of some tokens each, up to a finish reason or a scripted fault."""
        self._require_life()
        self._require_room(request.prompt_ids)
        require_ability(request.sampling, has_word_control=self._script.word_control)
        sequence = list(request.prompt_ids)
        decoder = _primed(sequence)
        limit = min(request.max_tokens, self._script.window - len(sequence))
        given, begun = 0, time.monotonic()
        read: Probe | None = Probe(len(sequence), self._cache.cached(sequence), 0.0)
        self._cache.remember(sequence)
        await asyncio.sleep(self._script.first_delay)
        while True:
            await self._fail_if_due(given)
            delta = self._next(request, sequence, decoder, given, limit)
            given += len(delta.token_ids)
            if len(sequence) // BLOCK_SIZE > (len(sequence) - len(delta.token_ids)) // BLOCK_SIZE:
                self._cache.remember(sequence)
            await self._pace(len(delta.token_ids))
            read, cost = None, read and replace(read, seconds=time.monotonic() - begun)
            yield replace(delta, read=cost)
            if delta.finish_reason:
                return

    async def alternatives(self, prompt_ids: Sequence[int], count: int) -> tuple[Alternative, ...]:
        """Made up, the same each time."""
        self._require_life()
        self._require_room(prompt_ids)
        return scripted_odds.alternatives(self._script.model, prompt_ids, count)

    async def confidence(self, prompt_ids: Sequence[int], start: int) -> tuple[float, ...]:
        """Made up, the same each time."""
        self._require_life()
        self._require_room(prompt_ids)
        return scripted_odds.confidence(self._script.model, prompt_ids, start)

    async def aclose(self) -> None:
        """Nothing is held."""

    def _next(
        self, request: Request, sequence: list[int], decoder: codecs.IncrementalDecoder, given: int, limit: int
    ) -> Delta:
        """The next few tokens; appends them to `sequence`. Never runs past a point where something is due."""
        size = words.batch_size(self._script.model, request.sampling.seed, len(sequence), *self._script.batch)
        due = [at - given for at in (limit, self._script.die_at, self._script.hang_at, self._script.eof_at) if at]
        ids: list[int] = []
        ends: list[int] = []
        text = ""
        for _ in range(max(1, min([size, *(n for n in due if n > 0)]))):
            ids.append(self._token(request, sequence, given + len(ids)))
            sequence.append(ids[-1])
            text += from_model(decoder.decode(words.raw(ids[-1])))
            ends.append(len(text))
            if ids[-1] == words.EOS:
                return Delta(tuple(ids), text, tuple(ends), "stop")
        return Delta(tuple(ids), text, tuple(ends), "length" if given + len(ids) >= limit else None)

    def _token(self, request: Request, sequence: list[int], given: int) -> int:
        thought = None if self._script.think is None else words.thought(sequence)
        if thought is not None and thought >= (self._script.think or 0):
            return words.UNTHINK
        ended = self._script.finish_at == given or self._script.end_position == len(sequence)
        if ended and not request.sampling.ignore_eos:
            return words.EOS
        seed = request.sampling.seed if request.sampling.temperature > 0 else _GREEDY
        return words.token_at(self._script.model, seed, len(sequence), sequence[-1] if sequence else words.BOS)

    async def _fail_if_due(self, given: int) -> None:
        script = self._script
        if script.die_at == given:
            self.dead = True
            raise EngineDied(_DIED, detail="scripted death")
        if script.eof_at == given:
            raise EngineDied(_DIED, detail="scripted end of stream without a finish reason")
        if script.hang_at == given:
            await asyncio.Event().wait()

    async def _pace(self, tokens: int) -> None:
        rate = self._script.tokens_per_second
        await asyncio.sleep(tokens / rate if rate > 0 else 0)

    def _require_life(self) -> None:
        if self.dead:
            raise EngineDied("The engine has stopped. Continue to start it again.", detail="scripted death")

    def _require_room(self, prompt_ids: Sequence[int]) -> None:
        if len(prompt_ids) >= self._script.window:
            raise PromptTooLong(
                f"The prompt has {len(prompt_ids):,} tokens, but the model's window holds {self._script.window:,}. "
                "Shorten the chapter, or choose a model with a larger window."
            )


def _primed(prompt: list[int]) -> codecs.IncrementalDecoder:
    """A decoder that holds the bytes of a character which the prompt leaves unfinished."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(b"".join(map(words.raw, prompt[-8:])))
    return decoder


def prefix_cache(script: Script) -> PrefixCache:
    """The cache that the script asks for."""
    return PrefixCache(Path(script.cache_file) if script.cache_file else None)
