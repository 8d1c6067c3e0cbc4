"""What a server may answer, or fail to, and what the author must see of it: a state, a sentence, and the same text."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from fake_server import DONE, END, ERROR, HEAD, WINDOW, Answer, Misbehave, Script, chunk, event, whole

from writer.engine import scripted_words as words
from writer.generation.model import State

SILENCE = 1.0  # seconds, in place of 30; the first token may take twice that, as it may in earnest
TRUNCATED, INTERRUPTED = State.TRUNCATED, State.INTERRUPTED
STUCK = words.tokenize("!")[0]


@dataclass(frozen=True, slots=True)
class Case:
    """`make` builds the server's script for a fault after so many tokens."""

    make: Callable[[int], Script]
    state: State | None = TRUNCATED  # the text's token limit, so its honest end
    words: str = ""  # of the decisive sentence
    sentences: int = 1
    restarts: int = 1
    same: bool = True  # the whole text is that of an undisturbed run
    tokens: int | None = None
    in_time: bool = True  # needs no limits that are shorter than in earnest


def stream(*data: bytes | float, abort: bool = False) -> Callable[[int], Script]:
    """The first stream gives its tokens, then these bytes (a number waits), then nothing."""
    return lambda at: Script(streams=[_after(at, *data, abort=abort)])


def _after(at: int, *data: bytes | float, abort: bool = False) -> Misbehave:
    async def play(answer: Answer) -> None:
        await answer.tokens(at)
        for item in data:
            if isinstance(item, bytes):
                answer.writer.write(item)
                await answer.writer.drain()
            else:
                await asyncio.sleep(item)
        if abort:
            answer.writer.transport.abort()

    return play


def reply(data: bytes, times: int = 1) -> Callable[[int], Script]:
    """In place of a stream these bytes."""

    async def play(answer: Answer) -> None:
        answer.writer.write(data)
        await answer.writer.drain()

    return lambda at: Script(streams=[play] * times)


def refuses(status: int, message: str) -> Callable[[int], Script]:
    """In place of a stream an error in vLLM's form."""
    return reply(whole({"error": {"message": message, "type": "BadRequestError", "code": status}}, status))


async def hang(answer: Answer) -> None:
    """Nothing, for as long as anybody listens."""
    await asyncio.Event().wait()


async def counted(answer: Answer) -> None:
    """An honest probe."""
    answer.writer.write(whole({"usage": {"prompt_tokens": len(answer.sequence)}}))


def one_read(at: int) -> Script:
    """Tokens and an error in one write."""

    async def play(answer: Answer) -> None:
        answer.writer.write(HEAD + chunk(answer.events(at) + ERROR + DONE) + END)

    return Script(streams=[play])


def inside_a_character(at: int) -> Script:
    """The stream ends where a character has begun and is not whole."""

    async def play(answer: Answer) -> None:
        await answer.tokens(at)
        shown = True
        while shown and answer.left > 1:
            token, text = answer.next()
            await answer.send(event([token], text))
            shown = bool(text) or not words.raw(token)
        answer.writer.write(END)

    return Script(streams=[play])


def batches(size: int) -> Callable[[int], Script]:
    """So many tokens in each event."""

    async def play(answer: Answer) -> None:
        await answer.tokens(0)
        await answer.rest(size)

    return lambda at: Script(always=play)


def pauses(first: float, later: float) -> Callable[[int], Script]:
    """A slow engine, but no silent one: so many limits before the first token, and before a later one."""

    async def play(answer: Answer) -> None:
        await asyncio.sleep(first * SILENCE)
        await answer.tokens(3)
        await asyncio.sleep(later * SILENCE)
        await answer.rest()

    return lambda at: Script(streams=[play])


def keeps_alive(at: int) -> Script:
    """Comments come, as vLLM sends them on a quiet connection, but no token."""

    async def play(answer: Answer) -> None:
        await answer.tokens(at)
        while True:
            await answer.send(b": keep-alive\n\n")
            await asyncio.sleep(SILENCE / 10)

    return Script(streams=[play])


def silent(at: int) -> Misbehave:
    """Tokens, then nothing."""

    async def play(answer: Answer) -> None:
        await answer.tokens(at)
        await hang(answer)

    return play


def finished_and_cut(at: int) -> Script:
    """The finish reason comes, the goodbye does not."""

    async def play(answer: Answer) -> None:
        await answer.tokens(0)
        await answer.send(answer.events(answer.left))
        answer.writer.transport.abort()

    return Script(streams=[play])


def changes_its_model(at: int) -> Script:
    """The server dies and comes back with another model."""
    script = Script()

    async def play(answer: Answer) -> None:
        await answer.tokens(at)
        script.model = "another"

    script.streams = [play]
    return script


def repeats(at: int) -> Script:
    """A calculation that broke: the same token for ever."""

    async def play(answer: Answer) -> None:
        await answer.tokens(at)
        for _ in range(30):
            await answer.send(event([STUCK], "!") * 7)

    return Script(always=play)


