"""A server's answer other than 200 as an error with a sentence that ends in the next step."""

from __future__ import annotations

import re

import httpx

from writer.engine.patience import BUSY, retry_after
from writer.engine.unreachable import OURS, UNREACHABLE
from writer.errors import EngineDied, EngineError, PromptTooLong, RequestRefused
from writer.language import say
from writer.text.sanitise import one_line

_TOO_LONG = re.compile(r"maximum context length|max_model_len|longer than the maximum|input_tokens")
_NO_KEY = say("Store it with: writer engine key set. Or set WRITER_API_KEY. Then try again.")
_KEY = say("Store the right one with: writer engine key set. Or set WRITER_API_KEY. Then try again.")


def refused(response: httpx.Response) -> EngineError:
    """Of an answer that has been read: as `refusal`, and by name where a server of others gave it."""
    status, host = response.status_code, one_line(response.request.url.host, 100)
    said = message(response.content)
    if host == OURS:
        return refusal(status, response.content)
    if status in (401, 403):
        return RequestRefused(_wrong_key(status, host, keyed="authorization" in response.request.headers), detail=said)
    if status == 429:
        return RequestRefused(
            say(
                "The server at {host} takes no more requests for now (429). Your text is safe; continue {response}.",
                host=host,
                response=_when(retry_after(response)),
            ),
            detail=said,
        )
    if 300 <= status < 400:
        there = one_line(response.headers.get("location", ""), 150)
        sentence = say(
            "The server at {host} sends us to another address ({there}). Write that as engine.url, if you trust it.",
            host=host,
            there=there,
        )
        return RequestRefused(sentence, detail=said)
    if status in BUSY:
        what = say("The server at {host} has too much to do, or is being started ({status}).", host=host, status=status)
        return EngineDied(
            say("{what} Your text is safe; continue {response}.", what=what, response=_when(retry_after(response))),
            detail=said,
        )
    if status >= 500:
        return EngineDied(
            say("The server at {host} has failed ({status}). Your text is safe; try again.", host=host, status=status),
            detail=said,
        )
    return refusal(status, response.content)


def refusal(status: int, content: bytes) -> EngineError:
    """An answer of our own engine, or one that came as an event of a stream."""
    said = message(content)
    if status >= 500:
        return EngineDied(UNREACHABLE, detail=f"HTTP {status}: {said}")
    if status in (401, 403):
        return RequestRefused(say("The engine's server wants another API key. {key}", key=_KEY), detail=said)
    said = said.rstrip(" .") + "."
    if status == 400 and _TOO_LONG.search(said):
        return PromptTooLong(
            say("The text is too long for the model: {said} Shorten the chapter.", said=said), detail=said
        )
    sentence = say(
        "The engine refused the request ({status}): {said} Check the settings, then try again.",
        status=status,
        said=said,
    )
    return RequestRefused(sentence, detail=said)


def message(content: bytes) -> str:
    """What the server said, as one safe line."""
    try:
        error = httpx.Response(200, content=content).json()["error"]
        return one_line(str(error["message"] if isinstance(error, dict) else error))
    except (ValueError, KeyError, TypeError):
        return one_line(content[:400].decode("utf-8", "replace"))


def _wrong_key(status: int, host: str, *, keyed: bool) -> str:
    if not keyed:
        return say(
            "The server at {host} wants an API key ({status}). {key}",
            host=host,
            status=status,
            key=_NO_KEY,
        )
    if status == 403:
        return say(
            "The server at {host} knows the API key, but does not allow this (403). Ask who runs the server.", host=host
        )
    return say("The server at {host} wants another API key ({status}). {key}", host=host, status=status, key=_KEY)


def _when(seconds: float | None) -> str:
    if seconds is None or seconds < 1:
        return say("in a minute")
    if seconds < 100:
        return say("in {seconds:.0f} seconds", seconds=seconds)
    return say("in {seconds:.0f} minutes", seconds=seconds / 60)
