"""A model's own chat template, rendered here: to show the exact next request without an engine. The door to jinja2.

Templates come with models, so they run in jinja's sandbox. They are given what the models' own library gives them:
the special tokens, `raise_exception` and `strftime_now`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from writer.engine.weights import read_json
from writer.generation.chat_form import TemplateRefused
from writer.generation.prompt import ChatMessage

if TYPE_CHECKING:
    from jinja2 import Template

_LARGEST = 1_000_000  # bytes of a template
_TOKENS = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token", "mask_token")


class ChatTemplate:
    """One template. Rendering raises TemplateRefused, whatever is wrong with it."""

    def __init__(self, source: str, tokens: dict[str, str]) -> None:
        self.source = source
        self._tokens = tokens
        self._template = _compiled(source)

    def render(self, messages: Sequence[ChatMessage], header: bool) -> str:
        """The text of the messages, and the header of an answer after them if asked for."""
        spoken = [{"role": message.role, "content": message.content} for message in messages]
        try:
            return self._template.render(messages=spoken, add_generation_prompt=header, **self._tokens)
        except Exception as error:  # a template can fail in any way at all
            raise TemplateRefused(str(error)) from None


def read_template(folder: Path) -> ChatTemplate | None:
    """The template in a model's folder; None if it has none. Raises TemplateRefused, ModelUnusable."""
    source = _source(folder)
    return ChatTemplate(source, _special_tokens(folder)) if source else None


def _source(folder: Path) -> str:
    file = folder / "chat_template.jinja"
    if file.is_file() and file.stat().st_size <= _LARGEST:
        return file.read_text(encoding="utf-8", errors="replace")
    for name in ("chat_template.json", "tokenizer_config.json"):
        if (folder / name).is_file():
            found = read_json(folder, name).get("chat_template")
            if isinstance(found, list):  # several, by name
                found = {each.get("name"): each.get("template") for each in found if isinstance(each, dict)}
                found = found.get("default")
            if isinstance(found, str) and found:
                return found
    return ""


def _special_tokens(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        table = read_json(folder, name) if (folder / name).is_file() else {}
        for token in _TOKENS:
            value = table.get(token)
            value = value.get("content") if isinstance(value, dict) else value
            if isinstance(value, str):
                found[token] = value
    return found


def _compiled(source: str) -> Template:
    from jinja2 import TemplateError, nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.parser import Parser
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """{% generation %} marks an answer for training; here it only shows what it holds."""

        tags = {"generation"}  # noqa: RUF012  (jinja asks for it)

        def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body, lineno=line)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = time.strftime
    try:
        return environment.from_string(source)
    except (TemplateError, RecursionError) as error:
        raise TemplateRefused(str(error)) from None


def _to_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(message: str) -> None:
    raise TemplateRefused(message)
