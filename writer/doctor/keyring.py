"""Where the key of a server would be kept. Asks for no key."""

from __future__ import annotations

from collections.abc import Mapping

from writer.config import EngineSettings
from writer.doctor.finding import Finding
from writer.engine.keys_kept import keyring_name
from writer.engine.server_key import VARIABLE
from writer.text.sanitise import one_line


def findings(settings: EngineSettings, environ: Mapping[str, str]) -> list[Finding]:
    """One answer."""
    return [kept(keyring_name(), bool(settings.url), bool(environ.get(VARIABLE, "").strip()))]


def kept(name: str, has_server: bool, in_environment: bool) -> Finding:
    """`name`: of the keyring, "" if there is none. Only who writes with a server is told what to do."""
    if in_environment:
        return Finding("Keyring", "ok", f"The key of a server is taken from {VARIABLE}.")
    if name:
        return Finding("Keyring", "ok", f"Keys of servers are kept by the system's keyring ({one_line(name, 60)}).")
    if has_server:
        step = f"If the server wants a key, set {VARIABLE}, or install a keyring: pip install keyring"
        return Finding("Keyring", "warn", "There is no keyring here that could keep the server's key.", step)
    return Finding("Keyring", "ok", f"There is no keyring here; a server's key would be taken from {VARIABLE}.")
