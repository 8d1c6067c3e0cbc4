"""The journal of generations. `append` returns only once its batch would survive a power cut."""

from __future__ import annotations

import json
import secrets
import zlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from writer.errors import BatchOutOfOrder, StateFull, StorageError
from writer.generation.model import Fingerprint, Generation, Sampling, Saved, State, StopCause, TokenBatch
from writer.language import say
from writer.storage.ballast import Ballast
from writer.storage.codec import Row, facts_crc, fold, fold_fast, pack, prompt_key, rowed
from writer.storage.database import mapped, transaction
from writer.storage.library import Database
from writer.storage.records import generation_of, prove_sealed, sealed_of, sealed_row

CHECKSUM = (
    "facts_crc(id, chapter, {}, {}, {}, instruction, sampling, prompt, model_fp, tokenizer_fp, engine, "
    "role, parent, parent_tokens, place_start, place_end)"
)
"""In SQL, of a generation as it is about to be: to be filled with state, finish reason and stop cause."""


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

    def __init__(self, db: Database, run: int, now: Callable[[], float], ballast: Ballast | None = None) -> None:
        self._db = db
        self._run = run
        self._now = now
        self._ballast = ballast or Ballast(None)
        self._tails: dict[str, _Tail] = {}
        self._held_up: set[str] = set()  # generations that are on record as stopped by a full disk

    # --- the journal -------------------------------------------------------------------------------------------

    def begin(
        self,
        *,
        chapter: str,
        prompt_ids: Sequence[int],
        sampling: Sampling,
        fingerprint: Fingerprint,
        instruction: str = "",
        role: str = "text",
        parent: str = "",
        parent_tokens: int = 0,
        place: tuple[int, int] = (0, 0),
    ) -> Generation:
        """A new generation, state RUNNING, saved before its first token is asked for."""
        identity, now, key = secrets.token_hex(6), self._now(), prompt_key(prompt_ids)
        sampled = json.dumps(asdict(sampling))
        made = (fingerprint.model, fingerprint.tokenizer, fingerprint.engine)
        beside = (role, parent, parent_tokens, *place)
        crc = facts_crc(identity, chapter, State.RUNNING, None, None, instruction, sampled, key, *made, *beside)
        with transaction(self._db):
            self._db.execute(
                "INSERT OR IGNORE INTO prompt VALUES(?,?,?)", (key, len(prompt_ids), zlib.compress(pack(prompt_ids)))
            )
            self._db.execute(
                "INSERT INTO generation VALUES(?,?,?,NULL,NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                (identity, chapter, State.RUNNING, instruction, sampled, key, *made, self._run, now, now, crc, *beside),
            )
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
        held_up = batch.generation in self._held_up
        if held_up and not self._ballast.restore():
            raise StateFull(say("The disk is full: paused. Free some space; nothing shown is lost."))
        row = rowed(batch, tail.crc)
        with transaction(self._db):
            self._db.execute(
                "INSERT INTO batch VALUES(?,?,?,?,?,?,?,?)", (batch.generation, *row[:5], batch.text, row.crc)
            )
            if state is not State.RUNNING or held_up:
                self._set_state(batch.generation, state, reason, None)
        self._held_up.discard(batch.generation)
        self._tails[batch.generation] = _Tail(
            tail.batches + 1, batch.start + row.n, tail.shown + len(batch.text), row.crc, batch
        )

    def hold_up(self, generation: str) -> None:
        """The disk refused a batch, which is tried again. Puts that on record, in the ballast's room. Never raises."""
        try:
            self.mark(generation, State.INTERRUPTED, cause=StopCause.DISK)
        except StorageError:
            return  # it stays RUNNING, which the next start understands
        self._held_up.add(generation)

    def mark(self, generation: str, state: State, *, reason: str | None = None, cause: StopCause | None = None) -> None:
        """Changes the state alone; on a full disk too, as long as there is ballast."""

        def work() -> None:
            with transaction(self._db):
                self._set_state(generation, state, reason, cause)

        self._ballast.use(work)
        self._held_up.discard(generation)

    def recast(self, generation: str, role: str, place: tuple[int, int] | None = None) -> None:
        """Moves a text beside its chapter, or into it: "text". `place`: what it is meant for, as in Generation."""

        def work() -> None:
            with transaction(self._db):
                self._db.execute("UPDATE generation SET role=? WHERE id=?", (role, generation))
                if place is not None:
                    sql = "UPDATE generation SET place_start=?, place_end=? WHERE id=?"
                    self._db.execute(sql, (*place, generation))
                self._prove_anew("id=?", generation)

        self._ballast.use(work)

    def moved(self, old: str, new: str, *, only: str = "") -> None:
        """The chapter `old` has another path now: all generations of it go along, or `only` this one."""
        with transaction(self._db):
            found = "SELECT id FROM generation WHERE chapter=? AND ? IN ('', id)"
            for (identity,) in self._db.execute(found, (old, only)).fetchall():  # no others: they may be damaged
                self._db.execute("UPDATE generation SET chapter=? WHERE id=?", (new, identity))
                self._prove_anew("id=?", identity)

    def interrupt(self, generation: str, cause: StopCause) -> None:
        """Marks one that a killed run left RUNNING. `updated` and `run` stay: they say when the last token came."""

        def work() -> None:
            with transaction(self._db):
                crc = CHECKSUM.format("?1", "finish_reason", "?2")
                self._db.execute(
                    f"UPDATE generation SET state=?1, stopped_by=?2, crc={crc} WHERE id=?3",
                    (State.INTERRUPTED, cause, generation),
                )

        self._ballast.use(work)

    def seal(self, generation: str, *, reason: str = "") -> None:
        """Packs the batches of a generation, whose text its chapter file holds, or that is beside it, into one row.

        `reason` ends one that could still go on, in the same transaction.
        """
        with mapped():
            saved, _ = self._journal(generation)
        with transaction(self._db):
            if reason:
                self._set_state(generation, State.FINISHED, reason, None)
            self._db.execute("INSERT INTO sealed VALUES(?,?,?,?,?,?,?)", sealed_row(generation, saved))
            self._db.execute("DELETE FROM batch WHERE generation=?", (generation,))
            self._db.execute(
                "DELETE FROM span WHERE generation=?1 AND (SELECT role FROM generation WHERE id=?1)='text'",
                (generation,),
            )
        self._tails.pop(generation, None)

    # --- reading -----------------------------------------------------------------------------------------------

    def generation(self, identity: str) -> Generation:
        """One generation. Raises StorageError if there is none of that id."""
        rows = self._generations("coalesce(p.ids, x'')", "WHERE g.id=?", (identity,))
        if not rows:
            raise StorageError(
                say("There is no generation {identity!r} here. `writer status` lists them.", identity=identity[:20])
            )
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
            row = self._sealed(generation)
            if row is None:
                return self._journal(generation)[0]
        return sealed_of(row)

    def prove(self) -> None:
        """Holds every record that the next start will need against its checksum. Raises StateDamaged."""
        for found in self.all():
            with mapped():
                row = self._sealed(found.id)
            if row is None:
                self.generation(found.id)
                self.load(found.id)
            else:
                prove_sealed(row)

    def prompt_of(self, generation: str) -> str:
        """The sha256 that its prompt is stored by."""
        with mapped():
            return str(self._db.execute("SELECT prompt FROM generation WHERE id=?", (generation,)).fetchone()[0])

    # --- inside ------------------------------------------------------------------------------------------------

    def _sealed(self, generation: str) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._db.execute(
            "SELECT generation, batches, n, ids, ends, text, crc FROM sealed WHERE generation=?", (generation,)
        ).fetchone()
        return found

    def _set_state(self, generation: str, state: State, reason: str | None, cause: StopCause | None) -> None:
        self._db.execute(
            "UPDATE generation SET state=?1, finish_reason=?2, stopped_by=?3, updated=?4, run=?5, "
            f"crc={CHECKSUM.format('?1', '?2', '?3')} WHERE id=?6",
            (state, reason, cause, self._now(), self._run, generation),
        )

    def _prove_anew(self, where: str, value: str) -> None:
        crc = CHECKSUM.format("state", "finish_reason", "stopped_by")
        self._db.execute(f"UPDATE generation SET crc={crc} WHERE {where}", (value,))

    def _check_order(self, tail: _Tail, batch: TokenBatch) -> None:
        rewind = batch.start < tail.tokens
        if batch.ordinal == tail.batches and batch.start == tail.tokens:
            return
        if batch.ordinal == tail.batches and rewind:
            ends = self.load(batch.generation).ends
            if (ends[batch.start - 1] if batch.start else 0) == tail.shown:
                return
        raise BatchOutOfOrder(
            say("The engine's output came out of order, so nothing more was saved. Go on from the last saved word."),
            detail=f"{batch.generation}: batch {batch.ordinal} at {batch.start} after {tail.batches} at {tail.tokens}",
        )

    def _tail(self, generation: str) -> _Tail:
        if generation not in self._tails:
            with mapped():
                saved, crc = self._journal(generation)
            self._tails[generation] = _Tail(saved.batches, len(saved.token_ids), len(saved.text), crc)
        return self._tails[generation]

    def _journal(self, generation: str) -> tuple[Saved, int]:
        """All batches, and the last checksum. The usual way is several times as fast as the thorough one."""
        sql = "SELECT ids, ends, CAST(text AS BLOB), crc FROM batch WHERE generation=? ORDER BY ordinal"
        found = fold_fast(self._db.execute(sql, (generation,)).fetchall())
        sums = "SELECT count(*), total(ordinal), total(start), total(n) FROM batch WHERE generation=?"
        if found is not None and found[2] == self._db.execute(sums, (generation,)).fetchone():
            return found[:2]
        rows: list[Row] = self._db.execute(
            """SELECT ordinal, start, n, ids, ends, CAST(text AS BLOB), crc FROM batch
            WHERE generation=? ORDER BY ordinal""",
            (generation,),
        ).fetchall()
        return fold(rows)

    def _generations(self, prompt: str, where: str, parameters: tuple[Any, ...]) -> list[Generation]:
        sql = f"""SELECT g.id, g.chapter, g.state, g.finish_reason, g.stopped_by, g.instruction, g.sampling, g.prompt,
            g.model_fp, g.tokenizer_fp, g.engine, g.role, g.parent, g.parent_tokens, g.place_start, g.place_end,
            g.crc, g.created, g.updated, {prompt},
            coalesce((SELECT n FROM sealed s WHERE s.generation=g.id),
                     (SELECT start+n FROM batch b WHERE b.generation=g.id ORDER BY ordinal DESC LIMIT 1), 0)
            FROM generation g LEFT JOIN prompt p ON p.sha256=g.prompt {where} ORDER BY g.created, g.rowid"""
        with mapped():
            rows = self._db.execute(sql, parameters).fetchall()
        return [generation_of(row) for row in rows]
