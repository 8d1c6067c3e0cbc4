"""What goes wrong between here and the hub, in plain words. Pure: knows status codes and names, no library."""

from __future__ import annotations

import re
from dataclasses import dataclass

from writer.language import say
from writer.text.sanitise import one_line

_TOKEN = say('in HF_TOKEN, or stored with "python -m keyring set writer huggingface".')


@dataclass(frozen=True, slots=True)
class Asked:
    """Who was asked for what, and whether with a token."""

    host: str
    hub: str
    page: str
    token: bool


def refused(asked: Asked, status: int, code: str, *, gated: bool) -> str:
    """The sentence for an answer that is an error. `code`: the hub's own word for it, as "GatedRepo"."""
    if gated or code == "GatedRepo":
        return _gated(asked)
    if status == 429:
        return say(
            "{host} gets too many requests and asks to wait. What has come is kept; try again in some minutes.",
            host=asked.host,
        )
    if status in (401, 403):
        return _denied(asked)
    if status == 404 or code in ("RepoNotFound", "RevisionNotFound", "EntryNotFound"):
        return say(
            "{host} has no model {hub}. Check the spelling of the name on its page.", host=asked.host, hub=asked.hub
        )
    if status >= 500:
        return say(
            "{host} has a fault of its own (HTTP {status}). What has come is kept; try again later.",
            host=asked.host,
            status=status,
        )
    return say(
        "{host} refused the request (HTTP {status}). Check the name of the model, then try again.",
        host=asked.host,
        status=status,
    )


def _gated(asked: Asked) -> str:
    first = say("The makers of {hub} give it only to those who have accepted its licence.", hub=asked.hub)
    if asked.token:
        return say(
            "{first} Your token's account has not, or waits for an answer: look at {page}, then try again.",
            first=first,
            page=asked.page,
        )
    return say(
        "{first} Accept it at {page}, then give a token of your account: {token}",
        first=first,
        page=asked.page,
        token=_TOKEN,
    )


def _denied(asked: Asked) -> str:
    if asked.token:
        return say(
            "{host} refuses your token for {hub}. Make a new one that may read it, then try again.",
            host=asked.host,
            hub=asked.hub,
        )
    return say(
        "{host} has no model {hub} that everyone may have. Check the spelling; if it is a private "
        "one, give a token of your account: {token}",
        host=asked.host,
        hub=asked.hub,
        token=_TOKEN,
    )


def unreachable(asked: Asked, detail: str) -> str:
    """No answer at all. `detail`: what the library says."""
    if "CERTIFICATE" in detail.upper() or "SSL" in detail.upper():
        return say(
            "The certificate of {host} cannot be verified. Behind a firewall that reads along, name its "
            "certificates with SSL_CERT_FILE, then try again.",
            host=asked.host,
        )
    why = one_line(re.sub(r"\[Errno -?\d+\] ", "", detail), 120)
    return say("{host} cannot be reached ({why}). Check the network; what has come is kept.", host=asked.host, why=why)


def damaged(asked: Asked, name: str) -> str:
    """A file came twice, and was not what the hub names."""
    return say(
        "{host} sends {name} with other bytes than it names. What came wrong is erased; try again later.",
        host=asked.host,
        name=name,
    )


def full(needed: int, free: int) -> str:
    """`needed` and `free` in bytes."""
    from writer.catalogue.values import gigabytes

    return say(
        "The disk has no room: {needed} are still to come, {free} are free. What has come is kept. "
        "Free some space, then try again.",
        needed=gigabytes(needed),
        free=gigabytes(free),
    )
