"""The table of suggested models: `suggested.toml` beside this module, or the user's own `models.toml` in its place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from writer import locations
from writer.catalogue.values import Listed, Variant, Weights
from writer.config import read_toml
from writer.errors import ConfigError
from writer.language import say, spoken
from writer.text.sanitise import one_line

BUILT_IN = Path(__file__).with_name("suggested.toml")
OWN = "models.toml"
Kind = TypeVar("Kind", str, int, float, bool, list[Any])
_KINDS: Mapping[type, str] = {
    str: say("text in quotes"),
    int: say("a whole number"),
    float: say("a number"),
    bool: say("true or false"),
    list: say("a list"),
}


def own_table() -> Path:
    """Where the user's own table is looked for: `$XDG_CONFIG_HOME/writer/models.toml`."""
    return locations.config_file().with_name(OWN)


def read_table() -> tuple[Listed, ...]:
    """The user's table if there is one, else the built-in one. Raises ConfigError that names file and key."""
    own = own_table()
    return read(own if own.is_file() else BUILT_IN)


def read(path: Path) -> tuple[Listed, ...]:
    """The models of this file. Raises ConfigError."""
    rows = read_toml(path).get("model", [])
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise ConfigError(
            say("{path}: models are tables, each written as [[model]]. Correct it, then try again.", path=path)
        )
    return tuple(_model(row, path, number) for number, row in enumerate(rows, 1))


def _model(row: Mapping[str, Any], path: Path, number: int) -> Listed:
    where = say("{path}, model {number}", path=path, number=number)
    forms = _get(row, "forms", list, where)
    if not forms or not all(isinstance(form, Mapping) for form in forms):
        raise ConfigError(
            say('{where}: "forms" must hold tables with hub, quantisation and gigabytes. Add them there.', where=where)
        )
    layers, heads, size = (_get(row, key, int, where) for key in ("layers", "kv_heads", "head_size"))
    kv_values, context = 2 * layers * heads * size, _get(row, "context", int, where)
    return Listed(
        name=_get(row, "name", str, where),
        parameters=_get(row, "parameters", float, where),
        licence=_get(row, "licence", str, where),
        gated=_get(row, "gated", bool, where, False),
        languages=tuple(str(each).lower() for each in _get(row, "languages", list, where)),
        note=_get(row, f"note_{spoken()}", str, where, _get(row, "note", str, where, "")),
        variants=tuple(_variant(form, kv_values, context, where) for form in forms),
    )


def _variant(form: Mapping[str, Any], kv_values: int, context: int, where: str) -> Variant:
    size = round(_get(form, "gigabytes", float, where) * 1e9)
    weights = Weights(size, _get(form, "quantisation", str, where), kv_values, context)
    return Variant(_get(form, "hub", str, where), weights)


def _get(row: Mapping[str, Any], key: str, kind: type[Kind], where: str, default: Kind | None = None) -> Kind:
    value = row.get(key, default)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind or (kind in (int, float) and not 0 < value < 1e9):  # type: ignore[operator]
        said = (
            say("is missing")
            if value is None
            else say("must be {kind}, not {value}", kind=_KINDS[kind], value=one_line(repr(value), 60))
        )
        raise ConfigError(say('{where}: "{key}" {said}. Correct it, then try again.', where=where, key=key, said=said))
    return value
