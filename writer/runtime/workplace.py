"""What texts are written with at one desk: the same for those that go into a chapter and for those beside it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from writer.engine.base import Engine
from writer.generation.model import Sampling
from writer.runtime.branching import Branch
from writer.runtime.endings import Endings
from writer.runtime.engine_room import EngineRoom
from writer.runtime.orders import DraftOrder
from writer.runtime.runner import Notify
from writer.runtime.suspending import Suspendable
from writer.runtime.works import Works
from writer.storage.state_file import StateFile

Prompt = Callable[[Engine, DraftOrder, Sampling], Awaitable[Branch]]
"""With how that is drawn which is written behind it."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Made once by the desk, which gives `prompt` and `sampling` (in force for a chapter) too."""

    state: StateFile
    room: EngineRoom
    drafting: Suspendable
    endings: Endings
    works: Works
    notify: Notify
    prompt: Prompt
    sampling: Callable[[str], Sampling]
