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
from writer.language import many, say, together
from writer.text.sanitise import one_line
from writer.tui.book.sheet import Rows, Sheet
from writer.tui.calmed import calm_at
from writer.tui.models.download import Download
from writer.tui.models.waiting import aside
from writer.tui.screens.ask import Ask
from writer.tui.screens.choice import Choice
from writer.tui.working import work, work_anew

if TYPE_CHECKING:
    from writer.tui.models.entry import Shop
    from writer.tui.screens.manuscript import ManuscriptScreen

_HERE, _HUB = "here:", "hub:"
_FRAME = 0.5
"""Seconds between two looks at the download."""


class ModelsSheet(Sheet[None]):
    """Leaving it leaves a download going on."""

    KEYS: ClassVar[str] = say(
        "Enter write with it, or download it · n by name · x stop the download · d erase · Esc back"
    )
    DEFAULT_CSS = "ModelsSheet.-slim OptionList { text-wrap: wrap; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "name", show=False),
        Binding("x", "stop", show=False),
        Binding("d", "erase", show=False),
    ]

    def __init__(self, screen: ManuscriptScreen, models: Models, shop: Shop, hub: str = "") -> None:
        """`hub`: the name of a model that is asked about at once."""
        super().__init__(say("Models: looking at this machine…"))
        self._screen, self._models, self._shop = screen, models, shop
        self._rows = Rows()
        self._shelf: Shelf | None = None
        self._asking = ""
        self._wanted = hub

    def body(self) -> Widget:
        return self._rows

    def on_mount(self) -> None:
        self._rows.focus()
        self.set_interval(calm_at(self.app).pace(_FRAME), self._look)
        self.refresh_rows()

    def refresh_rows(self) -> None:
        """Look at the machine again."""
        work_anew(self, "read", self._read)

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
        self.entitle(say("Models · {machine}", machine=machine_words(self._shelf.machine)))
        self._rows.fill(list(self._all_rows(self._shelf)))

    def _look(self) -> None:
        if self._shop.download is not None or self._asking:
            self._show()

    def _all_rows(self, shelf: Shelf) -> Iterator[tuple[str, Content]]:
        if self._asking:
            yield (
                "",
                Content(say("Asking {host} about {model}…", host=one_line(self._models.host), model=self._asking)),
            )
        if download := self._shop.download:
            yield (
                "",
                Content(
                    say("Downloading {hub} · {progress}", hub=one_line(download.offer.hub), progress=download.told())
                ),
            )
        yield "", Content(say("On this machine"))
        for number, model in enumerate(shelf.models):
            yield f"{_HERE}{number}", Content(f"  {shelved_words(model)}")
        yield (
            "",
            Content(
                say("Not here, and would fit · Enter asks {host}; nothing else does", host=one_line(self._models.host))
            ),
        )
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
            work_anew(self, "use", self._use, model)

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
        hint = say("Enter asks {host} about it; Escape goes back.", host=one_line(self._models.host))
        self.app.push_screen(Ask(say("Name of a model on the hub, such as Qwen/Qwen3-8B"), hint), self._named)

    def _named(self, name: str | None) -> None:
        if name:
            self._ask(name)

    def _ask(self, hub: str) -> None:
        if self._shop.download is not None:
            self._complain(say("One model at a time: wait for the download, or stop it with x."), "information")
        elif not self._asking:
            self._asking = one_line(hub, 100)
            self._show()
            work(self, "ask", self._asked, hub)

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
        kept = say("{size} of it are here already.", size=gigabytes(offer.have)) if offer.have else ""
        licence = one_line(offer.licence) or say("not told, see its page")
        lines = [
            together(say("Download {hub}?", hub=one_line(offer.hub)), kept),
            say("{weights}. Licence: {licence}.", weights=weights_words(offer.weights), licence=licence),
            say("It {fits}.", fits=fit_words(fit)),
        ]
        buttons = (
            ("download", say("Download {size}", size=gigabytes(offer.size - offer.have))),
            ("back", say("Back")),
        )
        card = Choice(lines, buttons if fit.fits else tuple(reversed(buttons)))
        self.app.push_screen(
            card, lambda answer: self._shop.begin(Download(fetching, offer)) if answer == "download" else None
        )

    def action_stop(self) -> None:
        if self._shop.download is not None:
            self._shop.download.cancel()
            self._show()
        else:
            self._complain(say("Nothing is being downloaded."), "information")

    def action_erase(self) -> None:
        model = self._here()
        if model is None or not model.ours:
            self._complain(say("Only what writer has downloaded or made can be erased here."), "information")
            return
        after = [say("It is the one in use: afterwards the small model writes.")] if model.chosen else []
        lines = [say("Erase {name}, {size}?", name=one_line(model.name), size=gigabytes(model.size)), *after]
        card = Choice(lines, (("back", say("Back")), ("erase", say("Erase"))))
        self.app.push_screen(card, lambda answer: self._erase(model) if answer == "erase" else None)

    def _erase(self, model: Shelved) -> None:
        work_anew(self, "use", self._erased, model)

    async def _erased(self, model: Shelved) -> None:
        if self._shop.download is not None and self._shop.download.offer.hub == model.name:
            self._complain(say("It is being downloaded. Stop that first, with x."), "information")
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
    first = Content(
        f"  {each.variant.hub} · {size} · " + many("{count:,} token of text", "{count:,} tokens of text", fit.context)
    )
    room = f"{say('sets aside {memory} of memory for its text', memory=gigabytes(fit.room))} · " if fit.room else ""
    return first + Content(f"\n    {room}{listed_words(each.model)}").stylize("dim")
