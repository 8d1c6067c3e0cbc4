"""The user's own config.toml, changed in one place of it. Comments and all else stay. A crash leaves old or new."""

from __future__ import annotations

import tomllib
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from writer import locations
from writer.errors import ConfigError
from writer.language import say
from writer.manuscript import atomic


def set_engine(path: Path, key: str, value: str | int) -> None:
    """`[engine]` says `key = value` from now on. Blocks. Raises ConfigError, and the errors of `locations.private`."""
    locations.private(path.parent)
    real = path.resolve()  # a link stays a link
    try:
        before = real.read_bytes() if real.exists() else b""
        after = with_engine(before.decode("utf-8-sig"), path, key, value).encode()
        if after == before:
            return
        if before or real.exists():
            atomic.replace(real, after, lambda found: _refuse_changed(found, before, path))
        else:
            atomic.write_new(real, after)
    except UnicodeDecodeError:
        raise ConfigError(say("{path} is not UTF-8. Correct it, then try again.", path=path)) from None
    except (OSError, atomic.CannotReplace) as error:
        why = getattr(error, "strerror", None) or error
        raise ConfigError(
            say(
                "{path} cannot be written ({why}). Write {key} under [engine] there yourself.",
                path=path,
                why=why,
                key=key,
            )
        ) from None


def _refuse_changed(found: Path, before: bytes, path: Path) -> None:
    if found.read_bytes() != before:
        raise ConfigError(say("Another program has just changed {path}. Try again.", path=path))


def with_engine(text: str, path: Path, key: str, value: str | int) -> str:
    """The text of the file with this key. Pure. Raises ConfigError."""
    try:
        document = tomlkit.parse(text)
        if "engine" not in document:
            document["engine"] = tomlkit.table()
        document["engine"][key] = value
        changed = tomlkit.dumps(document)
        proved = tomllib.loads(changed)["engine"][key]
    except (TOMLKitError, ValueError, TypeError, AttributeError, KeyError) as error:
        raise ConfigError(
            say("{path} cannot be changed here: {error}. Correct it, then try again.", path=path, error=error)
        ) from None
    if proved != value:
        raise ConfigError(
            say('{path} is written in a way that hides "{key}". Set it there by hand.', path=path, key=key)
        )
    return changed
