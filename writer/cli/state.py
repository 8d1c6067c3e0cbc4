"""`writer state`: prove, export and back up what is saved. Works while the app has the manuscript open."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import click

from writer import locations
from writer.bootstrap import settings_for
from writer.cli.looking import state_of
from writer.cli.output import emit, tell
from writer.cli.writing import FOLDER
from writer.errors import ModelUnusable, StateDamaged, StorageError
from writer.generation.model import Generation
from writer.language import say, together
from writer.manuscript.model import Manuscript
from writer.manuscript.project import open_manuscript
from writer.storage.integrity import Decode, check
from writer.storage.state_file import StateFile


@click.group(help=say("Prove, export or back up the saved state of a manuscript."))
def state() -> None:
    pass


@state.command(
    "check", help=say("Check every saved batch, and decode the token ids again to compare them with the text.")
)
@click.argument("folder", type=FOLDER)
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def check_state(folder: Path, as_json: bool) -> None:
    manuscript = open_manuscript(folder)
    with state_of(manuscript) as found:
        checked = check(found, _decoder(manuscript)) if found else []
        missing = bool(found and (found.tail_may_be_missing or found.notes))
    wrong = [c for c in checked if c.problem]
    if as_json:
        generations = [asdict(c) | {"ok": not c.problem} for c in checked]
        emit({"ok": not wrong and not missing, "tail_may_be_missing": missing, "generations": generations})
    else:
        for c in wrong:
            tell(say("{title}: {told}", title=c.generation, told=c.problem))
        compared = sum(c.decoded for c in checked)
        tell(
            say(
                "{checked} generations checked, {compared} decoded again and compared, {wrong} wrong.",
                checked=len(checked),
                compared=compared,
                wrong=len(wrong),
            )
        )
    if missing:
        raise StateDamaged(say("state.db-wal was removed by another program: the newest words may be missing."))
    if wrong:
        raise StateDamaged(
            say("The saved state is not whole. Your chapter files are untouched; make a backup of both.")
        )


@state.command(
    help=say(
        "Get every generated text out of the database, with its token ids (--json) or as "
        "plain files.\n\nOf a damaged database, all that can be read; the last line says how "
        "much that is."
    )
)
@click.argument("folder", type=FOLDER)
@click.option("-o", "--output", type=FOLDER, default=None, help=say("A new folder for the text of every generation."))
@click.option("--json", "as_json", is_flag=True, help=say("All of it as one JSON object, on the standard output."))
def export(folder: Path, output: Path | None, as_json: bool) -> None:
    exported: list[dict[str, Any]] = []
    with state_of(open_manuscript(folder), salvaging=True) as found:
        notes = found.notes if found else ()
        for generation in found.generations.all() if found else []:
            assert found is not None
            exported.append(_exported(found, generation))
    if as_json:
        emit({"generations": exported})
    else:
        target = output or Path(f"{folder.resolve().name}-generations")
        _write_texts(target, exported)
        tell(say("Wrote {exported} texts to {target}.", exported=len(exported), target=target))
    if notes:
        raise StateDamaged(together(*notes))


@state.command(help=say("Copy the whole state into one file, safely, even while text streams in."))
@click.argument("folder", type=FOLDER)
@click.option("-o", "--output", type=FOLDER, default=None, help=say("The file to make."))
@click.option("--json", "as_json", is_flag=True, help=say("One JSON object."))
def backup(folder: Path, output: Path | None, as_json: bool) -> None:
    manuscript = open_manuscript(folder)
    name = f"state-{time.strftime('%Y%m%d-%H%M%S')}.db"
    target = output or locations.private(locations.state_dir(manuscript.id) / "backups") / name
    with state_of(manuscript) as found:
        if found is None:
            raise StorageError(say("Nothing was generated in this manuscript yet, so there is no state to back up."))
        if target.exists():
            raise StorageError(say("{target} is there already. Choose another name.", target=target))
        found.backup(target)
    emit({"file": str(target)}) if as_json else tell(say("The state is saved in {target}.", target=target))


def _write_texts(target: Path, exported: list[dict[str, Any]]) -> None:
    try:
        target.mkdir(mode=0o700)
        for one in exported:
            (target / f"{one['id']}.md").write_text(one["text"], encoding="utf-8")
    except OSError as error:
        sentence = say(
            "{target} cannot be made ({why}). Name another new folder with --output.", target=target, why=error.strerror
        )
        raise StorageError(sentence, detail=repr(error)) from error


def _decoder(manuscript: Manuscript) -> Callable[[Generation], Decode | None]:
    """Decodes with the model in use, where a generation was made with the same tokenizer."""
    from writer.engine.models import fingerprint, resolve
    from writer.engine.tokens import decode

    @lru_cache(maxsize=1)
    def here() -> tuple[str, Decode] | None:
        settings = settings_for(manuscript, os.environ)
        if settings.engine.kind == "scripted":
            from writer.engine.scripted_words import DIGEST, detokenize

            return DIGEST, detokenize
        try:
            folder = resolve(settings.engine.model, lambda line: None)
        except ModelUnusable:
            return None
        return fingerprint(folder).tokenizer, partial(decode, folder)

    def choose(generation: Generation) -> Decode | None:
        found = here()
        return found[1] if found and found[0] == generation.fingerprint.tokenizer else None

    return choose


def _exported(found: StateFile, generation: Generation) -> dict[str, Any]:
    saved = found.generations.load(generation.id)
    facts = asdict(generation) | {"text": saved.text, "token_ids": list(saved.token_ids)}
    return facts | {"prompt_ids": list(found.generations.generation(generation.id).prompt_ids)}
