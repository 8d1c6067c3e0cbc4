"""The token for models that are not given to everyone: from the environment or the system's keyring.

Read in the downloading process alone, sent to the hub alone, and never written anywhere.
"""

from __future__ import annotations

from collections.abc import MutableMapping

VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
SERVICE, USER = "writer", "huggingface"


def take_token(environ: MutableMapping[str, str]) -> str:
    """The token, which is taken out of the environment; "" if there is none."""
    found = [environ.pop(name, "").strip() for name in VARIABLES]
    return next(filter(None, found), "") or _from_keyring()


def _from_keyring() -> str:
    """What `keyring set writer huggingface` has stored; the package is optional."""
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return ""
    try:
        return (keyring.get_password(SERVICE, USER) or "").strip()
    except (KeyringError, OSError):  # locked, or no keyring on this machine
        return ""
