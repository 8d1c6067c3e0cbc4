"""The Word document whose styles, page and running head an export takes over; made for each book, by python-docx.

pandoc's own is where it starts from, so that every style that pandoc uses is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from writer import installation
from writer.errors import ExchangeError
from writer.exchange import fonts
from writer.exchange.orders import Style
from writer.exchange.wording import EAST_ASIAN, main_language
from writer.language import say

_BODY = ("Body Text", "First Paragraph")
_WIDTHS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}  # mm


@dataclass(frozen=True, slots=True)
class Look:
    """What of a book the document shows."""

    style: Style
    language: str
    font: str
    paper: str
    head: str
    """The running head, before the page's number."""


def make(default: Path, target: Path, look: Look) -> None:
    """Write the reference document for this look. Raises ExchangeError if python-docx is not here."""
    try:
        import docx
    except ImportError:
        raise ExchangeError(
            say(
                "Word files need python-docx. Get it with `{command}`, then try again.",
                command=installation.pip("install", "python-docx"),
            )
        ) from None
    document = docx.Document(str(default))
    _page(document, look)
    _letters(document, look)
    {Style.MANUSCRIPT: _manuscript, Style.REPORT: _report}[look.style](document, look)
    document.save(str(target))


def _page(document: Any, look: Look) -> None:
    from docx.shared import Inches, Mm

    section = document.sections[0]
    width, height = _WIDTHS[look.paper]
    section.page_width, section.page_height = Mm(width), Mm(height)
    for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
        setattr(section, side, Inches(1))
    section.header_distance = section.footer_distance = Inches(0.5)


def _letters(document: Any, look: Look) -> None:
    """One typeface everywhere, also for ideographs, and no theme that would win over it."""
    from docx.oxml.ns import qn

    styles = document.styles
    for properties in styles.element.iter(qn("w:rFonts")):
        for name in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
            properties.attrib.pop(qn(f"w:{name}"), None)
        if "Consolas" not in properties.attrib.values():
            for name in ("ascii", "hAnsi", "cs"):
                properties.set(qn(f"w:{name}"), look.font)
        properties.set(qn("w:eastAsia"), fonts.for_word(look.language))
    for said in styles.element.iter(qn("w:lang")):
        said.set(qn("w:eastAsia"), fonts.word_language(look.language))
    for colour in list(styles.element.iter(qn("w:color"))):
        colour.getparent().remove(colour)


def _style(document: Any, name: str, like: str = "Body Text") -> Any:
    from docx.enum.style import WD_STYLE_TYPE

    known = {style.name for style in document.styles}
    if name not in known:
        document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH).base_style = document.styles[like]
    return document.styles[name]


def _set(style: Any, **values: Any) -> None:
    """Letters: bold, italic, size. Everything else is of the paragraph."""
    for name, value in values.items():
        setattr(style.font if name in ("bold", "italic", "size") else style.paragraph_format, name, value)


def _manuscript(document: Any, look: Look) -> None:
    from docx.enum.text import WD_ALIGN_PARAGRAPH as ALIGN
    from docx.shared import Inches, Pt

    nothing = Pt(0)
    plain = {"space_before": nothing, "space_after": nothing, "size": Pt(12)}
    double = {**plain, "line_spacing": 2.0}
    for name in (*_BODY, "Compact", "Block Text", "Footnote Text"):
        _set(_style(document, name), **double, alignment=ALIGN.LEFT, widow_control=False)
    for name in _BODY:
        _indent(_style(document, name), look)
    _set(_style(document, "Block Text"), left_indent=Inches(0.5), right_indent=Inches(0.5))
    for level in range(1, 7):
        heading = _style(document, f"Heading {level}")
        _set(heading, **double, bold=False, italic=False, alignment=ALIGN.CENTER, keep_with_next=True)
    _set(_style(document, "Heading 1"), page_break_before=True, space_before=Pt(144), space_after=Pt(24))
    _unindented(document, "Part", "Heading 1", double, alignment=ALIGN.CENTER, space_before=Pt(216))
    _unindented(document, "Scene Break", "Body Text", double, alignment=ALIGN.CENTER, keep_with_next=True)
    _unindented(document, "Manuscript Contact", "Normal", {**plain, "line_spacing": 1.0}, alignment=ALIGN.LEFT)
    _right_tab(document, look)
    _unindented(document, "Manuscript Title", "Normal", double, alignment=ALIGN.CENTER, space_before=Pt(180))
    _unindented(document, "Manuscript Byline", "Normal", double, alignment=ALIGN.CENTER)
    section = document.sections[0]
    section.different_first_page_header_footer = True
    _running_head(section, look.head, ALIGN.RIGHT)
    _count_from(section, 0)  # the title page is no page of the book


