"""The schema, as steps that are only ever added. Each changes the text of the schema, and ends in its `user_version`.

Before a step is added, `python tests/storage/old_states.py` keeps a database of the version that is left behind.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import Any

from writer.storage.codec import facts_crc, resealed
from writer.storage.library import Database, Migrations

LATEST = 3
migrations = Migrations("writer")

_V1 = (
    # One row per process that had the manuscript open. closed_at stays NULL when it was killed.
    """CREATE TABLE run(
        id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, boot_id TEXT NOT NULL,
        opened_at REAL NOT NULL, closed_at REAL) STRICT""",
    # Prompts by content: a long prompt that several takes share is stored once. ids: zlib of little-endian uint32.
    "CREATE TABLE prompt(sha256 TEXT PRIMARY KEY, n INTEGER NOT NULL, ids BLOB NOT NULL) STRICT",
    """CREATE TABLE generation(
        id TEXT PRIMARY KEY, chapter TEXT NOT NULL, state TEXT NOT NULL, finish_reason TEXT, stopped_by TEXT,
        instruction TEXT NOT NULL, sampling TEXT NOT NULL, prompt TEXT NOT NULL REFERENCES prompt(sha256),
        model_fp TEXT NOT NULL, tokenizer_fp TEXT NOT NULL, engine TEXT NOT NULL,
        run INTEGER NOT NULL REFERENCES run(id), created REAL NOT NULL, updated REAL NOT NULL) STRICT""",
    """CREATE TABLE segment(
        generation TEXT NOT NULL REFERENCES generation(id), number INTEGER NOT NULL, resumed_from INTEGER NOT NULL,
        prompt_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, seconds REAL NOT NULL, engine TEXT NOT NULL,
        opened_at REAL NOT NULL, PRIMARY KEY(generation, number)) STRICT, WITHOUT ROWID""",
    # The journal. crc is chained over all rows of a generation; ids and ends are little-endian uint32.
    """CREATE TABLE batch(
        generation TEXT NOT NULL REFERENCES generation(id), ordinal INTEGER NOT NULL, start INTEGER NOT NULL,
        n INTEGER NOT NULL, ids BLOB NOT NULL, ends BLOB NOT NULL, text TEXT NOT NULL, crc INTEGER NOT NULL,
        PRIMARY KEY(generation, ordinal)) STRICT, WITHOUT ROWID""",
    # A generation that has ended, in one row; ids, ends and text are zlib-compressed.
    """CREATE TABLE sealed(
        generation TEXT PRIMARY KEY REFERENCES generation(id), batches INTEGER NOT NULL, n INTEGER NOT NULL,
        ids BLOB NOT NULL, ends BLOB NOT NULL, text BLOB NOT NULL, crc INTEGER NOT NULL) STRICT""",
    # Where a generation's text stands in a version of its chapter file; written before the file is.
    """CREATE TABLE span(
        id INTEGER PRIMARY KEY, generation TEXT NOT NULL REFERENCES generation(id), file_sha256 TEXT NOT NULL,
        "start" INTEGER NOT NULL, "end" INTEGER NOT NULL, covered INTEGER NOT NULL) STRICT""",
    "CREATE INDEX span_generation ON span(generation, id)",
    "PRAGMA user_version=1",
)

# A changed letter in these rows would send text to another place, or sample it in another way.
_V2 = (
    "ALTER TABLE generation ADD COLUMN crc INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE span ADD COLUMN crc INTEGER NOT NULL DEFAULT 0",
    """UPDATE generation SET crc=facts_crc(id, chapter, state, finish_reason, stopped_by, instruction, sampling, prompt,
        model_fp, tokenizer_fp, engine)""",
    'UPDATE span SET crc=facts_crc(generation, file_sha256, "start", "end", covered)',
    "UPDATE sealed SET crc=resealed(generation, batches, n, ids, ends, text, crc)",
    "PRAGMA user_version=2",
)

_OF_V2 = """facts_crc(id, chapter, state, finish_reason, stopped_by, instruction, sampling, prompt, model_fp,
    tokenizer_fp, engine)"""
# Texts beside a chapter. What did not match its checksum before does not match the new one either.
_V3 = (
    "ALTER TABLE generation ADD COLUMN role TEXT NOT NULL DEFAULT 'text'",
    "ALTER TABLE generation ADD COLUMN parent TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE generation ADD COLUMN parent_tokens INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE generation ADD COLUMN place_start INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE generation ADD COLUMN place_end INTEGER NOT NULL DEFAULT 0",
    f"""UPDATE generation SET crc=CASE WHEN crc={_OF_V2} THEN {_OF_V2[:-1]},
        role, parent, parent_tokens, place_start, place_end) ELSE -1 END""",
    "PRAGMA user_version=3",
)


@migrations()  # type: ignore[untyped-decorator]
def m001_first(db: Any) -> None:
    for statement in _V1:
        db.conn.execute(statement)


@migrations()  # type: ignore[untyped-decorator]
def m002_checksums(db: Any) -> None:
    for statement in _V2:
        db.conn.execute(statement)


@migrations()  # type: ignore[untyped-decorator]
def m003_asides(db: Any) -> None:
    for statement in _V3:
        db.conn.execute(statement)


def learn(conn: sqlite3.Connection) -> None:
    """Teaches a connection the functions that the schema's steps and the stores use."""
    conn.create_function("facts_crc", -1, facts_crc, deterministic=True)
    conn.create_function("resealed", 7, resealed, deterministic=True)


@cache
def schema(version: int) -> tuple[tuple[str, str, str | None], ...]:
    """What a database of that version holds: (kind, name, text) of each table and index, by name."""
    conn = sqlite3.connect(":memory:", isolation_level=None)
    try:
        learn(conn)
        stop = [m.name for m in migrations._migrations[version : version + 1]]
        migrations.apply(Database(conn, execute_plugins=False), stop_before=stop or None)
        return described(conn)
    finally:
        conn.close()


def described(conn: sqlite3.Connection) -> tuple[tuple[str, str, str | None], ...]:
    """The same of an open database. How sqlite-utils notes its steps, and how SQLite spaces a text, is their affair."""
    rows = conn.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE tbl_name<>? ORDER BY name", (migrations.migrations_table,)
    ).fetchall()
    return tuple((kind, name, sql and "".join(sql.split())) for kind, name, sql in rows)
