"""Why a server of others was not reached, or a connection to it broke off: one sentence with the next step.

An error of TLS or of the address does not go away by itself, so it is refused; all else may come back.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator

import httpx

from writer.errors import EngineDied, EngineError, RequestRefused
from writer.language import say
from writer.text.sanitise import one_line

UNREACHABLE = say("The engine cannot be reached. The text so far is safe; continue to start the engine again.")
OURS = "engine"
"""The host's name where a socket is spoken to: it says nothing to anybody."""
_WRONG_NAME = frozenset({62, 64})  # of OpenSSL: a certificate for another host, for another address
_EXPIRED, _NOT_YET = 10, 9
_NO_TLS = ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE")


class NotAnswered(EngineDied):
    """Nobody took the connection: there is no server at that address now."""


def unreachable(http: httpx.AsyncClient, error: httpx.HTTPError) -> EngineError:
    """The error as one of ours: EngineDied if asking again may help, RequestRefused if not."""
    host = one_line(http.base_url.host, 100)
    if host == OURS:
        return NotAnswered(UNREACHABLE, detail=repr(error))
    for cause in causes(error):
        if isinstance(cause, ssl.SSLError):
            return RequestRefused(_tls(host, cause), detail=repr(cause))
        if isinstance(cause, socket.gaierror):
            step = say("Check the network, or correct engine.url in your settings.")
            return EngineDied(
                say("No machine named {host} is known here. Your text is safe. {step}", host=host, step=step),
                detail=repr(cause),
            )
    kind = NotAnswered if isinstance(error, httpx.ConnectError) else EngineDied
    sentence = say("{what} Your text is safe. Check the network and the server.", what=_broken(host, error))
    return kind(sentence, detail=repr(error))


def is_tls(error: BaseException | None) -> bool:
    """Whether it comes of TLS, so that asking again is of no use."""
    return any(isinstance(cause, ssl.SSLError) for cause in causes(error))


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what it comes from, outermost first."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _broken(host: str, error: httpx.HTTPError) -> str:
    if isinstance(error, httpx.ConnectError):
        return say("The server at {host} does not answer.", host=host)
    if isinstance(error, httpx.ConnectTimeout):
        return say("The server at {host} did not answer in time.", host=host)
    if isinstance(error, httpx.TimeoutException):
        return say("The server at {host} has stopped answering.", host=host)
    if isinstance(error, httpx.ProxyError):
        return say("The proxy on the way to {host} does not let us through.", host=host)
    return say("The connection to {host} broke off.", host=host)


def _tls(host: str, error: ssl.SSLError) -> str:
    if not isinstance(error, ssl.SSLCertVerificationError):
        if any(sign in str(error) for sign in _NO_TLS):
            return say(
                "The server at {host} does not speak https there. Write engine.url with http://, or its https port.",
                host=host,
            )
        return say(
            "No safe connection to {host} came about ({reason}). Ask who runs the server.",
            host=host,
            reason=one_line(error.reason or "", 60),
        )
    code = getattr(error, "verify_code", 0)
    if code in _WRONG_NAME:
        return say(
            "The certificate of {host} is for another name. Write engine.url with the name that it was made for.",
            host=host,
        )
    if code in (_EXPIRED, _NOT_YET):
        return say(
            "The certificate of {host} is not valid today. Check this machine's date, or ask who runs the server.",
            host=host,
        )
    return say(
        "This machine does not trust the certificate of {host}, so nothing was sent there. If it is "
        "your lab's own, name its file in the variable SSL_CERT_FILE, then try again.",
        host=host,
    )
