"""What an OpenAI-compatible server is asked, and its stream's events as text. Pure."""

from __future__ import annotations

import json
from typing import Any

from writer.engine.arrivals import DIED, NOT_A_FINISH
from writer.engine.base import EngineFacts, Request
from writer.engine.refusing import refusal
from writer.engine.text_tokens import to_talk
from writer.errors import EngineDied, EngineError, RequestRefused
from writer.generation.sampling import require_ability
from writer.language import say
from writer.text.sanitise import from_model

_GO_ON = (
    "Continue your last message. Your answer is put directly behind its last character, so begin with the very next "
    "one (a space or a line break, if that comes next). Repeat nothing, explain nothing."
)
_FILTERED = say(
    "The server's filter stopped the text here. What came is saved; change what stands before it, or go on yourself."
)


def question(facts: EngineFacts, request: Request) -> tuple[str, dict[str, Any], str]:
    """Path and body of a streamed request, and the text behind which its answer stands.

    Only what every such server knows is sent: others refuse what they do not know. Raises RequestRefused.
    """
    sampling = request.sampling
    require_ability(sampling, has_word_control=facts.word_control)
    messages, begun = to_talk(request.prompt_ids)
    body: dict[str, Any] = {
        "model": facts.model,
        "max_tokens": min(request.max_tokens, facts.window - len(request.prompt_ids)),
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": sampling.seed,
        "stream": True,
    }
    if not messages:
        return "/v1/completions", body | {"prompt": begun}, ""
    spoken = [{"role": each.role, "content": each.content} for each in messages]
    if begun:
        spoken += [{"role": "assistant", "content": begun}, {"role": "user", "content": _GO_ON}]
    return "/v1/chat/completions", body | {"messages": spoken}, begun


def said(payload: bytes) -> tuple[str, str | None]:
    """Text and finish reason of one event. Raises EngineDied, or RequestRefused for an error that is ours."""
    if payload == b"[DONE]":  # no sign of success: it may follow an error
        return "", None
    try:
        event = json.loads(payload)
        if error := event.get("error"):
            raise _failure(error, payload)
        if not event["choices"]:
            return "", None
        choice = event["choices"][0]
        text = choice["text"] if "text" in choice else (choice.get("delta") or {}).get("content")
        finish = choice.get("finish_reason")
        if not isinstance(text, str | None) or not isinstance(finish, str | None):
            raise TypeError("text or finish reason of another type")
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise EngineDied(DIED, detail=f"not an event of a completion: {error!r}") from None
    if finish in NOT_A_FINISH:
        raise EngineDied(DIED, detail=f"finish_reason {finish}")
    return from_model(text or ""), finish


def said_at_once(payloads: list[bytes]) -> tuple[str, str | None, EngineError | None]:
    """The text of the events up to the first failure or finish, and that: what came before it counts."""
    whole = ""
    for payload in payloads:
        try:
            text, finish = said(payload)
        except EngineError as failure:
            return whole, None, failure
        whole += text
        if finish == "content_filter":
            return whole, None, RequestRefused(_FILTERED)
        if finish:
            return whole, finish, None
    return whole, None, None


def _failure(error: object, payload: bytes) -> EngineError:
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 500 and code != 429:
        return refusal(code, payload)
    return EngineDied(DIED, detail=str(error))
