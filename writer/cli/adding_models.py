"""`writer models add` and `remove`: what is asked before, what is shown meanwhile, what is said at the end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from writer.catalogue.ports import CalledOff
from writer.catalogue.values import Fit, Offer, Shelved, gigabytes
from writer.catalogue.wording import fit_words, shelved_words, weights_words
from writer.cli.download_bar import shown
from writer.cli.output import emit, tell
from writer.errors import ModelUnusable
from writer.language import say, together
from writer.text.sanitise import one_line

if TYPE_CHECKING:
    from writer.engine.keeping_models import LocalModels


class Adding:
    """One model on its way."""

    def __init__(self, models: LocalModels, *, yes: bool, use: bool, as_json: bool) -> None:
        self._models, self._yes, self._use, self._as_json = models, yes, use, as_json

    def add(self, model: str) -> None:
        """By what it is. Raises WriterError, click.Abort, click.UsageError."""
        path = Path(model).expanduser()
        if path.is_dir():
            self._folder(path)
        elif path.is_file():
            self._gguf(path)
        elif model.endswith(".gguf") or model.startswith(("/", "./", "../", "~")):
            raise ModelUnusable(say("{model} is not there. Check the path.", model=one_line(model, 300)))
        else:
            self._download(model)

    def _folder(self, folder: Path) -> None:
        from writer.engine.models import check

        check(folder)
        self._done(str(folder.absolute()))

    def _gguf(self, file: Path) -> None:
        from writer.engine.gguf_header import read
        from writer.engine.models import named_file

        named_file(file)
        header = read(file)
        self._say(
            say(
                "{file}: {architecture}, becomes {weights}",
                file=file.name,
                architecture=header.architecture,
                weights=weights_words(header.weights),
            )
        )
        self._done(self._models.convert(file, header, self._say))

    def _download(self, hub: str) -> None:
        shown_name = one_line(hub, 100)
        self._say(
            say(
                "Asking {host} about {shown_name}. No other command of writer goes out for a model.",
                host=self._models.host,
                shown_name=shown_name,
            )
        )
        fetching = self._models.fetching()
        try:
            offer = fetching.ask(hub)
            self._confirm(offer, self._models.judge(offer))
            with shown(offer, as_json=self._as_json) as report:
                name = fetching.fetch(offer, report)
        except (KeyboardInterrupt, CalledOff):
            fetching.cancel()
            tell(
                say('Stopped. What has come is kept; "writer models add {shown_name}" goes on.', shown_name=shown_name),
                error=True,
            )
            raise click.Abort from None
        self._done(name)

    def _confirm(self, offer: Offer, fit: Fit) -> None:
        if self._as_json:
            found = {"size": offer.size, "have": offer.have, "licence": offer.licence, "gated": offer.gated}
            emit({"event": "found", "model": offer.hub, "revision": offer.revision, **found, "fits": fit.fits})
        licence = say("licence {licence}", licence=offer.licence or say("not told: see its page"))
        self._say(
            say(
                "{hub}: {weights}, {licence}; {fit}",
                hub=offer.hub,
                weights=weights_words(offer.weights),
                licence=licence,
                fit=fit_words(fit),
            )
        )
        if not self._yes:
            left = offer.size - offer.have
            kept = say(" ({have} are here already)", have=gigabytes(offer.have)) if offer.have else ""
            confirm(say("Download {left}{kept}?", left=gigabytes(left), kept=kept))

    def _done(self, name: str) -> None:
        ready = say('{name} is ready. "writer models use {name}" lets it write.', name=one_line(name))
        said = self._models.use(name) if self._use else ready
        if self._as_json:
            emit({"event": "added", "model": name, "in_use": self._use})
        else:
            tell(said)

    def _say(self, line: str) -> None:
        if not self._as_json:
            tell(line)


def confirm(question: str) -> None:
    """Yes, or click.Abort. Without a terminal nobody can be asked."""
    if not sys.stdin.isatty():
        raise click.UsageError(say("{question} Nobody can be asked here: add --yes.", question=question))
    click.confirm(question, abort=True)


def whole_name(model: str) -> str:
    """A path that holds in every folder; other names stay."""
    path = Path(model).expanduser()
    return str(path.absolute()) if path.exists() else model


def erase(models: LocalModels, model: str, *, yes: bool) -> None:
    """Ask, then erase. Raises ModelUnusable if there is no such model, or it is not ours."""
    found = _named(models.shelved(), model)
    if not found.ours:
        raise ModelUnusable(
            say("{folder} was not made by writer, so it stays. Erase it yourself.", folder=found.folder)
        )
    tell(shelved_words(found))
    after = say("Afterwards the small model writes.") if found.chosen else ""
    if not yes:
        confirm(together(say("Erase {folder}?", folder=found.folder), after))
    models.remove(found)
    tell(together(say("{name} is erased.", name=found.name), after))


def _named(models: tuple[Shelved, ...], model: str) -> Shelved:
    names = {model, whole_name(model).rstrip("/")}
    for each in models:
        if each.name in names or str(each.folder) in names or each.folder.name in names:
            return each
    raise ModelUnusable(
        say('There is no model {model} here. "writer models list" names those that are.', model=one_line(model, 100))
    )
