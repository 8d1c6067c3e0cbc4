"""Models: what is on this machine, what would fit. Enter chooses, or asks the hub and downloads; nothing waits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import OptionList

from writer.catalogue.ports import CalledOff, Fetching, Models, Shelf
from writer.catalogue.values import Fit, Offer, Shelved, Suggestion, gigabytes
from writer.catalogue.wording import fit_words, listed_words, machine_words, shelved_words, weights_words
from writer.errors import WriterError
from writer.text.sanitise import one_line
from writer.tui.book.sheet import Rows, Sheet
from writer.tui.models.download import Download
from writer.tui.models.waiting import aside
from writer.tui.screens.ask import Ask
from writer.tui.screens.choice import Choice

if TYPE_CHECKING:
    from writer.tui.models.entry import Shop
    from writer.tui.screens.manuscript import ManuscriptScreen

_HERE, _HUB = "here:", "hub:"
_FRAME = 0.5
"""Seconds between two looks at the download."""


class ModelsSheet(Sheet[None]):
    """Leaving it leaves a download going on."""

    KEYS: ClassVar[str] = "Enter write with it, or download it · n by name · x stop the download · d erase · Esc back"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "name", show=False),
        Binding("x", "stop", show=False),
        Binding("d", "erase", show=False),
    ]

    def __init__(self, screen: ManuscriptScreen, models: Models, shop: Shop, hub: str = "") -> None:
        """`hub`: the name of a model that is asked about at once."""
        super().__init__("Models: looking at this machine…")
        self._screen, self._models, self._shop = screen, models, shop
        self._rows = Rows()
        self._shelf: Shelf | None = None
        self._asking = ""
        self._wanted = hub

    def body(self) -> Widget:
        return self._rows

    def on_mount(self) -> None:
        self._rows.focus()
        self.set_interval(_FRAME, self._look)
        self.refresh_rows()

    def refresh_rows(self) -> None:
        """Look at the machine again."""
        self.run_worker(self._read(), group="read", exclusive=True)

    async def _read(self) -> None:
        language = self._screen.manuscript.language
        try:
            self._shelf = await aside(lambda: self._models.look(language))
        except (WriterError, OSError) as error:
            self._complain(str(error))
            return
        self._show()
        if self._wanted:
            wanted, self._wanted = self._wanted, ""
            self._ask(wanted)

    # Showing --------------------------------------------------------------------------------------------------

    def _show(self) -> None:
        if self._shelf is None:
            return
        self.entitle(f"Models · {machine_words(self._shelf.machine)}")
        self._rows.fill(list(self._all_rows(self._shelf)))

    def _look(self) -> None:
        if self._shop.download is not None or self._asking:
            self._show()

    def _all_rows(self, shelf: Shelf) -> Iterator[tuple[str, Content]]:
        if self._asking:
            yield "", Content(f"Asking {one_line(self._models.host)} about {self._asking}…")
        if download := self._shop.download:
            yield "", Content(f"Downloading {one_line(download.offer.hub)} · {download.told()}")
        yield "", Content("On this machine")
        for number, model in enumerate(shelf.models):
            yield f"{_HERE}{number}", Content(f"  {shelved_words(model)}")
        yield "", Content(f"Not here, and would fit · Enter asks {one_line(self._models.host)}; nothing else does")
        known = {model.name for model in shelf.models}
        for each in shelf.suggestions:
            if each.variant.hub not in known:
                yield f"{_HUB}{each.variant.hub}", _suggested(each)

    # What the author does -------------------------------------------------------------------------------------

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        name = self._rows.name_at(event.option_index)
        if name.startswith(_HUB):
            self._ask(name.removeprefix(_HUB))
        elif (model := self._here()) and model.place == "unfinished":
            self._ask(model.name)
        elif model is not None:
            self.run_worker(self._use(model), group="use", exclusive=True)

    def _here(self) -> Shelved | None:
        """The model of this machine that is highlighted."""
        name = self._rows.chosen
        if self._shelf is None or not name.startswith(_HERE):
            return None
        return self._shelf.models[int(name.removeprefix(_HERE))]

    async def _use(self, model: Shelved) -> None:
        try:
            self._complain(await aside(lambda: self._models.use(model)), "information")
        except WriterError as error:
            self._complain(error.sentence)
        self.refresh_rows()

    def action_name(self) -> None:
        hint = f"Enter asks {one_line(self._models.host)} about it; Escape goes back."
        self.app.push_screen(Ask("Name of a model on the hub, such as Qwen/Qwen3-8B", hint), self._named)

    def _named(self, name: str | None) -> None:
        if name:
            self._ask(name)

    def _ask(self, hub: str) -> None:
        if self._shop.download is not None:
            self._complain("One model at a time: wait for the download, or stop it with x.", "information")
        elif not self._asking:
            self._asking = one_line(hub, 100)
            self._show()
            self.run_worker(self._asked(hub), group="ask")

    async def _asked(self, hub: str) -> None:
        fetching = self._models.fetching()
        try:
            offer = await aside(lambda: fetching.ask(hub))
            fit = await aside(lambda: self._models.judge(offer))
        except (WriterError, CalledOff, OSError) as error:
            self._asked_for(str(error))
        except asyncio.CancelledError:  # the sheet was left meanwhile
            fetching.cancel()
            raise
        else:
            self._asked_for()
            self._offer(fetching, offer, fit)

    def _asked_for(self, trouble: str = "") -> None:
        self._asking = ""
        self._show()
        if trouble:
            self._complain(trouble)

    def _offer(self, fetching: Fetching, offer: Offer, fit: Fit) -> None:
        kept = f" {gigabytes(offer.have)} of it are here already." if offer.have else ""
        lines = [
            f"Download {one_line(offer.hub)}?{kept}",
            f"{weights_words(offer.weights)}. Licence: {one_line(offer.licence) or 'not told, see its page'}.",
            f"It {fit_words(fit)}.",
        ]
        buttons = (("download", f"Download {gigabytes(offer.size - offer.have)}"), ("back", "Back"))
        card = Choice(lines, buttons if fit.fits else tuple(reversed(buttons)))
        self.app.push_screen(
            card, lambda answer: self._shop.begin(Download(fetching, offer)) if answer == "download" else None
        )

    def action_stop(self) -> None:
        if self._shop.download is not None:
            self._shop.download.cancel()
            self._show()
        else:
            self._complain("Nothing is being downloaded.", "information")

    def action_erase(self) -> None:
        model = self._here()
        if model is None or not model.ours:
            self._complain("Only what writer has downloaded or made can be erased here.", "information")
            return
        after = ["It is the one in use: afterwards the small model writes."] if model.chosen else []
        lines = [f"Erase {one_line(model.name)}, {gigabytes(model.size)}?", *after]
        card = Choice(lines, (("back", "Back"), ("erase", "Erase")))
        self.app.push_screen(card, lambda answer: self._erase(model) if answer == "erase" else None)

    def _erase(self, model: Shelved) -> None:
        self.run_worker(self._erased(model), group="use", exclusive=True)

    async def _erased(self, model: Shelved) -> None:
        if self._shop.download is not None and self._shop.download.offer.hub == model.name:
            self._complain("It is being downloaded. Stop that first, with x.", "information")
            return
        try:
            await aside(lambda: self._models.remove(model))
        except WriterError as error:
            self._complain(error.sentence)
        self.refresh_rows()

    def _complain(self, sentence: str, severity: str = "error") -> None:
        self._screen.complain(sentence, severity)


def _suggested(each: Suggestion) -> Content:
    """Two lines that fit into 80 columns: what it is and takes, then on which terms."""
    weights, fit = each.variant.weights, each.fit
    size = f"{gigabytes(weights.size)}, {weights.quantisation}"
    first = Content(f"  {each.variant.hub} · {size} · {fit.context:,} tokens of text")
    step = f"needs {fit.step} · " if fit.step else ""
    return first + Content(f"\n    {step}{listed_words(each.model)}").stylize("dim")
