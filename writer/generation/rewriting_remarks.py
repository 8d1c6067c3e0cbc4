"""What models say about a text when they were asked for the text alone, and how it is told from prose. Pure.

A phrase counts only where a remark stands: an opener before a colon at the very start, a closing one at the start of a
paragraph. Prose in the first person begins with "I've kept" too, so such a sentence must also speak of the text.
"""

from __future__ import annotations

import re

_OF = r"(?:passage|version|text|paragraphs?|sentences?|excerpt|rewrite|revision|edit|scene|draft|insertion)"
_NEW = "(?:re-?written|re-?phrased|re-?worded|revised|shortened|expanded|edited|improved|new|updated|condensed)"
_SURE = r"(?:sure|certainly|of course|okay|ok|absolutely|great)\b"
_OPENER = re.compile(
    r"\s*(?:#+\s*|\*\*|__)?(?:"
    rf"(?:{_SURE}[^\n:]{{0,40}}[,.!:]?\s*)?(?:here(?:'s|’s| is| are)|below is|this is)\b[^\n:]{{0,120}}"
    r"|here (?:you (?:go|are)|it is)"
    rf"|(?:(?:the|my|your)\s+)?{_NEW}(?:\s+{_OF})?(?:\s*\([^\n)]*\))?"
    rf"|{_SURE}[^\n:]{{0,80}}"
    rf"|(?:the|this|your) {_OF} (?:is|was|has been|can be|could be) {_NEW}\b[^\n:]{{0,40}}"
    r"|(?:好的|当然)?[，,。！!]?\s*(?:以下|下面|这)是?[^\n：:]{0,40}"
    r"|(?:改写|修改|缩写|扩写|重写|润色)[^\n：:，。]{0,10}"
    r"|(?:natürlich|gerne|klar)?[,!.]?\s*hier ist[^\n:]{0,80}|(?:überarbeitete|gekürzte) (?:passage|fassung)"
    r"|(?:bien sûr)?[,!.]?\s*voici[^\n:]{0,80}|aquí (?:está|tienes)[^\n:]{0,80}"
    r")(?:\*\*|__)?\s*[:：](?:\*\*|__)?[^\S\n]*\n*",
    re.IGNORECASE,
)
_POLITE = re.compile(rf"\s*{_SURE}(?: thing)?[!.,]\s*\n+", re.IGNORECASE)
_ABOUT = rf"[^\n]*\b(?:{_OF}|tone|style|tense|meaning|original|length|wording|prose|narrat\w+|point of view|said)\b"
_DID = "kept|changed|shortened|rewritten|tried|made|maintained|preserved|removed|expanded|revised|replaced|added"
_REMARK = re.compile(
    r"(?:\n\s*(?:-{3,}|\*{3,}|_{3,})\s*)?\n\s*(?:\*\*|__|[(\[*_#]+\s*)?(?:"
    r"let me know (?:if|what|how)\b|i hope (?:this|that) (?:helps|works|meets|captures|version|is what)|feel free to\b"
    r"|would you like me to\b|(?:please )?note(?: that)?\s*:|note that i\b|(?:key |main )?changes(?: made)?\s*:"
    rf"|explanation\s*:|i(?:'ve| have|’ve)? (?:{_DID})\b{_ABOUT}|word count\b"
    rf"|(?-i:The) (?:(?:{_NEW}|original) {_OF}|{_OF} (?:expands|includes|has been {_NEW}|is {_NEW}))\b"
    rf"|(?-i:This|In this) (?:{_OF}|{_NEW})\b[^\n]*\Z"
    r"|(?:说明|注|修改说明|改动)\s*[：:]|希望(?:这|对你)|anmerkung\s*:"
    r")[\s\S]*\Z",
    re.IGNORECASE,
)


def without_remarks(text: str, original: str) -> str:
    """Without what the model says about its text, before and behind it."""
    for opener in (_POLITE, _OPENER):
        found = opener.match(text)
        if found and text[found.end() :].strip() and not opener.match(original):
            text = text[found.end() :]
    remark = _REMARK.search(text)
    if remark and text[: remark.start()].strip() and not _REMARK.search("\n" + original):
        text = text[: remark.start()]
    return text
