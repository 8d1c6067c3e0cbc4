"""What goes wrong between here and the hub, in plain words. Pure: knows status codes and names, no library."""

from __future__ import annotations

import re
from dataclasses import dataclass

from writer.text.sanitise import one_line

_TOKEN = 'in HF_TOKEN, or stored with "python -m keyring set writer huggingface".'


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
        return (
            f"{asked.host} gets too many requests and asks to wait. What has come is kept; try again in some minutes."
        )
    if status in (401, 403):
        return _denied(asked)
    if status == 404 or code in ("RepoNotFound", "RevisionNotFound", "EntryNotFound"):
        return f"{asked.host} has no model {asked.hub}. Check the spelling of the name on its page."
    if status >= 500:
        return f"{asked.host} has a fault of its own (HTTP {status}). What has come is kept; try again later."
    return f"{asked.host} refused the request (HTTP {status}). Check the name of the model, then try again."


def _gated(asked: Asked) -> str:
    first = f"The makers of {asked.hub} give it only to those who have accepted its licence."
    if asked.token:
        return f"{first} Your token's account has not, or waits for an answer: look at {asked.page}, then try again."
    return f"{first} Accept it at {asked.page}, then give a token of your account: {_TOKEN}"


def _denied(asked: Asked) -> str:
    if asked.token:
        return f"{asked.host} refuses your token for {asked.hub}. Make a new one that may read it, then try again."
    return (
        f"{asked.host} has no model {asked.hub} that everyone may have. Check the spelling; if it is a private one, "
        f"give a token of your account: {_TOKEN}"
    )


def unreachable(asked: Asked, detail: str) -> str:
    """No answer at all. `detail`: what the library says."""
    if "CERTIFICATE" in detail.upper() or "SSL" in detail.upper():
        return (
            f"The certificate of {asked.host} cannot be verified. Behind a firewall that reads along, name its "
            "certificates with SSL_CERT_FILE, then try again."
        )
    why = one_line(re.sub(r"\[Errno -?\d+\] ", "", detail), 120)
    return f"{asked.host} cannot be reached ({why}). Check the network; what has come is kept."


def damaged(asked: Asked, name: str) -> str:
    """A file came twice, and was not what the hub names."""
    return f"{asked.host} sends {name} with other bytes than it names. What came wrong is erased; try again later."


def full(needed: int, free: int) -> str:
    """`needed` and `free` in bytes."""
    from writer.catalogue.values import gigabytes

    return (
        f"The disk has no room: {gigabytes(needed)} are still to come, {gigabytes(free)} are free. "
        "What has come is kept. Free some space, then try again."
    )