def _report(document: Any, look: Look) -> None:
    from docx.enum.text import WD_ALIGN_PARAGRAPH as ALIGN
    from docx.shared import Pt

    for name in _BODY:
        style = _style(document, name)
        _set(style, size=Pt(11), line_spacing=1.25, space_before=Pt(0), space_after=Pt(8), widow_control=True)
        if main_language(look.language) in EAST_ASIAN:
            _indent(style, look)
    for level, size in enumerate((18, 14, 12, 11, 11, 11), 1):
        heading = _style(document, f"Heading {level}")
        _set(
            heading, size=Pt(size), bold=True, italic=False, space_before=Pt(18), space_after=Pt(6), keep_with_next=True
        )
    _set(_style(document, "Heading 1"), page_break_before=True, space_before=Pt(0), space_after=Pt(12))
    _set(_style(document, "TOC Heading"), page_break_before=True)
    large = {"size": Pt(24), "bold": True, "space_before": Pt(200), "page_break_before": True}
    _unindented(document, "Part", "Heading 1", large, alignment=ALIGN.CENTER)
    _unindented(document, "Scene Break", "Body Text", {}, alignment=ALIGN.CENTER, keep_with_next=True)
    _set(_style(document, "Title"), size=Pt(28), space_before=Pt(160), alignment=ALIGN.CENTER)
    section = document.sections[0]
    section.different_first_page_header_footer = True
    _running_head(section, look.head, ALIGN.RIGHT)


def _unindented(document: Any, name: str, like: str, values: dict[str, Any], **more: Any) -> None:
    from docx.shared import Pt

    style = _style(document, name, like)
    _set(style, **{**values, **more}, first_line_indent=Pt(0))
    _characters(style, 0)


def _indent(style: Any, look: Look) -> None:
    """Half an inch; in East Asian text two characters."""
    from docx.shared import Inches, Pt

    if main_language(look.language) in EAST_ASIAN:
        _set(style, first_line_indent=Pt(24))
        _characters(style, 200)
    else:
        _set(style, first_line_indent=Inches(0.5))


def _characters(style: Any, hundredths: int) -> None:
    """Word's indentation by characters, which goes with the letters' size."""
    from docx.oxml.ns import qn

    style.element.get_or_add_pPr().get_or_add_ind().set(qn("w:firstLineChars"), str(hundredths))


def _right_tab(document: Any, look: Look) -> None:
    from docx.enum.text import WD_TAB_ALIGNMENT
    from docx.shared import Mm

    width = _WIDTHS[look.paper][0] - 50.8
    stops = _style(document, "Manuscript Contact").paragraph_format.tab_stops
    stops.add_tab_stop(Mm(width), WD_TAB_ALIGNMENT.RIGHT)


def _running_head(section: Any, text: str, alignment: Any) -> None:
    paragraph = section.header.paragraphs[0]
    paragraph.alignment = alignment
    paragraph.add_run(f"{text} / " if text else "")
    for kind, code in (("begin", ""), ("", "PAGE"), ("separate", ""), ("", "1"), ("end", "")):
        _field(paragraph.add_run(), kind, code)


def _field(run: Any, kind: str, code: str) -> None:
    """One piece of Word's field for the page's number."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    if kind:
        mark = OxmlElement("w:fldChar")
        mark.set(qn("w:fldCharType"), kind)
        run._r.append(mark)
    elif code == "PAGE":
        said = OxmlElement("w:instrText")
        said.text = code
        run._r.append(said)
    else:
        run.text = code


def _count_from(section: Any, number: int) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    start = OxmlElement("w:pgNumType")
    start.set(qn("w:start"), str(number))
    before = section._sectPr.find(qn("w:titlePg"))
    before.addprevious(start)
