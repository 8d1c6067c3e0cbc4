"""Zip files such as Word and EPUB are: one file inside exchanged for another, all else as it was."""

from __future__ import annotations

import io
import zipfile
from xml.sax.saxutils import escape

_CORE = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<cp:coreProperties '
    'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>{}</dc:title><dc:creator>{}</dc:creator>'
    "<dc:language>{}</dc:language></cp:coreProperties>"
)
CORE, CUSTOM = "docProps/core.xml", "docProps/custom.xml"
NO_CUSTOM = (
    b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    b'<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"/>'
)
"""Else pandoc lists there whatever the book was made with."""


def core(title: str, author: str, language: str) -> bytes:
    """What a Word file says of itself."""
    return _CORE.format(*map(escape, (title, author, language))).encode("utf-8")


def exchanged(package: bytes, files: dict[str, bytes]) -> bytes:
    """The package with these files instead of those of the same names. Their order and kinds stay."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            new.writestr(entry, files.get(entry.filename) or old.read(entry), entry.compress_type)
    return target.getvalue()
