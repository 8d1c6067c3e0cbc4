"""The key of a server that others run: from WRITER_API_KEY, or from the system's keyring under the server's address.

A key belongs to one address: that of another server, or another port, is never sent there. Nothing here tells a key.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from writer.engine import keys_kept
from writer.errors import EngineError
from writer.language import say
from writer.text.sanitise import one_line

VARIABLE = "WRITER_API_KEY"
_PORTS = {"http": 80, "https": 443}


def place(url: str) -> str:
    """The server's name in the keyring: scheme, host and port, or the whole address of a socket. Raises EngineError."""
    try:
        parts = urlsplit(url.strip())
        if parts.scheme == "http+unix" and parts.netloc:
            return f"{parts.scheme}://{parts.netloc}"
        if parts.scheme in _PORTS and parts.hostname:
            return f"{parts.scheme}://{parts.hostname}:{parts.port or _PORTS[parts.scheme]}"
    except ValueError:
        pass
    raise EngineError(say('"{url}" is not an address. Write it as engine.url has it: https://…', url=one_line(url)))


async def key_for(url: str, environ: Mapping[str, str]) -> str:
    """The key for this server; "" if there is none. Who is cancelled does not wait for the keyring's own question."""
    if set_here := environ.get(VARIABLE, "").strip():
        return set_here
    try:
        name = place(url)
    except EngineError:
        return ""  # the client says what is wrong with the address
    return await _apart(lambda: keys_kept.kept(name))


def is_open(url: str) -> bool:
    """Whether text and key would cross a network without TLS."""
    try:
        parts = urlsplit(url)
        return parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1")
    except ValueError:
        return False


def require_salt(salt: str) -> None:
    """Raises EngineError if vLLM would refuse it: it names files by salts."""
    if len(salt) > 128 or not (salt.isascii() and salt.isprintable()) or set(salt) & set("@/\\"):
        raise EngineError(
            say(
                "engine.cache_salt must be at most 128 letters and digits, without @, / and \\. Make a new one: "
                'python3 -c "import secrets; print(secrets.token_urlsafe(32))"'
            )
        )


async def _apart(work: Callable[[], str]) -> str:
    """In a thread that no end of the process waits for: a keyring may ask its user, who may be away."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[str] = loop.create_future()

    def tell(value: str) -> None:
        if not found.done():
            found.set_result(value)

    def look() -> None:
        value = ""
        try:
            value = work()
        finally:
            if not loop.is_closed():
                loop.call_soon_threadsafe(tell, value)

    threading.Thread(target=look, name="keyring", daemon=True).start()
    return await found
