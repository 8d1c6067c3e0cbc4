"""`writer models`: what can write on this machine, and what would."""

from __future__ import annotations

import os

import click

from writer.bootstrap import models_here, settings_for
from writer.catalogue.values import Fit, Shelved, Suggestion, Weights
from writer.catalogue.wording import machine_words, shelved_words, suggestion_words
from writer.cli.output import emit, tell
from writer.language import say
from writer.text.sanitise import one_line


@click.group(help=say("The models that can write."))
def models() -> None:
    pass


@models.command("list", help=say("The models on this machine, and whether they fit. Nothing is fetched."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def list_models(as_json: bool) -> None:
    from writer.engine.models import default_model_source

    here = models_here(os.environ)
    machine, found = here.machine(), here.shelved()
    engine = settings_for(None, os.environ).engine
    chosen = engine.url or engine.model
    if as_json:
        made = ("small", "downloaded", "converted")
        prepared = [each.folder.name for each in found if each.place in made and each.size]
        facts = {"chosen": chosen, "prepared": prepared, "small_model_installed": default_model_source() is not None}
        emit({**facts, "models": [_shelved(each) for each in found]})
        return
    tell(machine_words(machine))
    for each in found:
        tell(shelved_words(each))
    if engine.url:
        tell(say("In use: the server {url}", url=engine.url))
    elif not any(each.chosen for each in found):
        tell(
            say(
                "In use, but not to be found: {chosen}. “writer doctor” says what to do.",
                chosen=chosen or say("the small model that comes with writer"),
            )
        )


@models.command(help=say("Models that fit this machine, the most capable first. Nothing is fetched."))
@click.option("--language", default="", metavar="CODE", help=say("Only models made for this language: en, de, zh."))
@click.option("--all", "everything", is_flag=True, help=say("Also what does not fit here."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def suggest(language: str, everything: bool, as_json: bool) -> None:
    from writer.catalogue.suggesting import suggest as chosen
    from writer.catalogue.table import read_table

    here = models_here(os.environ).machine()
    found = [each for each in chosen(read_table(), here, language) if each.fit.fits or everything]
    if as_json:
        emit({"machine": {"device": here.device, "free": here.free}, "models": [_suggested(each) for each in found]})
        return
    tell(machine_words(here))
    for each in found:
        first, *more = suggestion_words(each)
        tell(first)
        for line in more:
            click.echo(f"    {one_line(line, 300)}")
    if found:
        tell(say("As told by the models' own pages in 2025. To download one: writer models add NAME"))
    else:
        tell(say("No model of the table fits here. Add --all to see what each would need."))


@models.command(help=say("Set up MODEL: a folder, a GGUF file, or a name of the hub, which is downloaded."))
@click.argument("model")
@click.option("--yes", is_flag=True, help=say("Download without asking."))
@click.option("--use/--no-use", "use", default=True, help=say("Write with it from now on, or leave that as it is."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object per line."))
def add(model: str, yes: bool, use: bool, as_json: bool) -> None:
    from writer.cli.adding_models import Adding

    Adding(models_here(os.environ), yes=yes, use=use, as_json=as_json).add(model)


@models.command(
    "use",
    help=say(
        'Write with MODEL, which is on this machine, from the next start on. "small" is the one that comes with writer.'
    ),
)
@click.argument("model")
def use_model(model: str) -> None:
    from writer.cli.adding_models import whole_name

    tell(models_here(os.environ).use(whole_name(model)))


@models.command(help=say("Erase MODEL, if writer has downloaded or made it. A folder of yours is never touched."))
@click.argument("model")
@click.option("--yes", is_flag=True, help=say("Erase without asking."))
def remove(model: str, yes: bool) -> None:
    from writer.cli.adding_models import erase

    erase(models_here(os.environ), model, yes=yes)


def _shelved(each: Shelved) -> dict[str, object]:
    facts: dict[str, object] = {"name": each.name, "place": each.place, "folder": str(each.folder), "bytes": each.size}
    facts |= _weights(each.weights) if each.weights else {}
    more = {"licence": each.licence, "in_use": each.chosen, "removable": each.ours, "trouble": each.trouble}
    return facts | more | {"fit": _fit(each.fit) if each.fit else None}


def _suggested(each: Suggestion) -> dict[str, object]:
    model = each.model
    facts = {"name": each.variant.hub, "model": model.name, "bytes": each.variant.weights.size}
    facts |= _weights(each.variant.weights) | {"licence": model.licence, "gated": model.gated}
    return facts | {"languages": list(model.languages), "note": model.note, "fit": _fit(each.fit)}


def _weights(weights: Weights) -> dict[str, object]:
    return {"context": weights.context, "quantisation": weights.quantisation}


def _fit(fit: Fit) -> dict[str, object]:
    facts = {"fits": fit.fits, "context": fit.context, "needed": fit.needed, "available": fit.available}
    return {**facts, "why": fit.why, "step": fit.step}
