"""What every reading program relies on in an EPUB; the faults of one that is not so."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

_OPF = "{http://www.idpf.org/2007/opf}"
_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_XHTML = "application/xhtml+xml"


def faults(path: Path) -> list[str]:
    """A line for each; [] for a good one."""
    with zipfile.ZipFile(path) as package:
        return list(_faults(package))


def _faults(package: zipfile.ZipFile) -> Iterator[str]:
    names = package.namelist()
    if len(set(names)) != len(names):
        yield "a name stands there twice"
    first = package.infolist()[0]
    if (first.filename, package.read(first)) != ("mimetype", b"application/epub+zip") or first.compress_type:
        yield "the mimetype is not the first file, or is compressed"
    container = ElementTree.fromstring(package.read("META-INF/container.xml"))
    opf = next(each.attrib["full-path"] for each in container.iter(f"{_CONTAINER}rootfile"))
    root = ElementTree.fromstring(package.read(opf))
    items = {each.attrib["id"]: each.attrib for each in root.iter(f"{_OPF}item")}
    there = {posixpath.join(posixpath.dirname(opf), item["href"]): item for item in items.values()}
    for name in ("title", "language", "identifier"):
        if not next((each.text for each in root.iter(f"{_DC}{name}")), ""):
            yield f"no {name}"
    yield from (f"{name} is listed and not there" for name in there if name not in names)
    known = {"mimetype", opf, *there}
    yield from (f"{name} is there and not listed" for name in names if name not in known and "META-INF" not in name)
    spine = [each.attrib["idref"] for each in root.iter(f"{_OPF}itemref")]
    yield from (f"the spine names {name}" for name in spine if name not in items)
    if sum("nav" in item.get("properties", "").split() for item in items.values()) != 1:
        yield "not one table of contents"
    pages = [name for name, item in there.items() if item["media-type"] == _XHTML and name in names]
    yield from _links(package, pages, set(names))


def _links(package: zipfile.ZipFile, pages: list[str], names: set[str]) -> Iterator[str]:
    """Pages that are no XML, and links from page to page or to images that lead nowhere."""
    trees = {name: ElementTree.fromstring(package.read(name)) for name in pages}
    ids = {name: {each.attrib["id"] for each in tree.iter() if "id" in each.attrib} for name, tree in trees.items()}
    for name, tree in trees.items():
        for element in tree.iter():
            for key in ("href", "src"):
                link = urlsplit(element.attrib.get(key, "#"))
                if link.scheme:
                    continue
                target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(link.path)))
                target = target if link.path else name
                if target not in names or (link.fragment and link.fragment not in ids.get(target, set())):
                    yield f"{name} leads to {element.attrib[key]}"
