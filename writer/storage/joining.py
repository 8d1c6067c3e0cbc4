"""Joins what was read of a damaged state and of its copies into one that is proved, row by row. Pure.

Sources come in the order of trust: the damaged state first, since it is the newest, then its copies, newest first.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from writer.errors import StateDamaged
from writer.generation.model import Sampling, State
from writer.storage.codec import Reel, Row, chained, expand, facts_crc, fold, pack, prompt_key, resealed, unpack
from writer.storage.reading import Found, Rows
from writer.storage.records import FACTS, NOT_ASIDE, generation_of, sealed_of, sealed_row

SALVAGED = "salvaged"
"""The finish reason of a text that can be read and cannot go on: what it was made with or what came before is lost."""
_EMPTY = prompt_key(())


@dataclass(slots=True)
class Joined:
    """Rows for a new database, and how much of what is known to have been there they are."""

    runs: Rows = field(default_factory=dict)
    prompts: Rows = field(default_factory=dict)
    generations: Rows = field(default_factory=dict)
    segments: Rows = field(default_factory=dict)
    batches: dict[str, list[Row]] = field(default_factory=dict)
    sealed: Rows = field(default_factory=dict)
    spans: list[tuple[Any, ...]] = field(default_factory=list)
    batches_kept: int = 0
    batches_known: int = 0
    homeless: int = 0
    """Texts whose chapter is not known."""

    @property
    def all_kept(self) -> bool:
        """Whether nothing that is known of is lost."""
        return self.batches_kept == self.batches_known and not self.homeless


def join(sources: Sequence[Found]) -> Joined:
    """All that can be proved."""
    joined = Joined()
    for source in sources:
        joined.runs = {**source.runs, **joined.runs}
        joined.segments = {**source.segments, **joined.segments}
    joined.prompts = {row[0]: row for source in sources for row in source.prompts.values() if _prompt_holds(row)}
    joined.prompts.setdefault(_EMPTY, (_EMPTY, 0, zlib.compress(pack(()))))
    for identity in _identities(sources):
        _Joining(identity, sources, joined).join()
    joined.spans = _spans(sources, joined)
    joined.segments = {key: row for key, row in joined.segments.items() if key[0] in joined.generations}
    return joined


def _spans(sources: Sequence[Found], joined: Joined) -> list[tuple[Any, ...]]:
    """One for each version of a file, the newest last."""
    spans: Rows = {}
    for source in sources:
        for row in sorted(source.spans.values(), reverse=True):
            if row[1] in joined.generations and row[6] in (None, facts_crc(*row[1:6])):
                spans.setdefault(row[1:3], (*row[1:6], facts_crc(*row[1:6])))
    return list(reversed(spans.values()))


def _identities(sources: Sequence[Found]) -> list[str]:
    """Every generation that is known of, the oldest first."""
    seen: dict[str, None] = {}
    for source in reversed(sources):
        seen.update(dict.fromkeys(source.generations))
    for source in sources:
        seen.update(dict.fromkeys((*source.sealed, *source.batches)))
    return list(seen)


class _Joining:
    """One generation."""

    def __init__(self, identity: str, sources: Sequence[Found], joined: Joined) -> None:
        self._identity = identity
        self._sources = sources
        self._joined = joined

    def join(self) -> None:
        sealed = self._sealed()
        rows, rest = ([], []) if sealed else self._journal()
        row = self._record(sealed=sealed is not None)
        if row is None and not sealed and not rows and not rest:
            return  # not more than a damaged name
        if row is None:
            row = _closed((self._identity, *("",) * 10, *NOT_ASIDE, 0, 0.0, 0.0, 0))
            self._joined.homeless += 1
        self._add(row, rows, sealed)
        kept = sealed[1] if sealed else len(rows)
        for part in rest:
            kept += len(part)
            closed = _closed(row, f"{self._identity[:8]}+{part[0].ordinal:x}")
            self._add(closed, _renumbered(part), None)
        self._joined.batches_kept += kept
        self._joined.batches_known += max(kept, self._known(rows, rest))

    def _add(self, row: tuple[Any, ...], rows: list[Row], sealed: tuple[Any, ...] | None) -> None:
        """What has no chapter is sealed, so that nobody looks for its place."""
        if not row[1] and not sealed:
            saved = fold(rows)[0]
            sealed = sealed_row(row[0], saved)
            rows = []
        self._joined.generations[row[0]] = row
        if sealed:
            self._joined.sealed[row[0]] = sealed
        self._joined.batches[row[0]] = rows

    def _record(self, *, sealed: bool) -> tuple[Any, ...] | None:
        """The row of the generation; as one that cannot go on if it cannot be proved, or its prompt is lost."""
        rows = [source.generations[self._identity] for source in self._sources if self._identity in source.generations]
        holding = [row for row in rows if _generation_holds(row) and row[7] in self._joined.prompts]
        if not holding:
            return _closed(rows[0]) if rows else None
        row = max(holding, key=lambda row: float(row[18]))
        if sealed and State(row[2]).resumable:
            row = (*row[:2], State.FINISHED, "kept", None, *row[5:])
        return (*row[:FACTS], facts_crc(*row[:FACTS]), *row[FACTS + 1 :])

    def _sealed(self) -> tuple[Any, ...] | None:
        for source in self._sources:
            row = source.sealed.get(self._identity)
            for each in (row, (*row[:6], resealed(*row))) if row is not None else ():
                if _sealed_holds(each):
                    return each
        return None

    def _journal(self) -> tuple[list[Row], list[list[Row]]]:
        """Its batches from the first on without a gap, and what stands behind each gap."""
        reel, rows = Reel(), []
        while (row := self._next(reel)) is not None:
            rows.append(row)
        return rows, list(_parts(self._newest(), len(rows)))

    def _next(self, reel: Reel) -> Row | None:
        for source in self._sources:
            row = source.batches.get(self._identity, {}).get(reel.count)
            if row is not None:
                try:
                    reel.take(row)
                except StateDamaged:
                    continue
                return row
        return None

    def _newest(self) -> dict[int, Row]:
        rows: dict[int, Row] = {}
        for source in reversed(self._sources):
            rows.update(source.batches.get(self._identity, {}))
        return rows

    def _known(self, rows: list[Row], rest: list[list[Row]]) -> int:
        """How many batches there are known to have been."""
        last = rest[-1][-1].ordinal if rest else len(rows) - 1
        behind = sum(ordinal > last for ordinal in self._newest())
        sealed: list[int] = [
            source.sealed[self._identity][1] for source in self._sources if self._identity in source.sealed
        ]
        return max([last + 1 + behind, *sealed])


def _parts(rows: dict[int, Row], first: int) -> Iterator[list[Row]]:
    """Batches behind a gap that prove each other. The first behind each gap has nothing to be proved by."""
    part: list[Row] = []
    for ordinal in sorted(number for number in rows if number > first):
        row = rows[ordinal]
        follows = ordinal - 1 in rows and _follows(rows[ordinal - 1], row)
        # A token that is taken back may stand in another part.
        if part and not (follows and row.start == part[-1].start + part[-1].n):
            yield part
            part = []
        if follows:
            part.append(row)
    if part:
        yield part


def _follows(before: Row, row: Row) -> bool:
    try:
        return (
            row.ordinal == before.ordinal + 1 and chained(before.crc, row) == row.crc and bool(row.text.decode() or 1)
        )
    except (StateDamaged, UnicodeDecodeError):
        return False


def _renumbered(part: list[Row]) -> list[Row]:
    """The batches of a text of their own."""
    rows: list[Row] = []
    for old in part:
        row = old._replace(ordinal=len(rows), start=old.start - part[0].start)
        rows.append(row._replace(crc=chained(rows[-1].crc if rows else 0, row)))
    return rows


def _generation_holds(row: tuple[Any, ...]) -> bool:
    facts, crc = row[:FACTS], row[FACTS]
    of_v2 = facts[11:] == NOT_ASIDE and crc == facts_crc(*facts[:11])
    if crc is None or of_v2:  # the first schema has no checksum here, the second covered less
        crc = facts_crc(*facts)
    try:
        generation_of((*facts, crc, row[17], row[18], None, 0))
    except StateDamaged:
        return False
    return True


def _sealed_holds(row: tuple[Any, ...]) -> bool:
    try:
        sealed_of(row)
    except StateDamaged:
        return False
    return True


def _prompt_holds(row: tuple[Any, ...]) -> bool:
    try:
        ids = unpack(expand(row[2]))
    except StateDamaged:
        return False
    return bool(len(ids) == row[1] and prompt_key(ids) == row[0])


def _closed(row: tuple[Any, ...], identity: str = "") -> tuple[Any, ...]:
    """A generation that can be read and not go on. Its chapter is taken over, and that the author has discarded it.

    That it stands beside its chapter is believed only if it is proved. `identity`: of a part, a text of its own.
    """
    reason = row[3] if row[3] == "discarded" else SALVAGED
    beside = row[11:FACTS] if _generation_holds(row) else NOT_ASIDE
    made = (json.dumps(asdict(Sampling())), _EMPTY, "", "", "")
    facts = (identity or row[0], row[1], State.FINISHED, reason, None, row[5], *made, *beside)
    return (*facts, facts_crc(*facts), *row[FACTS + 1 :])
