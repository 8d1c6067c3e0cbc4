"""The journal of generations. `append` returns only once its batch would survive a power cut."""

from __future__ import annotations

import json
import secrets
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlite_utils import Database

from writer.errors import BatchOutOfOrder, StateDamaged, StorageError
from writer.generation.model import Fingerprint, Generation, Sampling, Saved, State, StopCause, TokenBatch
from writer.storage.codec import chain, fold, pack, prompt_key, unpack
from writer.storage.database import mapped, transaction


@dataclass(slots=True)
class _Tail:
    """Where a generation's journal ends, so that an append need not read it."""

    batches: int
    tokens: int
    shown: int  # characters
    crc: int
    last: TokenBatch | None = None


class GenerationStore:
    """One journal per generation. Use from one thread. All methods raise StorageError's kinds."""

    def __init__(self, db: Database, run: int, now: Callable[[], float]) -> None:
        self._db = db
        self._run = run
        self._now = now
        self._tails: dict[str, _Tail] = {}

    # --- the journal -------------------------------------------------------------------------------------------

    def begin(
        self,
        *,
        chapter: str,
        prompt_ids: Sequence[int],
        sampling: Sampling,
        fingerprint: Fingerprint,
        instruction: str = "",
    ) -> Generation:
        """A new generation, state RUNNING, saved before its first token is asked for."""
        identity, now, key = secrets.token_hex(6), self._now(), prompt_key(prompt_ids)
        with transaction(self._db):
            self._db.execute(
                "INSERT OR IGNORE INTO prompt VALUES(?,?,?)", (key, len(prompt_ids), zlib.compress(pack(prompt_ids)))
            )
            self._db.execute(
                "INSERT INTO generation VALUES(?,?,?,NULL,NULL,?,?,?,?,?,?,?,?,?)",
                (
                    identity, chapter, State.RUNNING, instruction, json.dumps(asdict(sampling)), key,
                    fingerprint.model, fingerprint.tokenizer, fingerprint.engine, self._run, now, now,
                ),
            )  # fmt: skip
        self._tails[identity] = _Tail(0, 0, 0, 0)
        return self.generation(identity)

    def open_segment(
        self, generation: str, *, resumed_from: int, prompt_tokens: int, cached_tokens: int, seconds: float, engine: str
    ) -> None:
        """Records one request and what it cost; the generation is RUNNING from here on."""
        row = (generation, resumed_from, prompt_tokens, cached_tokens, seconds, engine, self._now())
        with transaction(self._db):
            self._db.execute(
                "INSERT INTO segment SELECT ?1, count(*), ?2, ?3, ?4, ?5, ?6, ?7 FROM segment WHERE generation=?1", row
            )
            self._set_state(generation, State.RUNNING, None, None)

    def append(self, batch: TokenBatch, *, state: State = State.RUNNING, reason: str | None = None) -> None:
        """Saves one batch, together with the state it ends in. The same batch again changes nothing.

        Raises BatchOutOfOrder on a gap or a rewind, StateFull if the disk refuses (retry is safe).
        """
        tail = self._tail(batch.generation)
        if tail.last == batch:
            return
        self._check_order(tail, batch)
        crc = chain(tail.crc, batch)
        with transaction(self._db):
            self._db.execute(
                "INSERT INTO batch VALUES(?,?,?,?,?,?,?,?)",
                (
                    batch.generation, batch.ordinal, batch.start, len(batch.token_ids),
                    pack(batch.token_ids), pack(batch.ends), batch.text, crc,
                ),
            )  # fmt: skip
            if state is not State.RUNNING:
                self._set_state(batch.generation, state, reason, None)
        self._tails[batch.generation] = _Tail(
            tail.batches + 1, batch.start + len(batch.token_ids), tail.shown + len(batch.text), crc, batch
        )

    def mark(self, generation: str, state: State, *, reason: str | None = None, cause: StopCause | None = None) -> None:
        """Changes the state alone."""
        with transaction(self._db):
            self._set_state(generation, state, reason, cause)

    def seal(self, generation: str, *, reason: str = "") -> None:
        """Packs the batches of a generation, whose text its chapter file holds, into one row.

        `reason` ends one that could still go on, in the same transaction.
        """
        with mapped():
            saved, _ = self._journal(generation)
        packed = (
            zlib.compress(pack(saved.token_ids)),
            zlib.compress(pack(saved.ends)),
            zlib.compress(saved.text.encode()),
        )
        with transaction(self._db):
            if reason:
                self._set_state(generation, State.FINISHED, reason, None)
            self._db.execute(
                "INSERT INTO sealed VALUES(?,?,?,?,?,?,?)",
                (generation, saved.batches, len(saved.token_ids), *packed, _sealed_crc(packed)),
            )
            self._db.execute("DELETE FROM batch WHERE generation=?", (generation,))
            self._db.execute("DELETE FROM span WHERE generation=?", (generation,))
        self._tails.pop(generation, None)

    # --- reading -----------------------------------------------------------------------------------------------

    def generation(self, identity: str) -> Generation:
        """One generation. Raises StorageError if there is none of that id."""
        rows = self._generations("p.ids", "WHERE g.id=?", (identity,))
        if not rows:
            raise StorageError(f"There is no generation {identity[:20]!r} here. `writer status` lists them.")
        return rows[0]

    def all(self) -> list[Generation]:
        """All, oldest first, without their prompts (`prompt_ids` is empty)."""
        return self._generations("NULL", "", ())

    def unsealed(self) -> list[Generation]:
        """Those whose text may not be in its chapter file yet, oldest first, without their prompts."""
        return self._generations("NULL", "WHERE NOT EXISTS(SELECT 1 FROM sealed s WHERE s.generation=g.id)", ())

    def is_sealed(self, generation: str) -> bool:
        """Whether it has ended and been packed."""
        with mapped():
            return bool(self._db.execute("SELECT count(*) FROM sealed WHERE generation=?", (generation,)).fetchone()[0])

    def load(self, generation: str) -> Saved:
        """Everything saved of its output, checked against its checksums. Raises StateDamaged."""
        with mapped():
            row = self._db.execute(
                "SELECT batches, ids, ends, text, crc FROM sealed WHERE generation=?", (generation,)
            ).fetchone()
            if row is None:
                return self._journal(generation)[0]
        if _sealed_crc(row[1:4]) != row[4]:
            raise StateDamaged("A sealed generation does not match its checksum.", detail=generation)
        ids, ends, text = (zlib.decompress(part) for part in row[1:4])
        return Saved(unpack(ids), text.decode(), unpack(ends), row[0])

    def prompt_of(self, generation: str) -> str:
        """The sha256 that its prompt is stored by."""
        with mapped():
            return str(self._db.execute("SELECT prompt FROM generation WHERE id=?", (generation,)).fetchone()[0])

    # --- inside ------------------------------------------------------------------------------------------------

    def _set_state(self, generation: str, state: State, reason: str | None, cause: StopCause | None) -> None:
        self._db.execute(
            "UPDATE generation SET state=?, finish_reason=?, stopped_by=?, updated=?, run=? WHERE id=?",
            (state, reason, cause, self._now(), self._run, generation),
        )

    def _check_order(self, tail: _Tail, batch: TokenBatch) -> None:
        rewind = batch.start < tail.tokens
        if batch.ordinal == tail.batches and batch.start == tail.tokens:
            return
        if batch.ordinal == tail.batches and rewind:
            ends = self.load(batch.generation).ends
            if (ends[batch.start - 1] if batch.start else 0) == tail.shown:
                return
        raise BatchOutOfOrder(
            "The engine's output came out of order, so nothing more was saved. Go on from the last saved word.",
            detail=f"{batch.generation}: batch {batch.ordinal} at {batch.start} after {tail.batches} at {tail.tokens}",
        )

    def _tail(self, generation: str) -> _Tail:
        if generation not in self._tails:
            with mapped():
                saved, crc = self._journal(generation)
            self._tails[generation] = _Tail(saved.batches, len(saved.token_ids), len(saved.text), crc)
        return self._tails[generation]

    def _journal(self, generation: str) -> tuple[Saved, int]:
        rows = self._db.execute(
            "SELECT generation, ordinal, start, ids, text, ends, crc FROM batch WHERE generation=? ORDER BY ordinal",
            (generation,),
        ).fetchall()
        crc, batches = 0, []
        for identity, ordinal, start, ids, text, ends, stored in rows:
            batch = TokenBatch(identity, ordinal, start, unpack(ids), text, unpack(ends))
            crc = chain(crc, batch)
            if crc != stored:
                raise StateDamaged("A saved batch does not match its checksum.", detail=f"{identity}: batch {ordinal}")
            batches.append(batch)
        return fold(batches), crc

    def _generations(self, prompt: str, where: str, parameters: tuple[Any, ...]) -> list[Generation]:
        sql = f"""SELECT g.id, g.chapter, g.state, g.sampling, g.model_fp, g.tokenizer_fp, g.engine, {prompt},
            g.created, g.updated, g.finish_reason, g.stopped_by, g.instruction,
            coalesce((SELECT n FROM sealed s WHERE s.generation=g.id),
                     (SELECT start+n FROM batch b WHERE b.generation=g.id ORDER BY ordinal DESC LIMIT 1), 0)
            FROM generation g JOIN prompt p ON p.sha256=g.prompt {where} ORDER BY g.created, g.rowid"""
        with mapped():
            rows = self._db.execute(sql, parameters).fetchall()
        return [_generation(row) for row in rows]


def _generation(row: tuple[Any, ...]) -> Generation:
    try:
        return _read(row)
    except (ValueError, TypeError, zlib.error) as error:
        raise StateDamaged("The record of a generation is damaged.", detail=f"{row[0]}: {error!r}") from error


def _read(row: tuple[Any, ...]) -> Generation:
    return Generation(
        id=row[0],
        chapter=row[1],
        state=State(row[2]),
        sampling=Sampling(**json.loads(row[3])),
        fingerprint=Fingerprint(*row[4:7]),
        prompt_ids=unpack(zlib.decompress(row[7])) if row[7] else (),
        created=row[8],
        updated=row[9],
        finish_reason=row[10],
        stopped_by=StopCause(row[11]) if row[11] else None,
        instruction=row[12],
        tokens=row[13],
    )


def _sealed_crc(packed: Sequence[bytes]) -> int:
    crc = 0
    for part in packed:
        crc = zlib.crc32(part, crc)
    return crc
