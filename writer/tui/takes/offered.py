"""What is said of takes that were interrupted."""

from __future__ import annotations

from writer.language import many, say
from writer.runtime.events import Offer


def offered(offers: list[Offer], all_of_them: int) -> list[str]:
    """Lines about those of one chapter; `all_of_them` counts those of all chapters."""
    count, words = len(offers), sum(offer.words for offer in offers)
    lines = [
        many(
            "{count} take was interrupted: all of {words:,} words are saved.",
            "{count} takes were interrupted: all of {words:,} words are saved.",
            count,
            words=words,
        ),
        say("Ctrl+T shows the takes of a chapter; there g goes on with one at its next word."),
    ]
    if all_of_them > count:
        lines.append(say("…and {count} more in other chapters.", count=all_of_them - count))
    return lines
