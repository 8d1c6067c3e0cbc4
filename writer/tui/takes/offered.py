"""What is said of takes that were interrupted."""

from __future__ import annotations

from writer.runtime.events import Offer


def offered(offers: list[Offer], all_of_them: int) -> list[str]:
    """Lines about those of one chapter; `all_of_them` counts those of all chapters."""
    count, words = len(offers), sum(offer.words for offer in offers)
    lines = [
        f"{count} {'take was' if count == 1 else 'takes were'} interrupted: all of {words:,} words are saved.",
        "Ctrl+T shows the takes of a chapter; there g goes on with one at its next word.",
    ]
    if all_of_them > count:
        lines.append(f"…and {all_of_them - count} more in other chapters.")
    return lines
