"""Small books to export, and what a reader's program would see in them."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

from writer.manuscript.project import create

HARBOUR = """# The Harbour

Mara came *home*. "Who is **there**?" she said.
Nobody answered.

    By hand she had indented this one.

***

After the break[^1] lay a $5 note & 50% of <b>it</b>. <!-- not for print -->

![A map of it](map.png)

![Not here](https://example.org/x.png)

## The letter

> Come at once.

- bread
- salt

#

She went.

[^1]: A note of the *first* chapter.
"""
TWO = "# The Lighthouse\n\nShort[^1].\n\n[^1]: A note of the second.\n"
CHINESE = "# 第一章 港口\n\n　　他回来了。“谁在那儿？”她说。\n没有人回答，只有*海*的声音。\n\n⁂\n\n天亮了。\n"
SETTINGS = """
[book]
author = "Mara O'Holm"
legal_name = "Maria Holmes"
contact = ["12 Harbour Lane", "mara@example.org"]
subtitle = "A novel"
rights = "All rights reserved."

[chapter."chapters/01-chapter-1.md"]
part = "Part One"
[chapter."chapters/02-two.md"]
part = "Part One"
[chapter."chapters/03-three.md"]
part = "Part Two"
"""


def png(width: int = 60, height: int = 40) -> bytes:
    """A red rectangle."""
    rows = b"".join(b"\0" + b"\xc0\x20\x20" * width for _ in range(height))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def novel(folder: Path) -> Path:
    """Three chapters in two parts, with all that chapters may have."""
    create(folder, title="Salt & Ledger *x*")
    (folder / "chapters/01-chapter-1.md").write_text(HARBOUR, "utf-8")
    (folder / "chapters/02-two.md").write_text(TWO, "utf-8")
    (folder / "chapters/03-three.md").write_text("It ends without a heading.\n", "utf-8")
    (folder / "chapters/map.png").write_bytes(png())
    with (folder / "writer.toml").open("a", encoding="utf-8") as file:
        file.write(SETTINGS)
    return folder


def chinese(folder: Path) -> Path:
    """One chapter."""
    create(folder, title="盐与账本", language="zh")
    (folder / "chapters/01-chapter-1.md").write_text(CHINESE, "utf-8")
    with (folder / "writer.toml").open("a", encoding="utf-8") as file:
        file.write('\n[book]\nauthor = "林海"\n')
    return folder
