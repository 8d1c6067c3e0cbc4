"""Calls that block, in a thread of their own: who quits need not wait for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from writer.catalogue.ports import CalledOff
from writer.errors import WriterError

Made = TypeVar("Made")


async def aside(call: Callable[[], Made]) -> Made:
    """What the call gives. Raises what it raises."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Made] = loop.create_future()

    def tell(value: Made | None, error: BaseException | None) -> None:
        if answer.done():  # nobody waits any more
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(value)  # type: ignore[arg-type]

    def work() -> None:
        value: Made | None = None
        failed: BaseException | None = None
        try:
            value = call()
        except (WriterError, CalledOff, OSError) as error:
            failed = error
        except BaseException as error:  # a fault of ours: the waiting one gets it, and so does the log
            _soon(loop, partial(tell, None, error))
            raise
        _soon(loop, partial(tell, value, failed))

    threading.Thread(target=work, name="models", daemon=True).start()
    return await answer


def _soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(call)
    except RuntimeError:
        pass  # the app has been left
