"""What stands in the pictures of the two tours: the outline, the takes and the rewriting of the novel, and a report."""

from __future__ import annotations

from pathlib import Path

import docx

from pictures.prose import Novel
from pictures.reciter import Line

OUTLINE = """\
# Part One: The Line

## The Last Train Up

Ilse comes to the mountain as the apprentice of old Anselm.

## Forty Poles

He teaches her to count the poles. On the last dry day of September there are forty-one.

# Part Two: The Break

## What the Wire Said

The line comes down in the snow. At the end of it her father is sending.

## The Lamp Room

Anselm listens to the message, and lies to her about it.

## A Guest in March

Somebody who has read the letters comes up with the first train.

## Thaw

The forty-first pole, and what hangs on it.
"""

FACTS = """
[chapter."{0}"]
status = "done"
goal = 150

[chapter."{1}"]
status = "revised"
goal = 240

[chapter."{2}"]
status = "draft"
goal = 250

[goals]
day = 400
"""
"""Status and goals of the first three chapters, by path."""

ILSE = """\
---
title: Ilse Farn
keys: Ilse, the apprentice
---

Nineteen. Counts when she is afraid. Her father sent on this line until the flood.
"""

STYLE = "Past tense, close to Ilse. Plain words, dry humour, no dreams.\n"

FIRST = """\
# The Last Train Up

The train stopped where the rails did, a hundred yards short of the station, and the driver wished her luck in a voice \
that had been used for it before. Ilse stepped down into the snow with one trunk and a letter. There was nobody on the \
platform but a goat.

“You are the apprentice,” said somebody behind the goat. “You are late. Can you count?”

“To what?” she asked, and Anselm laughed for the only time that year.
"""

TAKES = (
    Line(
        "What the Wire Said",
        """\
Not a fault, and not the wind playing on the slack. A hand: slow, a little heavy on the dashes, the way her father \
had sent when he was tired.

She did not touch the key. She let the message come round again, and wrote it on the inside of her glove.""",
    ),
    Line(
        "What the Wire Said",
        """\
It was the school alphabet, one letter at a time, as a child sends who has been told not to touch the key. A, and a \
long pause. B.

At M it stopped. Ilse waited in the snow with her thumb on the contact, and then, because somebody had to, she sent \
the N.""",
    ),
    Line(
        "What the Wire Said",
        """\
“Thirty-one,” said the wire. “Thirty-one. Thirty-one.” It was Anselm, and he was only counting: he had heard the line \
go dead under his fingers and was calling the poles by name until one of them answered.

“Thirty-two,” she sent. It was quiet for a while.""",
    ),
)
"""Three ways to go on with the third chapter."""

PASSAGE = (
    "Above the wood there was only stone. By the end of that summer she could tell with her eyes shut where on the "
    "mountain she was, for every pole had its own note; by the end of the next, Anselm no longer went with her, but "
    "sat at the window of the lamp room with his bad leg on a chair and the receiver in his lap, and listened to her "
    "climb."
)

REWRITING = Line(
    "Above the wood",
    "Above the wood there was only stone. By August she could tell with her eyes shut where on the mountain she was, "
    "for every pole had its own note. The year after, Anselm no longer went with her. He sat at the window of the lamp "
    "room with the receiver in his lap, and listened to her climb.",
    ends=True,
)

AT_ONCE = (
    Line(
        'Write the chapter "The Lamp Room"',
        """\
Anselm held the glove under the lamp and read what stood in it. He read it twice, and then he held it closer to the \
lamp than he needed to.

“Weather,” he said. “They are sending the weather.”""",
    ),
    Line(
        'Write the chapter "A Guest in March"',
        """\
He came with the first train, in shoes, and asked for the hotel as if it had a door. He had a case with him that he \
did not put down.""",
    ),
    Line(
        'Write the chapter "Thaw"',
        """\
In April the mountain began to talk. Water ran under the snow, wire sang, and one morning the poles stood in a row \
with nothing between them.""",
    ),
)
"""Three chapters that are written at once."""

REPORT = Novel(
    title="Harbour Traffic 2025",
    language="en",
    chapters=("Summary", "Traffic", "Delays"),
    texts={
        2: "# Traffic\n\nThe harbour had 589 ferries in August, against 212 in January (Traffic by month). Since the "
        "new quay was opened in May, none of them has waited outside for longer than ten minutes (Interview with the "
        "harbour master).\n\n"
    },
)

_INTERVIEW = """\
# Interview with the harbour master

12 March. The new quay was opened in May. Before that, ferries waited outside for up to forty minutes.

“In August we had nineteen departures a day, and one crane. Nobody had counted on that. The crane has to be moved.”
"""

_MONTHS = """\
month,ferries,passengers,late
January,212,18400,31
April,344,30120,44
August,589,61770,12
November,301,22950,17
"""

_AUDIT = ("Safety audit of the ferry quay, 2025.", "No accident was reported. Two ladders need repair.")


def give_sources(folder: Path) -> None:
    """Four papers for a report into `folder`: Markdown, CSV, Word and PDF."""
    (folder / "interview.md").write_text(_INTERVIEW, encoding="utf-8")
    (folder / "traffic-by-month.csv").write_text(_MONTHS, encoding="utf-8")
    minutes = docx.Document()
    minutes.add_heading("Minutes of the harbour council", 1)
    minutes.add_paragraph("The council asks for a report on the traffic of 2025 by the end of January.")
    table = minutes.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "New quay", "4.2 million"
    minutes.save(str(folder / "minutes.docx"))
    (folder / "audit.pdf").write_bytes(pdf(_AUDIT))


def pdf(lines: tuple[str, ...]) -> bytes:
    """A page with these lines, without brackets in them."""
    shown = " 0 -16 Td ".join(f"({line}) Tj" for line in lines)
    drawn = f"BT /F1 12 Tf 72 720 Td {shown} ET".encode()
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    )
    out, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    entries = b"".join(b"%010d 00000 n \n" % place for place in places)
    table = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, entries)
    return out + table + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(out)
