"""A chapter from a server without token ids: broken off again and again, it is whole, and the author is told how."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

from openai_server import STORY, StoryServer, telling

from writer.bootstrap import open_desk
from writer.engine.patience import Patience
from writer.engine.remote import RemoteEngine
from writer.generation.model import Sampling, State
from writer.manuscript.project import create
from writer.runtime.events import BatchCommitted, Event, GenerationInterrupted, Noted
from writer.runtime.orders import DraftOrder
from writer.storage.integrity import check

CHAPTER, INTRO = "chapters/01-chapter-1.md", "# Salt\n\nIt was late.\n\n"


async def _nap(seconds: float) -> None:
    """No pause at all."""


async def test_streams_that_break_lose_and_double_nothing(home: dict[str, str], tmp_path: Path) -> None:
    create(tmp_path / "salt", title="Salt")
    server, events = StoryServer(cuts=[7, 11, 30], echo=20), list[Event]()
    async with telling(server, Path(home["XDG_RUNTIME_DIR"])) as url:
        settings = Path(home["XDG_CONFIG_HOME"]) / "writer/config.toml"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(f'[engine]\nurl = "{url}"\n')
        at_once = mock.patch.dict(RemoteEngine.__init__.__kwdefaults__, {"patience": Patience(sleep=_nap)})
        with at_once:
            desk = open_desk(tmp_path / "salt", dict(os.environ), events.append)
            await desk.open()
            try:
                ending = await desk.draft(DraftOrder(CHAPTER, INTRO), Sampling(seed=5, max_tokens=900))
                state = desk._means.state
                saved = [state.generations.load(each.id).text for each in state.generations.all()]
                checked = check(state, lambda generation: None)
            finally:
                await desk.close()
    assert ending.state is State.FINISHED
    assert "".join(event.text for event in events if isinstance(event, BatchCommitted)) == STORY
    assert saved == [STORY]
    assert [each.problem for each in checked] == [""]
    assert len([event for event in events if isinstance(event, GenerationInterrupted)]) == 3
    notes = [event.sentence for event in events if isinstance(event, Noted)]
    assert notes[0].startswith("This server takes no token ids: writing goes on from the text")
    assert notes[1:] == ["This server takes no token ids: it goes on from the text, and may word it differently."] * 3
