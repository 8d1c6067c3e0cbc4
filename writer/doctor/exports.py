"""What exports are made with: pandoc for all of them, typst for PDF, and typefaces for books in Chinese."""

from __future__ import annotations

from writer import installation
from writer.doctor.finding import Finding
from writer.errors import ExchangeError
from writer.exchange import fonts, pandoc, typesetting
from writer.exchange.wording import main_language
from writer.language import say, together
from writer.text.sanitise import one_line

_EASTERN = ("zh", "ja", "ko")


def findings(language: str = "") -> list[Finding]:
    """`language`: of the manuscript, if one is looked at. Runs pandoc once; takes under a second."""
    here = typesetting.typefaces()
    found = [converter(), typesetter(here)]
    return [*found, typefaces(language, here)] if here else found


def converter() -> Finding:
    """Whether there is a pandoc, and it runs."""
    try:
        sentence = say("pandoc {release} makes Word, EPUB and HTML files.", release=pandoc.release())
        return Finding(say("Export"), "ok", sentence)
    except ExchangeError as error:
        return Finding(say("Export"), "warn", error.sentence, say("Markdown and plain text work without it."))


def typesetter(here: list[str]) -> Finding:
    """Whether PDFs can be set. `here`: the typefaces that typst finds; it brings some itself."""
    if here:
        return Finding("PDF", "ok", say("typst makes PDF files."))
    sentence = say("typst is not installed, so no PDF can be made.")
    return Finding("PDF", "warn", sentence, say("Get it with: {command}", command=installation.pip("install", "typst")))


def typefaces(language: str, here: list[str]) -> Finding:
    """Whether a PDF shows Chinese, Japanese and Korean characters; only a book in these languages is warned."""
    subject, main = say("Typefaces"), main_language(language)
    if best := fonts.chosen(language if main in _EASTERN else "zh", here):
        return Finding(subject, "ok", say("{best} has Chinese characters, for a PDF.", best=one_line(best, 100)))
    if main in _EASTERN:
        step = together(
            say("Install one: the package fonts-noto-cjk of your system, or any other that has them."),
            say("Word and EPUB work without."),
        )
        return Finding(subject, "warn", _lacking(main), step)
    sentence = say("No typeface here has Chinese characters; a PDF of a Chinese book would need one.")
    return Finding(subject, "ok", sentence)


def _lacking(main: str) -> str:
    match main:
        case "ja":
            return say("No typeface here has Japanese characters, so a PDF of this book cannot be made.")
        case "ko":
            return say("No typeface here has Korean characters, so a PDF of this book cannot be made.")
    return say("No typeface here has Chinese characters, so a PDF of this book cannot be made.")
