"""Plans for tests: texts of words, a count of tokens without a tokenizer, and material to plan from."""

from __future__ import annotations

from writer.generation.plan import Plan, draw_up
from writer.generation.plan_budget import Room
from writer.generation.plan_material import Material, pieces, text_piece
from writer.generation.plan_parts import Measured, Piece, countable, measured
from writer.generation.window import Turn
from writer.manuscript.notes import Note


def count(text: str) -> int:
    """Tokens of a text: about one for four characters."""
    return -(-len(text) // 4)


def measure(*parts: Piece) -> tuple[Measured, ...]:
    return measured(parts, map(count, countable(parts)))


def words(number: int, paragraph: int = 60) -> str:
    """So many numbered words, in paragraphs. A longer text begins with every shorter one."""
    return "".join(f"word{n}" + ("\n\n" if n % paragraph == paragraph - 1 else " ") for n in range(number))


def material(text: str = "", **more: object) -> Material:
    return Material("Salt", "The harbour", "en", text, **more)  # type: ignore[arg-type]


def note(title: str, text: str, **more: object) -> Note:
    facts: dict[str, object] = {"kind": "note", "keys": (title,), "always": False, "priority": 50} | more
    return Note(path=f"notes/{title}.md", title=title, text=text, **facts)  # type: ignore[arg-type]


def plan(given: Material, room: Room, last: Turn | None = None) -> Plan:
    text, *rest = measure(text_piece(given), *pieces(given, room.window * 8))
    return draw_up(rest, text, room, last=last, mentions=any(not each.always for each in given.notes))


def sent(drawn: Plan) -> str:
    """All that goes to the model, in its order."""
    return "\n".join([*(message.content for message in drawn.prompt.messages), drawn.prompt.prefill])
