"""The language of the interface. Every sentence that a user sees goes through `say` or `many`.

The English sentence in the source is its own key, a literal, never an f-string; `locale/zh` has the Chinese one. The
language is chosen once per process, when the first sentence is said: `WRITER_LANGUAGE`, then `[interface] language` of
the user's settings, then the locale. English loads no catalogue. Standard library only, until the settings are asked.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gettext import GNUTranslations

LANGUAGES = ("en", "zh")
AUTO = "auto"
_FOLDER = Path(__file__).parent / "locale"


class _Spoken:
    """What is spoken in this process: nothing is chosen yet, or a language and its catalogue (None for English)."""

    language: str = ""
    catalogue: GNUTranslations | None = None


def say(message: str, /, **values: object) -> str:
    """The sentence in the user's language, with these values in its {fields}. Without values, braces stay."""
    text = message
    if (catalogue := _catalogue()) and message:
        text = catalogue.gettext(message)
    return text.format(**values) if values else text


def many(one: str, several: str, count: int, /, **values: object) -> str:
    """The sentence for one thing or for several, as `count` and the language want it. `{count}` is filled in."""
    catalogue = _catalogue()
    text = catalogue.ngettext(one, several, count) if catalogue else one if count == 1 else several
    return text.format(count=count, **values)


def together(*sentences: str) -> str:
    """Sentences that stand in one line, with what the language sets between them; empty ones are left out."""
    return ("" if spoken() == "zh" else " ").join(filter(None, sentences))


def spoken() -> str:
    """The language of this process, one of `LANGUAGES`."""
    _catalogue()
    return _Spoken.language


def speak(language: str) -> None:
    """Choose the language, one of `LANGUAGES`. What a module said at its import stays as it was said."""
    _Spoken.catalogue = _read(language)
    _Spoken.language = language


def wanted(environ: Mapping[str, str], setting: str) -> str:
    """The language for this environment and this value of `[interface] language`. What is neither is English.

    LANGUAGE, a list, comes before the locale, as for other programs, unless the locale is C, which wants English.
    """
    for asked in (environ.get("WRITER_LANGUAGE", ""), setting):
        if asked in LANGUAGES:
            return asked
    names = (environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, names), "")
    listed = "" if locale in ("C", "POSIX") else environ.get("LANGUAGE", "")
    known = (name[:2].lower() for name in (listed or locale).split(":"))
    return next((name for name in known if name in LANGUAGES), "en")


def _catalogue() -> GNUTranslations | None:
    if not _Spoken.language:
        known = os.environ.get("WRITER_LANGUAGE", "") in LANGUAGES
        speak(wanted(os.environ, "" if known else _setting()))
    return _Spoken.catalogue


def _read(language: str) -> GNUTranslations | None:
    if language == "en":
        return None
    from gettext import GNUTranslations

    try:
        with (_FOLDER / language / "LC_MESSAGES" / "writer.mo").open("rb") as file:
            return GNUTranslations(file)
    except OSError:  # not all of it was installed: English is better than nothing
        return None


def _setting() -> str:
    """`[interface] language` of the user's own file; "" if it has none. What is wrong in it is told by `config`."""
    import tomllib

    try:
        from writer import locations

        with locations.config_file().open("rb") as file:
            table = tomllib.loads(file.read(4 * 1024 * 1024).decode("utf-8-sig").replace("\r\n", "\n"))
        return str(table["interface"]["language"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError, ImportError):
        return ""
