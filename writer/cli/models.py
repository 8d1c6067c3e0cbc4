"""`writer models`: what can write on this machine, and what would."""

from __future__ import annotations

import os

import click

from writer.bootstrap import settings_for
from writer.catalogue.values import Fit, Shelved, Suggestion, Weights
from writer.catalogue.wording import machine_words, shelved_words, suggestion_words
from writer.cli.output import emit, say
from writer.text.sanitise import one_line


@click.group()
def models() -> None:
    """The models that can write."""


@models.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_models(as_json: bool) -> None:
    """The models on this machine, and whether they fit. Nothing is fetched."""
    from writer.engine.models import default_model_source
    from writer.engine.shelf import machine, shelved

    engine = settings_for(None, os.environ).engine
    here = machine(engine, os.environ)
    found = shelved(engine, here)
    if as_json:
        prepared = [
            each.folder.name for each in found if each.place in ("small", "downloaded", "converted") and each.size
        ]
        facts = {
            "chosen": engine.model,
            "prepared": prepared,
            "small_model_installed": default_model_source() is not None,
        }
        emit({**facts, "models": [_shelved(each) for each in found]})
        return
    say(machine_words(here))
    for each in found:
        say(shelved_words(each))
    if not any(each.chosen for each in found):
        say(f"In use, but not to be found: {engine.model or 'the small model that comes with writer'}")


@models.command()
@click.option("--language", default="", metavar="CODE", help="Only models made for this language: en, de, zh.")
@click.option("--all", "everything", is_flag=True, help="Also what does not fit here.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def suggest(language: str, everything: bool, as_json: bool) -> None:
    """Models that fit this machine, the most capable first. Nothing is fetched."""
    from writer.catalogue.suggesting import suggest as chosen
    from writer.catalogue.table import read_table
    from writer.engine.shelf import machine

    here = machine(settings_for(None, os.environ).engine, os.environ)
    found = [each for each in chosen(read_table(), here, language) if each.fit.fits or everything]
    if as_json:
        emit({"machine": {"device": here.device, "free": here.free}, "models": [_suggested(each) for each in found]})
        return
    say(machine_words(here))
    for each in found:
        first, *more = suggestion_words(each)
        say(first)
        for line in more:
            click.echo(f"    {one_line(line, 300)}")
    if found:
        say("As told by the models' own pages in 2025. To download one: writer models add NAME")
    else:
        say("No model of the table fits here. Add --all to see what each would need.")


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
