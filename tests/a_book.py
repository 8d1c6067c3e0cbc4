"""A manuscript of the size of a novel, made by a script: always the same for the same numbers.

`make(folder)` writes 40 chapters of 120,000 words in all, an outline, 60 notes, a summary of each chapter, a source.
"""

from __future__ import annotations

import random
from pathlib import Path

from writer.manuscript.project import create, open_manuscript
from writer.manuscript.summaries import Summary, write_summary

PEOPLE = """Mara Ivo Tessa Brandt Odile Ferris Noor Anselm Katya Lorne Pilar Ruben Sunniva Tomas Una Viktor Wren Yara
Zeno Agnes""".split()  # noqa: SIM905
PLACES = """harbour lighthouse cannery orchard quarry chapel causeway mill ferry saltworks boathouse market library
railway cistern gatehouse glasshouse archive signal-tower customs-house""".split()  # noqa: SIM905
THREADS = """letter debt drowning map quarrel inheritance fever bell wreck ledger photograph promise key winter strike
garden telegram portrait silence return""".split()  # noqa: SIM905
_DOES = "crossed remembered lowered carried counted followed opened left watched kept found hid".split()  # noqa: SIM905
_HOW = (
    "slowly",
    "without a word",
    "before the light went",
    "as if nothing had happened",
    "against the wind",
    "for the last time",
    "with both hands",
    "in the grey of the morning",
    "while the tide came in",
    "because nobody else would",
)
_WHAT = (
    "the rope",
    "the lamp",
    "the stairs",
    "the boat",
    "a chair",
    "the door",
    "the account book",
    "the window",
    "his coat",
    "the old road",
    "the names",
    "a cup of tea",
    "the water",
)


def make(folder: Path, *, chapters: int = 40, words: int = 120_000, notes: int = 60, seed: int = 1) -> Path:
    """Writes the manuscript into a new folder, and gives the folder back."""
    source = random.Random(seed)
    create(folder, title="The Salt Ledger")
    (folder / "chapters/01-chapter-1.md").unlink()
    titles = [f"The {source.choice(PLACES)} {number}" for number in range(1, chapters + 1)]
    for number, title in enumerate(titles, 1):
        text = f"# {title}\n\n{prose(source, words // chapters)}"
        (folder / f"chapters/{number:02d}-chapter-{number}.md").write_text(text, encoding="utf-8")
    _outline(folder, titles, source)
    _notes(folder, notes, source)
    for chapter in open_manuscript(folder).chapters:
        write_summary(folder, Summary(chapter.path, prose(source, 80).strip(), ""))
    (folder / "sources/report.md").write_text(f"# Report of the harbour board\n\n{prose(source, 4000)}", "utf-8")
    return folder


def prose(source: random.Random, words: int) -> str:
    """Paragraphs of so many words, about."""
    paragraphs: list[str] = []
    count = 0
    while count < words:
        sentences = [_sentence(source) for _ in range(source.randint(3, 9))]
        paragraphs.append(" ".join(sentences))
        count += len(paragraphs[-1].split())
    return "\n\n".join(paragraphs) + "\n\n"


def _sentence(source: random.Random) -> str:
    who = source.choice(PEOPLE) if source.random() < 0.3 else source.choice(("She", "He", "The keeper", "Nobody"))
    where = f" at the {source.choice(PLACES)}" if source.random() < 0.2 else ""
    said = f"{who} {source.choice(_DOES)} {source.choice(_WHAT)}{where} {source.choice(_HOW)}"
    return f'"{said}," {source.choice(PEOPLE)} said.' if source.random() < 0.15 else f"{said}."


def _outline(folder: Path, titles: list[str], source: random.Random) -> None:
    entries = [f"## {title}\n\n{prose(source, 40).strip()}\n" for title in titles]
    (folder / "outline.md").write_text("\n".join(entries), encoding="utf-8")


def _notes(folder: Path, count: int, source: random.Random) -> None:
    """Characters, places and threads in turn; then style, and two more that every prompt has."""
    kinds = (("characters", PEOPLE), ("places", PLACES), ("threads", THREADS))
    for number in range(count - 3):
        kind, names = kinds[number % 3]
        name = names[number // 3 % len(names)]
        head = f"---\ntitle: {name}\nkeys: [{name}]\npriority: {source.randint(0, 99)}\n---\n"
        path = folder / "notes" / kind / f"{number:02d}-{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{head}{prose(source, 120)}", encoding="utf-8")
    (folder / "notes/style.md").write_text("Short sentences. No adverbs. The past tense.\n", encoding="utf-8")
    for name in ("world", "rules"):
        text = f"---\ntitle: {name}\nalways: true\n---\n{prose(source, 100)}"
        (folder / f"notes/{name}.md").write_text(text, encoding="utf-8")
