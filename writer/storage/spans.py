"""Where generated text stands in the chapter files. Written before each file is, so any version of it can be placed."""

from __future__ import annotations

from writer.generation.model import SpanRecord
from writer.storage.ballast import Ballast
from writer.storage.codec import facts_crc
from writer.storage.database import mapped, transaction
from writer.storage.library import Database

_KEPT = 4  # the file is one of the last two; the rest serves a save that another program undid


class SpanStore:
    """The span table. Use from the writing thread."""

    def __init__(self, db: Database, ballast: Ballast | None = None) -> None:
        self._db = db
        self._ballast = ballast or Ballast(None)

    def record(self, span: SpanRecord, *, on_disk: str = "") -> None:
        """Says where the text will stand in a file of that hash. Call before the file is written.

        `on_disk` is the hash of the file as it is: its place is never forgotten, however many saves are refused.
        A full disk does not hinder it as long as there is ballast.
        """
        self._ballast.use(lambda: self._record(span, on_disk))

    def _record(self, span: SpanRecord, on_disk: str) -> None:
        with transaction(self._db):
            self._db.execute(
                'INSERT INTO span(generation, file_sha256, "start", "end", covered, crc) VALUES(?,?,?,?,?,?)',
                (*_facts(span), facts_crc(*_facts(span))),
            )
            self._db.execute(
                "DELETE FROM span WHERE generation=?1 AND file_sha256<>?3 AND id NOT IN "
                "(SELECT id FROM span WHERE generation=?1 ORDER BY id DESC LIMIT ?2)",
                (span.generation, _KEPT, on_disk),
            )

    def of(self, generation: str) -> list[SpanRecord]:
        """Newest first. One that does not match its checksum is left out: its place can be searched for."""
        with mapped():
            rows = self._db.execute(
                """SELECT generation, file_sha256, "start", "end", covered, crc FROM span
                WHERE generation=? ORDER BY id DESC""",
                (generation,),
            ).fetchall()
        return [SpanRecord(*facts) for *facts, crc in rows if facts_crc(*facts) == crc]


def _facts(span: SpanRecord) -> tuple[str, str, int, int, int]:
    return span.generation, span.file_sha256, span.start, span.end, span.covered
