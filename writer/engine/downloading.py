"""A model of the hub, from its name to a folder of ours: asked about, weighed, fetched, checked, put in its place.

The folder appears whole or not at all. An interrupted download is kept, and goes on at its next byte.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from writer.catalogue.values import HubFile, Offer, Progress
from writer.engine import hub_faults, model_files
from writer.engine.described import describe_config
from writer.engine.home import HUB_ID, MARKER, folder_of, unfinished_of
from writer.engine.hub import PARTS, WHOLE, there
from writer.engine.hub_call import DiskFull, Errand
from writer.engine.hub_files import wanted
from writer.engine.part_file import SPARE, sha256
from writer.errors import ModelUnusable
from writer.language import say
from writer.text.sanitise import one_line

Free = Callable[[Path], int]
_SPAN = 8.0
"""Seconds over which speed is taken."""


def disk_free(folder: Path) -> int:
    """Bytes."""
    return shutil.disk_usage(folder).free


def ask(hub: str, errand: Errand) -> Offer:
    """What the hub says of this model. Fetches its configuration and nothing else. Raises ModelUnusable, CalledOff."""
    if not HUB_ID.fullmatch(hub):
        raise ModelUnusable(say('"{hub}" is no name of the hub. Names are like Qwen/Qwen3-8B.', hub=one_line(hub, 100)))
    facts: dict[str, Any] = {}
    errand.run({"op": "look", "hub": hub}, facts.update)
    listed = [HubFile(each["name"], each["size"], each["digest"]) for each in facts["files"]]
    files = wanted(hub, listed)
    config = _config(hub, facts["config"])
    size = sum(file.size for file in files if file.name.endswith(".safetensors"))
    return Offer(
        hub=hub,
        revision=str(facts["revision"]),
        licence=one_line(facts["licence"], 60),
        gated=bool(facts["gated"]),
        files=files,
        weights=describe_config(config, size),
        have=there(list(files), unfinished_of(hub)),
    )


def _config(hub: str, text: str) -> Mapping[str, Any]:
    try:
        config = json.loads(text)
    except (ValueError, RecursionError):
        config = None
    if not isinstance(config, dict):
        raise ModelUnusable(
            say("The configuration of {hub} cannot be read, so vLLM cannot run it. Choose another one.", hub=hub)
        )
    if model_files.names_code(config):
        raise ModelUnusable(
            say(
                "{hub} wants to run code of its own (auto_map), which writer does not fetch. Choose another model.",
                hub=hub,
            )
        )
    return config


def fetch(
    offer: Offer,
    errand: Errand,
    report: Callable[[Progress], None],
    *,
    free: Free = disk_free,
    patience: float = 1.0,
) -> Path:
    """The model's folder. Blocks. Raises ModelUnusable with a sentence, or CalledOff; what has come is kept then."""
    place, target = unfinished_of(offer.hub), folder_of(offer.hub)
    if _is_in_place(offer, target):
        return target
    place.mkdir(mode=0o700, exist_ok=True)
    _sweep(offer, place)
    _require_room(offer, place, free)
    telling = _Telling(offer, report)
    order = {"op": "get", "hub": offer.hub, "revision": offer.revision, "place": str(place), "patience": patience}
    try:
        errand.run({**order, "files": [asdict(file) for file in offer.files]}, telling.heard)
    except DiskFull:
        raise ModelUnusable(_full(offer, place, free)) from None
    telling.say(say("Putting it in its place…"))
    _publish(offer, place, target)
    return target


def _is_in_place(offer: Offer, target: Path) -> bool:
    try:
        said = json.loads((target / MARKER).read_bytes())
        sizes = {name: size for name, (size, _) in said["files"].items()}
        return bool(said["revision"] == offer.revision) and all(
            (target / name).stat().st_size == size for name, size in sizes.items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _sweep(offer: Offer, place: Path) -> None:
    """Parts of files that the model has no more, and what a publishing left half done."""
    known = {file.digest for file in offer.files}
    for folder in (PARTS, WHOLE):
        for path in (place / folder).glob("*"):
            if path.name not in known:
                path.unlink(missing_ok=True)
    shutil.rmtree(place / "new", ignore_errors=True)


def _require_room(offer: Offer, place: Path, free: Free) -> None:
    if offer.size - there(list(offer.files), place) + SPARE > free(place):
        raise ModelUnusable(_full(offer, place, free))


def _full(offer: Offer, place: Path, free: Free) -> str:
    return hub_faults.full(offer.size - there(list(offer.files), place), free(place))


def _publish(offer: Offer, place: Path, target: Path) -> None:
    """A new folder beside the parts, checked, then renamed: power may fail at any point of it."""
    new = place / "new"
    new.mkdir(mode=0o700)
    digests: dict[str, list[object]] = {}
    for file in offer.files:
        source = place / WHOLE / file.digest
        digests[file.name] = [file.size, file.digest if len(file.digest) == 64 else sha256(source)]
        _link(source, new / file.name)
    said = {"hub": offer.hub, "revision": offer.revision, "licence": offer.licence, "files": digests}
    (new / MARKER).touch(mode=0o600)
    (new / MARKER).write_text(json.dumps(said, indent=1) + "\n")
    model_files.check(new)
    for path in (new / MARKER, new):
        _sync(path)
    if target.exists():  # another revision of it, or damaged
        target.rename(place / "old")
    new.rename(target)
    _sync(target.parent)
    shutil.rmtree(place, ignore_errors=True)


def _link(source: Path, name: Path) -> None:
    """A second name: the first one stays for a next try. On a disk without such names the file is moved."""
    try:
        os.link(source, name)
    except OSError:
        source.rename(name)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class _Telling:
    """From the errand's lines to progress with speed and time left."""

    def __init__(self, offer: Offer, report: Callable[[Progress], None]) -> None:
        self._total, self._report = offer.size, report
        self._done = offer.have
        self._seen: deque[tuple[float, int]] = deque()

    def heard(self, fact: Mapping[str, Any]) -> None:
        if fact["event"] == "progress":
            self._done = int(fact["done"])
            self._report(self._measured(time.monotonic()))
        elif fact["event"] == "waiting":
            self.say(str(fact["note"]))

    def say(self, note: str) -> None:
        self._report(Progress(self._done, self._total, note=note))

    def _measured(self, now: float) -> Progress:
        self._seen.append((now, self._done))
        while now - self._seen[0][0] > _SPAN:
            self._seen.popleft()
        since, before = self._seen[0]
        speed = (self._done - before) / (now - since) if now - since >= 1 and self._done > before else None
        left = (self._total - self._done) / speed if speed else None
        return Progress(self._done, self._total, speed, left)
