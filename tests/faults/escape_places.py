"""How a place of the app is shown: what it is given, and what all places share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any, TypeVar

from textual.screen import Screen

from writer.tui.app import WriterApp

Painted = Callable[[Sequence[str]], Awaitable[None]]
"""Waits until these payloads have been painted, as their marks tell."""
Show = Callable[[WriterApp, Sequence[str], Painted], Awaitable[None]]
T = TypeVar("T")


def chunks(payloads: Sequence[str], cells: int, most: int = 99) -> Iterator[list[str]]:
    """As many at a time as fit into one line of that many cells."""
    chunk: list[str] = []
    for payload in payloads:
        if chunk and (sum(len(each) + 2 for each in chunk) + len(payload) > cells or len(chunk) == most):
            yield chunk
            chunk = []
        chunk.append(payload)
    yield chunk


def several(items: Sequence[T], most: int) -> Iterator[list[T]]:
    return (list(items[at : at + most]) for at in range(0, len(items), most))


def writable(text: str) -> str:
    """As a file of UTF-8 can hold it."""
    return text.encode("utf-8", "replace").decode()


class pushed:
    """A screen on top of the main one, which goes again."""

    def __init__(self, app: WriterApp, screen: Screen[Any]) -> None:
        self._app, self._screen = app, screen

    async def __aenter__(self) -> Screen[Any]:
        await self._app.push_screen(self._screen)
        return self._screen

    async def __aexit__(self, *error: object) -> None:
        await self._screen.dismiss()