def dies_each_time(at: int) -> Script:
    """Every stream dies after its first token."""
    return Script(always=_after(1, END))


def answers(path: str, response: bytes) -> Callable[[int], Script]:
    """This path answers otherwise."""
    return lambda at: Script(answers={path: response})


WRONG_TYPES = event([7], "x").replace(b"[7]", b'["x"]')
TRACEBACK = b'Traceback (most recent call last):\n  File "/venv/x.py", line 1, in <module>\nKeyError: \x1b[2J'
TOO_LONG = (
    f"This model's maximum context length is {WINDOW} tokens. However, your prompt contains 4097 input tokens, which "
    "exceeds this limit even without any output tokens. Please reduce the length of the input prompt."
)
_DIES = Case(stream(), words="writing goes on by itself")
_REFUSED = Case(stream(), INTERRUPTED, restarts=0, same=False, tokens=0)
_NO_SERVER = Case(stream(), None, "not a vLLM server", restarts=0, same=False, tokens=0)
_SILENT = Case(stream(), words="asked for a sign of life", restarts=0, in_time=False)
_FINE = Case(stream(), sentences=0, restarts=0)

CASES: dict[str, Case] = {
    "error, then [DONE]": replace(_DIES, make=stream(chunk(ERROR), chunk(DONE), END)),
    "error in the same read": replace(_DIES, make=one_read),
    "[DONE] without a finish": replace(_DIES, make=stream(chunk(DONE), END)),
    "end without a finish": replace(_DIES, make=stream(END)),
    "cut in an event": replace(_DIES, make=stream(b"40\r\ndata: {")),
    "connection reset": replace(_DIES, make=stream(abort=True)),
    "end inside a character": replace(_DIES, make=inside_a_character),
    "not JSON": replace(_DIES, make=stream(chunk(b"data: {nonsense\n\n"), END)),
    "garbage": replace(_DIES, make=stream(chunk(b"\x00\xff\x1b[2J\r\n\x9b;garbage\n\n"), END)),
    "ids of another type": replace(_DIES, make=stream(chunk(WRONG_TYPES), END)),
    "aborted by others": replace(_DIES, make=stream(chunk(event([], "", "abort")), END)),
    "a web page": replace(_DIES, make=reply(whole(b"<html><h1>It works!</h1></html>", kind="text/html"))),
    "not HTTP": replace(_DIES, make=reply(b"\x16\x03\x01nonsense\r\n\r\n", times=2)),
    "503": replace(_FINE, make=reply(whole({"error": {"message": "EngineDeadError", "code": 503}}, 503))),
    "500 with a traceback": replace(_DIES, make=reply(whole(TRACEBACK, 500, "text/plain"))),
    "503 before the first stream": replace(
        _FINE, make=lambda at: Script(probes=[reply(whole(b"", 503))(at).streams[0]])
    ),
    "context full": replace(_REFUSED, make=refuses(400, TOO_LONG), words="too long for the model"),
    "an unknown parameter": replace(
        _REFUSED, make=refuses(400, "min_p is unknown"), words=r"refused the request \(400\)"
    ),
    "another key": replace(_REFUSED, make=refuses(401, "Unauthorized"), words="another API key"),
    "no such model": replace(_REFUSED, make=refuses(404, "The model `fake` does not exist."), words="does not exist"),
    "another model after a death": Case(
        changes_its_model, INTERRUPTED, "another model \\(another instead of fake\\)", 2, 1, same=False
    ),
    "another kind of server": replace(_NO_SERVER, make=answers("/v1/models", whole({"data": [{"id": "gpt"}]}))),
    "a web server": replace(_NO_SERVER, make=answers("/v1/models", whole(b"<html>", kind="text/html"))),
    "no ids for a text": replace(
        _NO_SERVER, make=answers("/tokenize", whole({"tokens": "x"})), words="cannot be reached", restarts=1
    ),
    "slow first token": replace(_FINE, make=pauses(1.3, 0), in_time=False),
    "slow tokens": replace(_FINE, make=pauses(0, 0.4), in_time=False),
    "huge batches": replace(_FINE, make=batches(32)),
    "all at once": replace(_FINE, make=batches(100_000)),
    "finished, then cut": replace(_FINE, make=finished_and_cut),
    "silence": replace(_SILENT, make=lambda at: Script(streams=[silent(at)])),
    "signs of life, but no tokens": replace(_SILENT, make=keeps_alive),
    "silence before the first stream": replace(_SILENT, make=lambda at: Script(probes=[hang])),
    "silence, and no sign of life": replace(
        _SILENT,
        make=lambda at: Script(streams=[silent(at)], probes=[counted, hang]),
        words="gives no sign of life",
        sentences=2,
        restarts=1,
    ),
    "the same token for ever": Case(repeats, INTERRUPTED, "begun to repeat itself", restarts=0, same=False),
    "a death after each token": Case(dies_each_time, INTERRUPTED, "4th time in ten minutes", 4, 3, same=False),
}
