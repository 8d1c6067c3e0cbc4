"""What exports are made with: pandoc for all of them, typst for PDF, and typefaces for books in Chinese."""

from __future__ import annotations

from writer.doctor.finding import Finding
from writer.errors import ExchangeError
from writer.exchange import fonts, pandoc, typesetting
from writer.exchange.wording import main_language
from writer.text.sanitise import one_line

_EASTERN = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean"}
_PACKAGE = "Install one: the package fonts-noto-cjk of your system, or any other that has them."


def findings(language: str = "") -> list[Finding]:
    """`language`: of the manuscript, if one is looked at. Runs pandoc once; takes under a second."""
    here = typesetting.typefaces()
    found = [converter(), typesetter(here)]
    return [*found, typefaces(language, here)] if here else found


def converter() -> Finding:
    """Whether there is a pandoc, and it runs."""
    try:
        return Finding("Export", "ok", f"pandoc {pandoc.release()} makes Word, EPUB and HTML files.")
    except ExchangeError as error:
        step = (
            "Install it again: pip install --force-reinstall pypandoc-binary. Markdown and plain text work without it."
        )
        return Finding("Export", "warn", error.sentence.split(". ")[0].rstrip(".") + ".", step)


def typesetter(here: list[str]) -> Finding:
    """Whether PDFs can be set. `here`: the typefaces that typst finds; it brings some itself."""
    if here:
        return Finding("PDF", "ok", "typst makes PDF files.")
    return Finding("PDF", "warn", "typst is not installed, so no PDF can be made.", "Get it with: pip install typst")


def typefaces(language: str, here: list[str]) -> Finding:
    """Whether a PDF shows Chinese, Japanese and Korean characters; only a book in these languages is warned."""
    subject, main = "Typefaces", main_language(language)
    if best := fonts.chosen(language if main in _EASTERN else "zh", here):
        return Finding(subject, "ok", f"{one_line(best, 100)} has Chinese characters, for a PDF.")
    if main in _EASTERN:
        sentence = f"No typeface here has {_EASTERN[main]} characters, so a PDF of this book cannot be made."
        return Finding(subject, "warn", sentence, f"{_PACKAGE} Word and EPUB work without.")
    return Finding(subject, "ok", "No typeface here has Chinese characters; a PDF of a Chinese book would need one.")
