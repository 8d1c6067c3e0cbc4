"""Codes of the state, the engine and the parts of a prompt, in the words of the interface."""

from __future__ import annotations

from writer.language import say

_WORDS = {
    "running": say("running"),
    "paused": say("paused"),
    "interrupted": say("interrupted"),
    "truncated": say("truncated"),
    "finished": say("finished"),
    "failed": say("failed"),
    "chosen": say("chosen"),
    "kept": say("kept"),
    "discarded": say("discarded"),
    "text": say("text"),
    "take": say("take"),
    "rewrite": say("rewrite"),
    "insert": say("insert"),
    "idea": say("idea"),
    "summary": say("summary"),
    "starting": say("starting"),
    "ready": say("ready"),
    "asleep": say("asleep"),
    "stopped": say("stopped"),
    "instructions": say("instructions"),
    "style": say("style"),
    "note": say("note"),
    "outline": say("outline"),
    "summaries": say("summaries"),
    "source": say("source"),
    "before": say("before"),
    "chapter": say("chapter"),
    "mentioned": say("mentioned"),
    "request": say("request"),
    "character": say("character"),
    "place": say("place"),
    "thread": say("thread"),
}


def in_words(code: str) -> str:
    """What a code is called; a code that nobody knows stays as it is. JSON has the code itself."""
    return _WORDS.get(code, code)
