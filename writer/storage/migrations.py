"""The schema, as steps that are only ever added. Each runs in one transaction with its `user_version`."""

from __future__ import annotations

from typing import Any

from sqlite_utils.migrations import Migrations

LATEST = 1
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


@migrations()  # type: ignore[untyped-decorator]
def m001_first(db: Any) -> None:
    for statement in _V1:
        db.conn.execute(statement)
