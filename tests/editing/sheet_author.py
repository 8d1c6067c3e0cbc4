"""An author at a sheet into which a generation writes."""

from __future__ import annotations

from writer.editing.sheet import Sheet


def at_end(text: str) -> Sheet:
    """A sheet with a generation open at its end."""
    sheet = Sheet(text)
    sheet.begin_generated("g", sheet.length, sheet.length)
    return sheet


def keys(sheet: Sheet, text: str) -> None:
    for character in text:
        sheet.type(character)


def put(sheet: Sheet, place: str) -> None:
    """The cursor before this text."""
    offset = sheet.text.index(place)
    sheet.select(offset, offset)


def generated(sheet: Sheet) -> str:
    span = sheet.generated_span()
    assert span is not None
    return sheet.text[span[1] : span[2]]
