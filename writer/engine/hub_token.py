"""The token for models that are not given to everyone: from the environment or the system's keyring.

Read in the downloading process alone, sent to the hub alone, and never written anywhere.
"""

from __future__ import annotations

from collections.abc import MutableMapping

from writer.engine.keys_kept import kept

VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
USER = "huggingface"


def take_token(environ: MutableMapping[str, str]) -> str:
    """The token, which is taken out of the environment; "" if there is none."""
    found = [environ.pop(name, "").strip() for name in VARIABLES]
    return next(filter(None, found), "") or kept(USER)
