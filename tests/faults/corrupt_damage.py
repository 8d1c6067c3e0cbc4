"""Ways to damage a state, each drawn from a seed: bits, pages, cut-offs, rows, and what becomes of the log."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

PAGE = 4096
_FRAME = 24 + PAGE
_TABLES = ("run", "prompt", "generation", "segment", "batch", "sealed", "span")


def _bytes(path: Path, change: Callable[[bytearray], None]) -> None:
    data = bytearray(path.read_bytes())
    if data:
        change(data)
    path.write_bytes(data)


def flip(path: Path, rnd: random.Random) -> None:
    """One bit."""
    at, bit = rnd.randrange(path.stat().st_size), 1 << rnd.randrange(8)
    _bytes(path, lambda data: data.__setitem__(at, data[at] ^ bit))


def smear(path: Path, rnd: random.Random) -> None:
    """Up to sixty random bytes in a row."""
    at, noise = rnd.randrange(path.stat().st_size), rnd.randbytes(rnd.randrange(1, 60))
    _bytes(path, lambda data: data.__setitem__(slice(at, at + len(noise)), noise[: len(data) - at]))


def header(path: Path, rnd: random.Random) -> None:
    """One of the bytes that tell of the whole file."""
    at, value = rnd.randrange(100), rnd.randrange(256)
    _bytes(path, lambda data: data.__setitem__(at, value))


def zero_page(path: Path, rnd: random.Random) -> None:
    _page(path, rnd, bytes(PAGE))


def noise_page(path: Path, rnd: random.Random) -> None:
    _page(path, rnd, rnd.randbytes(PAGE))


def zero_leaf(path: Path, rnd: random.Random) -> None:
    """A page that holds batches and nothing else."""
    data = path.read_bytes()
    leaves = [
        at for at in range(PAGE, len(data), PAGE) if data[at] == 10 and data.count(b" \xe2\x80\x94 ", at, at + PAGE) > 9
    ]
    _page(path, rnd, bytes(PAGE), rnd.choice(leaves) // PAGE)


def exchange_pages(path: Path, rnd: random.Random) -> None:
    one, other = (rnd.randrange(path.stat().st_size // PAGE) * PAGE for _ in range(2))

    def change(data: bytearray) -> None:
        data[one : one + PAGE], data[other : other + PAGE] = data[other : other + PAGE], data[one : one + PAGE]

    _bytes(path, change)


def cut_off(path: Path, rnd: random.Random) -> None:
    size = rnd.randrange(path.stat().st_size)
    _bytes(path, lambda data: data.__delitem__(slice(size, None)))


def cut_off_pages(path: Path, rnd: random.Random) -> None:
    size = rnd.randrange(path.stat().st_size // PAGE) * PAGE
    _bytes(path, lambda data: data.__delitem__(slice(size, None)))


def empty(path: Path, rnd: random.Random) -> None:
    path.write_bytes(b"")


def remove(path: Path, rnd: random.Random) -> None:
    path.unlink()


def change_row(path: Path, rnd: random.Random) -> None:
    """A value of a row, through SQLite: only a checksum of ours can tell. What is in the log goes into the file."""
    db = sqlite3.connect(path, isolation_level=None)
    try:
        table = rnd.choice(_TABLES)
        columns = [(row[1], row[2]) for row in db.execute(f"PRAGMA table_info({table})")]
        name, kind = rnd.choice(columns)
        keys = [f'"{row[1]}"' for row in db.execute(f"PRAGMA table_info({table})") if row[5]]
        rows = db.execute(f"SELECT {','.join(keys)} FROM {table}").fetchall()
        if rows:
            where = " AND ".join(f"{key}=?" for key in keys)
            value = {"TEXT": _text, "BLOB": _blob, "INTEGER": _integer, "REAL": _integer}[kind](rnd)
            db.execute(f'UPDATE OR IGNORE {table} SET "{name}"=? WHERE {where}', (value, *rnd.choice(rows)))
    finally:
        db.close()


def remove_row(path: Path, rnd: random.Random) -> None:
    """A batch in the middle, or a row of another table, through SQLite."""
    db = sqlite3.connect(path, isolation_level=None)
    try:
        table = rnd.choice(("prompt", "generation", "batch", "batch", "span"))
        where = f"ordinal={rnd.randrange(2200)}" if table == "batch" else "1"
        db.execute(f"DELETE FROM {table} WHERE {where}")
    finally:
        db.close()


def _text(rnd: random.Random) -> str:
    return rnd.choice(("", "x", "finished", "running", "discarded", "../../x", "\x1b[2J", "é" * 3000))


def _blob(rnd: random.Random) -> bytes:
    return rnd.randbytes(rnd.choice((0, 3, 8, 64)))


def _integer(rnd: random.Random) -> int:
    return rnd.choice((0, 1, -1, rnd.randrange(5000), 2**31, 2**32, 2**62))


def _page(path: Path, rnd: random.Random, page: bytes, number: int | None = None) -> None:
    at = (rnd.randrange(-(-path.stat().st_size // PAGE)) if number is None else number) * PAGE
    _bytes(path, lambda data: data.__setitem__(slice(at, at + PAGE), page[: len(data) - at]))


def zero_frame(path: Path, rnd: random.Random) -> None:
    at = 32 + rnd.randrange((path.stat().st_size - 32) // _FRAME) * _FRAME
    _bytes(path, lambda data: data.__setitem__(slice(at, at + _FRAME), bytes(_FRAME)))


DATABASE: dict[str, Callable[[Path, random.Random], None]] = {
    "one bit": flip,
    "some bytes": smear,
    "a byte of the header": header,
    "a page of zeros": zero_page,
    "a page of noise": noise_page,
    "a leaf page of zeros": zero_leaf,
    "two pages exchanged": exchange_pages,
    "cut off": cut_off,
    "cut off at a page": cut_off_pages,
    "emptied": empty,
    "removed": remove,
    "a value changed": change_row,
    "a row removed": remove_row,
}
LOG: dict[str, Callable[[Path, random.Random], None]] = {
    "log: one bit": flip,
    "log: some bytes": smear,
    "log: a frame of zeros": zero_frame,
    "log: cut off": cut_off,
    "log: emptied": empty,
    "log: removed": remove,
}
_WEIGHTS = {
    "one bit": 6,
    "some bytes": 3,
    "a leaf page of zeros": 4,
    "a value changed": 4,
    "emptied": 0.3,
    "removed": 0.3,
}
_WEIGHTS |= {"log: emptied": 0.2, "log: removed": 0.4}


def draw(rnd: random.Random, *, has_log: bool) -> str:
    """The name of a way."""
    names = [*DATABASE, *(LOG if has_log else ())]
    return rnd.choices(names, [_WEIGHTS.get(name, 1.5) for name in names])[0]


def damage(way: str, path: Path, rnd: random.Random) -> None:
    """Does it to the state at `path`."""
    if way in DATABASE:
        DATABASE[way](path, rnd)
    else:
        LOG[way](path.with_name(path.name + "-wal"), rnd)
