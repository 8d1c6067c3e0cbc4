"""Windows that fitted: found once, by a start or by measuring, and remembered for exactly that launch or model."""

from __future__ import annotations

import json
from pathlib import Path

from writer import locations
from writer.engine.fitting import USUAL_WINDOW
from writer.engine.keeper_state import write_private

LEAST = 512  # tokens; below this there is no room to write
_REMEMBERED = 50  # launches and models


def smaller(window: int, than: int) -> bool:
    """Whether one window is smaller than another; 0 is as large as fits."""
    return bool(window) and (not than or window < than)


def expected(wanted: int, model_window: int, model: str) -> int:
    """The window that an engine for this model would have, before there is one. `model`: its digest."""
    return min(wanted or of_model(model) or USUAL_WINDOW, model_window)


def of_model(model: str) -> int:
    """What fitted this model (its digest) the last time; 0 if it never ran."""
    return remembered(_of(model))


def remembered(launch: str) -> int:
    """The window that fitted this launch (its fingerprint); 0 if none had to be found."""
    window = _read(_file()).get(launch, 0)
    return window if isinstance(window, int) and window >= LEAST else 0


def remember(launch: str, window: int) -> None:
    """Starts this launch with that window from now on."""
    known = {name: size for name, size in _read(_file()).items() if name != launch}
    kept = dict(list(known.items())[-(_REMEMBERED - 1) :])
    write_private(_file(), kept | {launch: window})


def remember_model(model: str, window: int) -> None:
    """What fitted this model the last time, for those who ask before an engine is there."""
    if of_model(model) != window:
        remember(_of(model), window)


def _of(model: str) -> str:
    return f"model {model[:16]}"


def _file() -> Path:
    return locations.log_dir().parent / "windows.json"


def _read(file: Path) -> dict[str, int]:
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}
