"""Where the key of a server would be kept. Asks for no key."""

from __future__ import annotations

from collections.abc import Mapping

from writer import installation
from writer.config import EngineSettings
from writer.doctor.finding import Finding
from writer.engine.keys_kept import keyring_name
from writer.engine.server_key import VARIABLE
from writer.language import say
from writer.text.sanitise import one_line


def findings(settings: EngineSettings, environ: Mapping[str, str]) -> list[Finding]:
    """One answer."""
    return [kept(keyring_name(), bool(settings.url), bool(environ.get(VARIABLE, "").strip()))]


def kept(name: str, has_server: bool, in_environment: bool) -> Finding:
    """`name`: of the keyring, "" if there is none. Only who writes with a server is told what to do."""
    subject, variable = say("Keyring"), VARIABLE
    if in_environment:
        return Finding(subject, "ok", say("The key of a server is taken from {variable}.", variable=variable))
    if name:
        shown = one_line(name, 60)
        return Finding(subject, "ok", say("Keys of servers are kept by the system's keyring ({name}).", name=shown))
    if has_server:
        step = say(
            "If the server wants a key, set {variable}, or install a keyring: {command}",
            variable=variable,
            command=installation.pip("install", "keyring"),
        )
        return Finding(subject, "warn", say("There is no keyring here that could keep the server's key."), step)
    sentence = say("There is no keyring here; a server's key would be taken from {variable}.", variable=variable)
    return Finding(subject, "ok", sentence)
