"""One event of vLLM's stream as a value, and several of them joined into the Delta of one read. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass

from writer.engine.refusing import refusal
from writer.errors import EngineDied, EngineError
from writer.generation.model import Delta
from writer.text.sanitise import from_model

DIED = "The engine stopped in the middle of writing. The text so far is safe; continue to start it again."
NOT_A_FINISH = frozenset({"abort", "error"})  # vLLM's words for a request that others ended


@dataclass(frozen=True, slots=True)
class Event:
    """One `data:` payload: some ids (usually one) and the text that they complete, safe for a terminal."""

    token_ids: tuple[int, ...]
    text: str
    finish_reason: str | None = None
    cost: tuple[int, int] | None = None
    """Tokens of the prompt, and how many of them were cached: an event of plugin/writer_costs.py."""


def is_ids(value: object) -> bool:
    """Whether this is a list of token ids, as the journal can hold them."""
    return isinstance(value, list) and all(type(i) is int and 0 <= i < 2**31 for i in value)


def parse(payload: bytes) -> Event | None:
    """The event in `payload`; None for "[DONE]" and usage. Raises EngineDied for an error event or nonsense, and
    RequestRefused for an error that is ours."""
    if payload == b"[DONE]":  # no sign of success: it also follows an error
        return None
    try:
        message = json.loads(payload)
        if "error" in message:
            raise _failure(message["error"], payload)
        if isinstance(message, dict) and message.get("object") == "writer.cost":
            usage = message["usage"]
            return Event(
                (), "", cost=(int(usage["prompt_tokens"]), int(usage["prompt_tokens_details"]["cached_tokens"]))
            )
        if not message["choices"]:
            return None
        choice = message["choices"][0]
        ids, text, finish = choice["token_ids"] or [], choice["text"] or "", choice["finish_reason"]
        if not is_ids(ids) or not isinstance(text, str) or not isinstance(finish, str | None):
            raise TypeError("ids, text or finish reason of another type")
        event = Event(tuple(ids), from_model(text), finish)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise EngineDied(DIED, detail=f"not an event of vLLM: {error!r}") from None
    if event.finish_reason in NOT_A_FINISH:
        raise EngineDied(DIED, detail=f"finish_reason {event.finish_reason}")
    return event


def _failure(error: object, payload: bytes) -> EngineError:
    """vLLM begins to answer before it has looked at a request closely, so a refusal too may come as an event."""
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 500:
        return refusal(code, payload)
    return EngineDied(DIED, detail=str(error))


def parse_all(payloads: list[bytes]) -> tuple[list[Event], EngineError | None]:
    """The events before the first failure, and the failure: what came before it counts."""
    events: list[Event] = []
    try:
        for payload in payloads:
            if (event := parse(payload)) is not None:
                events.append(event)
    except EngineError as failure:
        return events, failure
    return events, None


def join(events: list[Event]) -> Delta | None:
    """What arrived at once, as one Delta; None if there is nothing in it."""
    ids: list[int] = []
    ends: list[int] = []
    shown = 0
    for event in events:
        before, shown = shown, shown + len(event.text)
        ids += event.token_ids
        ends += [before] * (len(event.token_ids) - 1)  # which of several tokens shows what is not known
        if event.token_ids:
            ends.append(shown)
        elif ends:
            ends[-1] = shown
    finish = events[-1].finish_reason if events else None
    if not ids and not shown and finish is None:
        return None
    return Delta(tuple(ids), "".join(event.text for event in events), tuple(ends), finish)
