"""The weight files of a model folder: are all of them there, is each whole. Reads headers, never weights.

What is missing is named with its bytes, in milliseconds and without any hashing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from writer.errors import ModelUnusable
from writer.language import say, together
from writer.text.sanitise import one_line

INDEX = "model.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
_SHARD = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.safetensors")
_LONGEST_HEADER = 100_000_000  # the limit of the safetensors format


def check_weights(folder: Path, *, pickles: bool) -> None:
    """Raises ModelUnusable unless all weights are there and whole. `pickles`: files that may run code are allowed."""
    names = _names(folder)
    if not names and _pickles(folder):
        if pickles:
            return
        raise ModelUnusable(
            say(
                "The weights in {folder} are pickle files ({name}), which may run code. Choose a model "
                "with safetensors.",
                folder=folder,
                name=_pickles(folder)[0].name,
            )
        )
    if not names:
        raise incomplete(folder, say("there are no weights (*.safetensors)"))
    missing = [name for name in names if not (folder / name).exists()]
    for name in names:
        if name not in missing:
            _check_file(folder, name)
    if missing:
        raise incomplete(folder, _missing(folder, names, missing))


def pickled(folder: Path) -> bool:
    """Whether the weights are pickle files only."""
    return not _names(folder) and bool(_pickles(folder))


def files(folder: Path) -> list[Path]:
    """All weight files that are there, by name."""
    return sorted([*folder.glob("*.safetensors"), *(_pickles(folder) if pickled(folder) else [])])


def size(folder: Path) -> int:
    """Bytes of the weights that are loaded: some folders hold the same ones in a second form."""
    names = _names(folder) or [path.name for path in _pickles(folder)]
    return sum((folder / name).stat().st_size for name in names)


def read_json(folder: Path, name: str) -> dict[str, Any]:
    """A small file of the folder as a JSON object. Raises ModelUnusable."""
    try:
        table = json.loads((folder / name).read_bytes())
    except FileNotFoundError:
        raise incomplete(folder, say("{name} is missing", name=name)) from None
    except (ValueError, UnicodeDecodeError, RecursionError):
        raise incomplete(folder, say("{name} is not valid JSON", name=name)) from None
    except OSError as error:
        raise ModelUnusable(
            say("{folder} cannot be read: {why}. Check its permissions.", folder=folder / name, why=error.strerror)
        ) from None
    if not isinstance(table, dict):
        raise incomplete(folder, say("{name} is not a JSON object", name=name))
    return table


def incomplete(folder: Path, what: str) -> ModelUnusable:
    """The sentence of a folder that lacks something; names the part of a download that was cut short."""
    part = next(iter(_parts(folder)), None)
    cause = ""
    if part is not None:
        cause = say(
            "Its download was interrupted ({part} has {st_size:,} bytes so far).",
            part=one_line(part.name, 80),
            st_size=part.stat().st_size,
        )
    incomplete = say("The model in {folder} is incomplete: {what}.", folder=folder, what=what)
    return ModelUnusable(together(incomplete, cause, say("Download it again.")))


def _parts(folder: Path) -> list[Path]:
    """What downloads left half done, the largest first."""
    found = list(folder.rglob("*.incomplete"))
    if folder.parent.name == "snapshots":  # the hub's cache keeps parts beside the snapshots
        found += (folder.parent.parent / "blobs").glob("*.incomplete")
    return sorted((part for part in found if part.is_file()), key=lambda part: -part.stat().st_size)


def _names(folder: Path) -> list[str]:
    """Names of the safetensors files that belong to the model; some may not be there."""
    if (folder / INDEX).is_file():
        mapping = read_json(folder, INDEX).get("weight_map")
        if isinstance(mapping, dict) and mapping:
            return sorted({str(name) for name in mapping.values()})
        raise incomplete(folder, say("{index} names no weights", index=INDEX))
    names = sorted(path.name for path in folder.glob("*.safetensors"))
    return sorted({*names, *_shards_of(names)})


def _pickles(folder: Path) -> list[Path]:
    return sorted(path for pattern in PICKLES for path in folder.glob(pattern))


def _shards_of(names: Iterable[str]) -> set[str]:
    """All names of the sets that `names` are part of ("model-00001-of-00003.safetensors")."""
    found = [match for name in names if (match := _SHARD.fullmatch(name))]
    return {f"{m[1]}-{n:05}-of-{m[3]}.safetensors" for m in found for n in range(1, min(int(m[3]), 9999) + 1)}


def _missing(folder: Path, names: list[str], missing: list[str]) -> str:
    """Which files are missing, and how many bytes if the index tells."""
    what = one_line(missing[0]) + (
        say(" and {missing} more are missing", missing=len(missing) - 1) if len(missing) > 1 else say(" is missing")
    )
    try:
        total = int(read_json(folder, INDEX)["metadata"]["total_size"])
    except (ModelUnusable, KeyError, TypeError, ValueError):
        return what
    there = sum(_data_bytes(folder / name) for name in names if name not in missing)
    return say("{what}, {total:,} bytes", what=what, total=total - there) if total > there else what


def _data_bytes(path: Path) -> int:
    with path.open("rb") as file:
        return path.stat().st_size - 8 - int.from_bytes(file.read(8), "little")


def _check_file(folder: Path, name: str) -> None:
    path = folder / name
    if Path(name).name != name:
        raise ModelUnusable(
            say(
                "The model in {folder} names weights outside its folder ({name}). Download it again.",
                folder=folder,
                name=name,
            )
        )
    try:
        size = path.stat().st_size
        wanted = _length_by_header(path, size)
    except OSError as error:
        raise ModelUnusable(
            say("{path} cannot be read: {why}. Check its permissions.", path=path, why=error.strerror)
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise incomplete(folder, say("{name} is damaged (its header cannot be read)", name=name)) from None
    if size < wanted:
        raise incomplete(
            folder, say("{name} is truncated, {wanted:,} bytes are missing", name=name, wanted=wanted - size)
        )
    if size > wanted:
        raise incomplete(
            folder, say("{name} is damaged, {size:,} bytes do not belong to it", name=name, size=size - wanted)
        )


def _length_by_header(path: Path, size: int) -> int:
    """Bytes that a safetensors file must have: 8 + header + the end of its last tensor."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8:
            return 8 + length if length else 8
        if length > _LONGEST_HEADER:
            raise ValueError("header too long")
        if size < 8 + length:
            return 8 + length
        header = json.loads(file.read(length))
    ends = (int(entry["data_offsets"][1]) for key, entry in header.items() if key != "__metadata__")
    return 8 + length + max(ends, default=0)
