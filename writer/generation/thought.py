"""A thinking model's stream in two channels: its thought, and the text. Pure.

A thought is no part of the manuscript. It stands at the very beginning of an answer or nowhere: later marks are text.
Marks are known by their token, where they are one (a special token shows no text), or by their characters, which may
come in any pieces. All tokens stay in the journal: whoever goes on inside a thought, or after it, feeds them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from writer.generation.model import Delta


class Channel(StrEnum):
    """Where a part of an answer belongs."""

    THOUGHT = "thought"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Markers:
    """How a thought begins and ends. The ids are those of marks that are one token."""

    begin: str
    end: str
    begin_id: int | None = None
    end_id: int | None = None
    behind: str = "\n\n"  # between the thought and the text
    none: str = ""  # instead of a thought, where an empty one is no thought of two marks

    @property
    def sign(self) -> str:
        """What is one token in a tokenizer that is made for such thoughts."""
        head, mark, _ = self.begin.partition("|>")
        return head + mark

    @property
    def opening(self) -> str:
        """What is written to open a thought."""
        return self.begin + ("\n" if self.begin.endswith(">") and not self.begin.endswith("|>") else "")

    @property
    def empty(self) -> str:
        """What is written instead of a thought."""
        return self.none or f"{self.begin}\n\n{self.end}{self.behind}"


KNOWN = (
    Markers("<think>", "</think>"),  # Qwen 3, DeepSeek R1 and many after them
    Markers("<thinking>", "</thinking>"),
    Markers("<thought>", "</thought>"),
    Markers("<seed:think>", "</seed:think>"),  # Seed-OSS
    Markers("[THINK]", "[/THINK]"),  # Magistral
    Markers("<|START_THINKING|>", "<|END_THINKING|>", behind="<|START_RESPONSE|>"),  # Command A
    Markers("<|begin_of_thought|>", "<|end_of_thought|>"),  # OpenThinker
    Markers(  # gpt-oss
        "<|channel|>analysis<|message|>",
        "<|end|>",
        behind="<|start|>assistant<|channel|>final<|message|>",
        none="<|channel|>final<|message|>",
    ),
    Markers("<reasoning>", "</reasoning>"),
)


@dataclass(frozen=True, slots=True)
class Said:
    """A part of an answer."""

    channel: Channel
    text: str


def markers_in(template: str) -> Markers | None:
    """The marks of a thought that a chat template names; None if it knows none."""
    for markers in KNOWN:
        if markers.end in template and (
            markers.begin in template or markers.begin.partition("<|message|>")[0] in template
        ):
            return markers
    return None


def open_thought(header: str, markers: Markers) -> bool:
    """Whether this header of an answer ends inside a thought."""
    return header.rfind(markers.begin) > header.rfind(markers.end)


def with_ids(markers: Markers, token: Callable[[str], tuple[int, ...]]) -> Markers:
    """The same, with the ids of those marks that are one token. `token` gives the ids of a text."""
    begin, end = token(markers.begin), token(markers.end)
    return replace(
        markers,
        begin_id=begin[0] if len(begin) == 1 else None,
        end_id=end[0] if len(end) == 1 else None,
    )


class ThoughtSplitter:
    """Takes an answer as it comes, and gives it in two channels. Text that may be part of a mark is held back."""

    def __init__(self, markers: Markers, *, inside: bool = False) -> None:
        """`inside`: the prompt has opened the thought already."""
        self._markers = markers
        self._state = "inside" if inside else "before"
        self._held = ""
        self._lead = True  # blank lines at the beginning of a channel are dropped

    @property
    def channel(self) -> Channel:
        """Where the next word belongs, as far as is known."""
        return Channel.THOUGHT if self._state == "inside" else Channel.TEXT

    def feed(self, delta: Delta) -> tuple[Said, ...]:
        """What is certain now, in order."""
        said = [each for part in self._parts(delta) for each in part]
        return tuple(_joined(said))

    def finish(self) -> tuple[Said, ...]:
        """The answer has ended: what was held back is no mark."""
        held, self._held = self._held, ""
        if self._state == "before":
            self._lead = not held.strip()
        return tuple(self._said(held))

    def _parts(self, delta: Delta) -> Iterator[list[Said]]:
        start = 0
        for token, end in zip(delta.token_ids, delta.ends, strict=True):
            yield self._token(token, delta.text[start:end])
            start = end
        yield self._text(delta.text[start:])

    def _token(self, token: int, text: str) -> list[Said]:
        if self._state == "before" and token == self._markers.begin_id and not self._held.strip():
            self._held, self._state, self._lead = "", "inside", True
            return []
        if self._state == "inside" and token == self._markers.end_id:
            said = self._said(self._held)
            self._held, self._state, self._lead = "", "after", True
            return said
        return self._text(text)

    def _text(self, text: str) -> list[Said]:
        if not text:
            return []
        self._held += text
        if self._state == "before":
            return self._before()
        if self._state == "inside":
            return self._inside()
        return self._release(len(self._held))

    def _before(self) -> list[Said]:
        """Nothing but blanks has come: a mark may begin here."""
        begin, shown = self._markers.begin, self._held.lstrip()
        if shown.startswith(begin):
            self._held, self._state, self._lead = shown[len(begin) :], "inside", True
            return self._inside()
        if begin.startswith(shown):
            return []
        self._state, self._lead = "after", False  # there is no thought: blanks are the author's business
        return self._release(len(self._held))

    def _inside(self) -> list[Said]:
        end = self._markers.end
        at = self._held.find(end)
        if at < 0:
            return self._release(len(self._held) - _overlap(self._held, end))
        said = self._said(self._held[:at])
        self._held, self._state, self._lead = self._held[at + len(end) :], "after", True
        return [*said, *self._release(len(self._held))]

    def _release(self, length: int) -> list[Said]:
        said, self._held = self._said(self._held[:length]), self._held[length:]
        return said

    def _said(self, text: str) -> list[Said]:
        if self._lead:
            text = text.lstrip()
        if not text:
            return []
        self._lead = False
        return [Said(self.channel, text)]


def _overlap(text: str, mark: str) -> int:
    """Characters at the end of the text that may be the beginning of the mark."""
    return next((size for size in range(min(len(text), len(mark) - 1), 0, -1) if text.endswith(mark[:size])), 0)


def _joined(said: list[Said]) -> Iterator[Said]:
    """Neighbours of one channel as one."""
    last: Said | None = None
    for each in said:
        if last is not None and last.channel is each.channel:
            last = Said(last.channel, last.text + each.text)
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last
