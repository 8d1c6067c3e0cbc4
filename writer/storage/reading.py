"""Reads what can be read of a damaged database: each table forwards, backwards, and by single look-ups between.

Works on copies only. Nothing that comes out is proved yet; what cannot be of its column's type is left out. What the
copy's disk refuses is no damage, and is raised.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from writer.storage.codec import Row
from writer.storage.database import APPLICATION_ID, LONGEST
from writer.storage.library import Database
from writer.storage.migrations import LATEST, described, learn, migrations, schema

PAGE = 4096  # bytes
_OF_THE_DISK = (
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PERM, sqlite3.SQLITE_NOMEM),
)
_MOST = 1 << 22  # single look-ups at most: a damaged number asks for no more

GENERATION = (
    "id, chapter, state, finish_reason, stopped_by, instruction, sampling, prompt, model_fp, tokenizer_fp, engine, "
    "{beside}, {crc}, created, updated, run"
)
_TEXTS = (str, str, str, str | None, str | None, str, str, str, str, str, str)
_BESIDE = "role, parent, parent_tokens, place_start, place_end"  # which the first two schemas have not
_GENERATION = (*_TEXTS, str, str, int, int, int, int | None, float, float, int)
_RUN = (int, int, str, float, float | None)
_PROMPT = (str, int, bytes)
_SEGMENT = (str, int, int, int, int, float, str, float)
_SEALED = (str, int, int, bytes, bytes, bytes, int)
_SPAN = (int, str, str, int, int, int, int | None)
_BATCH = (str, int, int, int, bytes, bytes, bytes, int)
_TEXT = (str, str | None)
Rows = dict[Any, tuple[Any, ...]]


@dataclass(slots=True)
class Found:
    """Rows by their keys. `generations` and `spans` of the first schema have None for a checksum."""

    runs: Rows = field(default_factory=dict)
    prompts: Rows = field(default_factory=dict)
    generations: Rows = field(default_factory=dict)
    segments: Rows = field(default_factory=dict)
    batches: dict[str, dict[int, Row]] = field(default_factory=dict)
    sealed: Rows = field(default_factory=dict)
    spans: Rows = field(default_factory=dict)
    whole: bool = True
    """Whether every table could be read from end to end."""


def read(path: Path) -> Found:
    """What can be read of the database at `path`, a copy that may be changed. Raises what SQLite says of its disk."""
    graft(path)
    conn = _opened(path)
    try:
        conn.text_factory = bytes
        return _Reader(conn).all()
    finally:
        conn.close()


def graft(path: Path) -> None:
    """Gives the copy at `path` the first page of a new database, if its own does not lead to our tables.

    Every database of ours was made by the same steps, so its tables begin at the same pages.
    """
    size = path.stat().st_size
    if size >= PAGE and _leads_to_tables(path):
        return
    first = bytearray(_first_page())
    first[28:32] = max(1, size // PAGE).to_bytes(4, "big")  # pages
    first[32:40] = bytes(8)  # no free ones: what they held is none of ours, and is proved like all else
    first[92:96] = first[24:28]  # the number of pages holds
    with path.open("r+b") as file:
        file.write(first)


def _leads_to_tables(path: Path) -> bool:
    conn = _opened(path)
    try:
        return described(conn) in [schema(version) for version in range(1, LATEST + 1)]
    except sqlite3.Error as error:
        _only_damage(error)
        return False
    except UnicodeDecodeError:
        return False
    finally:
        conn.close()


def _only_damage(error: sqlite3.Error) -> None:
    """Raises the error if it tells of the disk, and not of what is in the file."""
    code = getattr(error, "sqlite_errorcode", 0) or 0
    if code != sqlite3.SQLITE_IOERR_SHORT_READ and code & 0xFF in _OF_THE_DISK:
        raise error


def _opened(path: Path) -> sqlite3.Connection:
    conn = sqlite3.connect(path, isolation_level=None)
    conn.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    conn.execute("PRAGMA writable_schema=ON")  # a file that was cut off is refused otherwise
    return conn


@cache
def _first_page() -> bytes:
    conn = sqlite3.connect(":memory:", isolation_level=None)
    try:
        learn(conn)
        conn.execute(f"PRAGMA application_id={APPLICATION_ID}")
        migrations.apply(Database(conn, execute_plugins=False))
        page = bytearray(conn.serialize()[:PAGE])
    finally:
        conn.close()
    page[18:20] = b"\2\2"  # with a log
    return bytes(page)


class _Reader:
    def __init__(self, conn: sqlite3.Connection) -> None:
        self._conn = conn
        self._whole = True

    def all(self) -> Found:
        found = Found(
            runs=self._table("run", "id, pid, boot_id, opened_at, closed_at", "rowid", _RUN),
            prompts=self._table("prompt", "sha256, n, ids", "rowid", _PROMPT),
            generations=self._generations(),
            segments=self._pairs(
                "SELECT generation, number, resumed_from, prompt_tokens, cached_tokens, seconds, engine, opened_at "
                "FROM segment",
                "generation {way}, number {way}",
                _SEGMENT,
            ),
            sealed=self._table("sealed", "generation, batches, n, ids, ends, text, crc", "rowid", _SEALED),
            spans=self._spans(),
        )
        found.batches = self._batches(found.generations)
        found.whole = self._whole
        return found

    def _generations(self) -> Rows:
        beside = _BESIDE if self._has("generation", "role") else "'text', '', 0, 0, 0"
        columns = GENERATION.format(beside=beside, crc=self._crc("generation"))
        return self._table("generation", columns, "rowid", _GENERATION)

    def _spans(self) -> Rows:
        columns = f'id, generation, file_sha256, "start", "end", covered, {self._crc("span")}'
        return self._table("span", columns, "rowid", _SPAN)

    def _crc(self, table: str) -> str:
        """Its column of checksums, which the first schema has not."""
        return "crc" if self._has(table, "crc") else "NULL"

    def _has(self, table: str, column: str) -> bool:
        return bool(self._some(f"SELECT 1 FROM pragma_table_info('{table}') WHERE name='{column}'", ()))

    def _table(self, table: str, columns: str, key: str, types: tuple[Any, ...]) -> Rows:
        """A table with row ids; between what was read forwards and backwards each row is asked for by itself."""
        numbered: dict[Any, tuple[Any, ...]] = {}
        select = f"SELECT {key}, {columns} FROM {table}"
        if not self._both_ways(select, f"{key} {{way}}", (int, *types), lambda row: row[0], numbered):
            for number in _between(numbered):
                for row in self._some(f"{select} WHERE {key}=?", (number,)):
                    _keep(row, (int, *types), lambda row: row[0], numbered)
        return {row[1]: row[1:] for _, row in sorted(numbered.items())}

    def _pairs(self, select: str, order: str, types: tuple[Any, ...]) -> Rows:
        found: Rows = {}
        self._both_ways(select, order, types, lambda row: row[:2], found)
        return found

    def _batches(self, generations: Iterable[str]) -> dict[str, dict[int, Row]]:
        select = "SELECT generation, ordinal, start, n, ids, ends, CAST(text AS BLOB), crc FROM batch"
        found: Rows = {}
        if not self._both_ways(select, "generation {way}, ordinal {way}", _BATCH, lambda row: row[:2], found):
            for generation in {*generations, *(key[0] for key in found)}:
                self._batches_of(generation, select, found)
        batches: dict[str, dict[int, Row]] = {}
        for (generation, ordinal), row in found.items():
            batches.setdefault(generation, {})[ordinal] = Row._make(row[1:])
        return batches

    def _batches_of(self, generation: str, select: str, found: Rows) -> None:
        mine: Rows = {}
        of_it = f"{select} WHERE generation=?"
        if not self._both_ways(of_it, "ordinal {way}", _BATCH, lambda row: row[1], mine, (generation,)):
            for ordinal in _between({-1: (), **mine}):
                for row in self._some(f"{of_it} AND ordinal=?", (generation, ordinal)):
                    _keep(row, _BATCH, lambda row: row[1], mine)
        found.update({(generation, ordinal): row for ordinal, row in mine.items()})

    def _both_ways(
        self,
        select: str,
        order: str,
        types: tuple[Any, ...],
        key: Callable[[tuple[Any, ...]], Hashable],
        into: Rows,
        parameters: tuple[Any, ...] = (),
    ) -> bool:
        """Whether the first way was enough."""
        for way in ("ASC", "DESC"):
            whole = True
            try:
                for row in self._conn.execute(f"{select} ORDER BY {order.format(way=way)}", parameters):
                    whole = _keep(row, types, key, into) and whole
            except sqlite3.Error as error:
                _only_damage(error)
                whole = False
            if whole:
                return True
            self._whole = False
        return False

    def _some(self, sql: str, parameters: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        try:
            return self._conn.execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            _only_damage(error)
            return []


def _keep(row: tuple[Any, ...], types: tuple[Any, ...], key: Callable[[tuple[Any, ...]], Hashable], into: Rows) -> bool:
    """Takes the row in if every value is of its type."""
    try:
        values = tuple([
            value.decode() if kind in _TEXT and isinstance(value, bytes) else value
            for value, kind in zip(row, types, strict=True)
        ])  # fmt: skip
    except UnicodeDecodeError:
        return False
    if not all(map(isinstance, values, types)):
        return False
    into[key(values)] = values
    return True


def _between(found: Iterable[Any]) -> list[int]:
    """The whole numbers up to the greatest key that have none."""
    keys = {key for key in found if isinstance(key, int)}
    last = min(max(keys, default=0), _MOST)
    return [number for number in range(last) if number not in keys]
