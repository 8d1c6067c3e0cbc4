"""The book as one Markdown file: the author's own text as it is, behind a head that other programs understand."""

from __future__ import annotations

import json

from writer.exchange.joining import Joined


def with_head(book: Joined) -> str:
    """The text with a YAML head: title, subtitle, author, date, language, rights."""
    about = book.about
    said = {
        "title": book.title,
        "subtitle": about.subtitle,
        "author": about.author,
        "date": about.date,
        "lang": book.language,
        "rights": about.rights,
    }
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in said.items() if value]
    return "\n".join(["---", *lines, "---", "", book.plain])
