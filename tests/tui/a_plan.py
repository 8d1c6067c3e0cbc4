"""Prompt plans for the tests of the screens."""

from __future__ import annotations

from dataclasses import replace

from writer.generation.plan import Part, Plan
from writer.generation.plan_parts import CHANGES, Kind
from writer.generation.prompt import ChapterPrompt


def part(kind: Kind, title: str, tokens: int, whole: int = 0, text: str = "", why: str = "") -> Part:
    """A part; cut or left out if it has more tokens than are sent."""
    whole = whole or tokens
    return Part(kind, title, text or title, tokens, whole, tokens > 0, 0 < tokens < whole, why, CHANGES[kind])


PARTS = (
    part(Kind.INSTRUCTIONS, "Instructions", 120),
    part(Kind.NOTE, "Mara", 300, text="## Mara\n\nShe keeps the light."),
    part(Kind.SOURCE, "The almanac", 0, 5000, why="The almanac: left out, since it has 5,000 tokens."),
    part(Kind.CHAPTER, "This chapter", 40),
    part(Kind.TEXT, "One", 800, text="It rained. " * 20),
    part(Kind.REQUEST, "Your request", 40),
)


def plan(parts: tuple[Part, ...] = PARTS, window: int = 8192, to_write: int = 1200, behind: str = "") -> Plan:
    """A plan of these parts. `behind`: the text behind the request."""
    tokens = sum(each.tokens for each in parts)
    return Plan(parts, ChapterPrompt((), behind, ""), window, to_write, tokens)


def full(share: float) -> Plan:
    """A plan that fills so much of its window."""
    made = plan(tuple(each for each in PARTS if each.tokens))
    return replace(made, window=round((made.tokens + made.to_write) / share))
