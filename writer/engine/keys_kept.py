"""Keys in the system's keyring: the one door to the optional package `keyring`. They are written to no file of ours.

May wait for the keyring's own question to its user, so it is called from threads that nobody waits for.
"""

from __future__ import annotations

from types import ModuleType

from writer import installation
from writer.errors import EngineError
from writer.language import say

SERVICE = "writer"
LOCKED = say(
    "The system's keyring did not take part: it is locked, or there is none. Unlock it, or set WRITER_API_KEY instead."
)


def kept(user: str) -> str:
    """The key that is stored under this name; "" if there is none, or no keyring."""
    try:
        keyring, failures = _door()
        return (keyring.get_password(SERVICE, user) or "").strip()
    except EngineError:
        return ""
    except failures:
        return ""


def require_keyring() -> None:
    """Raises EngineError if there is none, before anyone is asked to type a key."""
    _door()


def keep(user: str, key: str) -> None:
    """Stores the key, in place of an older one. Raises EngineError."""
    keyring, failures = _door()
    try:
        keyring.set_password(SERVICE, user, key)
    except failures as error:
        raise EngineError(LOCKED, detail=type(error).__name__) from None


def forget(user: str) -> bool:
    """Whether a key was there, and is gone now. Raises EngineError."""
    keyring, failures = _door()
    try:
        if keyring.get_password(SERVICE, user) is None:
            return False
        keyring.delete_password(SERVICE, user)
    except failures as error:
        raise EngineError(LOCKED, detail=type(error).__name__) from None
    return True


def keyring_name() -> str:
    """What keeps keys here, such as "SecretService"; "" if nothing does. Asks for no key."""
    try:
        keyring, failures = _door()
    except EngineError:
        return ""
    try:
        found = type(keyring.get_keyring())
    except failures:
        return ""
    usable = "fail" not in found.__module__ and "null" not in found.__module__
    return found.__module__.rpartition(".")[2] if usable else ""


def _door() -> tuple[ModuleType, tuple[type[Exception], ...]]:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        sentence = say(
            'The system\'s keyring cannot be reached from here. Run "{command}", or set WRITER_API_KEY instead.',
            command=installation.pip("install", "keyring"),
        )
        raise EngineError(sentence) from None
    return keyring, (KeyringError, OSError)
