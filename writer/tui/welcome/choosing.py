"""The models among which the guide lets choose: the few that matter to someone new, and the ways to all others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.content import Content

from writer.catalogue.ports import Shelf
from writer.catalogue.values import Shelved
from writer.catalogue.wording import progress_words
from writer.language import say
from writer.text.sanitise import one_line
from writer.tui.welcome.steps import shelved_row, suggested_row

if TYPE_CHECKING:
    from writer.tui.models.entry import Shop

HERE, HUB, MORE, SERVER = "here:", "hub:", "more", "server"
_SUGGESTED = 3
"""Models that are suggested, the most capable first."""
_SMALL = 0.2
"""Billions of parameters: what is no larger than the model that comes along is no step up."""


def rows(shelf: Shelf | None, shop: Shop) -> Iterator[tuple[str, Content]]:
    """The rows of the list, (name, row). Without a shelf it is still being looked at."""
    if shelf is None:
        yield "", Content(say("Looking at this machine…"))
        return
    if shop.download is not None:
        yield "", Content(f"{shop.download.offer.hub} · {progress_words(shop.download.progress)}")
    for number, model in enumerate(shelf.models):
        if not model.trouble:
            yield f"{HERE}{number}", Content(shelved_row(model))
    here = {model.name for model in shelf.models if model.place != "unfinished"}
    new = [each for each in shelf.suggestions if each.variant.hub not in here and each.model.parameters > _SMALL]
    new.sort(key=lambda each: (each.model.gated, bool(each.fit.step)))  # an account or a setting is no first step
    for each in new[:_SUGGESTED]:
        yield f"{HUB}{each.variant.hub}", Content(suggested_row(each))
    yield MORE, Content(say("All models, and others by name…"))
    yield SERVER, Content(_server(shelf.server))


def in_use(shelf: Shelf | None) -> str:
    """The name of the row of what writes; "" if it is none of these."""
    if shelf and shelf.server:
        return SERVER
    models = shelf.models if shelf else ()
    return next((f"{HERE}{number}" for number, model in enumerate(models) if model.chosen), "")


def _server(url: str) -> str:
    if not url:
        return say("A server, by its address…")
    return f"{say('The server {url}', url=one_line(url, 100))} · {say('in use')}"


def none_here(shelf: Shelf | None) -> bool:
    """Whether this machine has no model that could write."""
    return shelf is not None and not any(model.place != "unfinished" and not model.trouble for model in shelf.models)


def model_of(shelf: Shelf | None, name: str) -> Shelved | None:
    """The model of a row."""
    if shelf is None or not name.startswith(HERE):
        return None
    return shelf.models[int(name.removeprefix(HERE))]
