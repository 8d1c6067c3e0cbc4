"""The one way to let something run behind the screen.

The coroutine is made when the work starts: one made before is never awaited where the screen goes meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, ParamSpec

from textual.dom import DOMNode

_P = ParamSpec("_P")


def work(
    node: DOMNode, group: str, do: Callable[_P, Coroutine[Any, Any, object]], *args: _P.args, **named: _P.kwargs
) -> None:
    """Do this as long as `node` is there."""
    node.run_worker(_work(partial(do, *args, **named)), group=group)


def work_anew(
    node: DOMNode, group: str, do: Callable[_P, Coroutine[Any, Any, object]], *args: _P.args, **named: _P.kwargs
) -> None:
    """As `work`, in place of what the group does now."""
    node.run_worker(_work(partial(do, *args, **named)), group=group, exclusive=True)


def _work(do: Callable[[], Coroutine[Any, Any, object]]) -> Any:
    """Textual's type is narrower than what it takes."""
    return do
