"""What a chat template makes of an open assistant turn, found out by rendering it. Pure: the renderer is given.

A turn that is to go on is rendered with a mark in the answer's place and cut at the mark: so nothing closes it, and
what the template itself puts before an answer (a second space, an empty thought) is there exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from writer.generation.prompt import ChatMessage
from writer.generation.thought import Markers, markers_in, open_thought
from writer.language import say

Render = Callable[[Sequence[ChatMessage], bool], str]
"""Messages, and whether the header of an answer follows; the text. Raises TemplateRefused."""
_MARK = "writer-goes-on-here"
_ASKED = ChatMessage("user", "Write.")
_RAW = say("The text goes on without the template, as with a base model.")
_MAY_THINK = say("Let it think in Sampling (F5), and its template is used.")
WITHOUT_THOUGHT = say(
    "This model would think first; the chapter goes on without a thought. Sampling (F5) lets it think."
)


class TemplateRefused(Exception):
    """The template does not take these messages, or cannot be rendered at all."""


@dataclass(frozen=True, slots=True)
class ChatForm:
    """What a model's template can do."""

    system: bool  # it takes a system message; else that is put before the first request
    continues: bool  # an answer can be begun for the model
    thought: Markers | None = None  # how a thought begins and ends, if the template knows thoughts
    thinks: bool = False  # its header of an answer opens a thought
    note: str = ""  # a sentence for the author, if anything is unusual


def form_of(render: Render, source: str) -> ChatForm:
    """Looks at a template by rendering it. `source` is its text, in which markers of a thought are looked for."""
    system = _takes_system(render)
    thought = markers_in(source)
    try:
        header = render([_ASKED], True)
    except TemplateRefused:
        return ChatForm(
            system, False, thought, note=say("The chat template of this model cannot be used. {raw}", raw=_RAW)
        )
    thinks = thought is not None and open_thought(header, thought)
    head = _cut_at_mark(render, [_ASKED])
    if head is None and thinks:
        note = say(
            "The chat template of this model opens a thought and cannot be continued behind it. {raw} {may_think}",
            raw=_RAW,
            may_think=_MAY_THINK,
        )
        return ChatForm(system, False, thought, True, note)
    if head is None and _closed(render, header):
        note = say("The chat template of this model changes the text that it is given. {raw}", raw=_RAW)
        return ChatForm(system, False, thought, thinks, note)
    return ChatForm(system, True, thought, thinks, WITHOUT_THOUGHT if thinks else "")


def open_turn(render: Render, form: ChatForm, messages: Sequence[ChatMessage], *, thinking: bool = False) -> str:
    """The messages and the header of an answer, which stays open. Raises TemplateRefused.

    With `thinking` it ends in a thought that is begun, if the model is one that thinks.
    """
    spoken = messages if form.system else folded(messages)
    if thinking and form.thought:
        return _thought_begun(render(spoken, True), form.thought)
    head = _cut_at_mark(render, spoken)
    return render(spoken, True) if head is None else _thought_over(head, form)


def _thought_begun(header: str, markers: Markers) -> str:
    """The header with an open thought: the template opens one, leaves that to the model, or puts an empty one."""
    if open_thought(header, markers):
        return header
    shut = header.rstrip().endswith(markers.end) and markers.begin in header
    return (header[: header.rindex(markers.begin)] if shut else header) + markers.opening


def _thought_over(head: str, form: ChatForm) -> str:
    """The head with an empty thought, if the model would begin one by itself behind it."""
    if form.thought is None or not form.thinks or head.rstrip().endswith(form.thought.end):
        return head
    return head + form.thought.empty


def folded(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The same without a system message: it is put before the first request."""
    steady = [message.content for message in messages if message.role == "system"]
    rest = [message for message in messages if message.role != "system"]
    if not steady or not rest:
        return rest
    return [ChatMessage(rest[0].role, "\n\n".join([*steady, rest[0].content])), *rest[1:]]


def _takes_system(render: Render) -> bool:
    told = ChatMessage("system", "writer-told-this")
    try:
        return told.content in render([told, _ASKED], True)
    except TemplateRefused:
        return False


def _cut_at_mark(render: Render, messages: Sequence[ChatMessage]) -> str | None:
    """What stands before an answer to these messages; None if the template does not show the answer as it is."""
    try:
        whole = render([*messages, ChatMessage("assistant", _MARK)], False)
    except TemplateRefused:
        return None
    head, mark, _ = whole.rpartition(_MARK)
    return head if mark else None


def _closed(render: Render, header: str) -> bool:
    """Whether an answer that the template is given comes out changed, instead of being refused."""
    try:
        whole = render([_ASKED, ChatMessage("assistant", _MARK)], False)
    except TemplateRefused:
        return False  # it only wants no answer at the end: the header can still be written after
    return not whole.startswith(header)
