"""Proves a state file: order and checksums of every batch, the prompts' hashes, and the text against its token ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from writer.errors import StorageError
from writer.generation.model import Generation
from writer.generation.sampling import thinking_of
from writer.generation.thinking import beyond
from writer.language import say
from writer.storage.codec import prompt_key
from writer.storage.state_file import StateFile
from writer.text.sanitise import from_model

Decode = Callable[[Sequence[int]], str]


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found of one generation. `problem` is "" if nothing is wrong; `decoded` says whether ids met text."""

    generation: str
    tokens: int
    decoded: bool
    problem: str = ""


def check(state: StateFile, decoder: Callable[[Generation], Decode | None]) -> list[Checked]:
    """Checks every generation. `decoder` gives the function that turns its ids into text, or None if its model
    is not here."""
    return [_check_one(state, found.id, decoder) for found in state.generations.all()]


def _check_one(state: StateFile, identity: str, decoder: Callable[[Generation], Decode | None]) -> Checked:
    try:
        generation = state.generations.generation(identity)
        saved = state.generations.load(identity)
    except StorageError as error:
        return Checked(identity, 0, False, error.sentence)
    if prompt_key(generation.prompt_ids) != state.generations.prompt_of(identity):
        return Checked(identity, len(saved.token_ids), False, say("The stored prompt does not match its checksum."))
    decode = decoder(generation)
    if decode is None:
        return Checked(identity, len(saved.token_ids), False)
    # Decoded after its prompt, as the engine did: some tokenizers treat the first token of a text differently.
    after = beyond(generation, saved)  # a thought says nothing in the text
    if not after.offset and thinking_of(generation.sampling):
        problem = say("The saved text is not what its token ids say.") if saved.text else ""
        return Checked(identity, len(saved.token_ids), True, problem)
    before = from_model(decode(after.prompt_ids))
    whole = from_model(decode((*after.prompt_ids, *after.saved.token_ids)))
    # A character may be unfinished at the end of the ids: it is not shown before it is whole.
    if whole.startswith(before) and whole[len(before) :].startswith(saved.text):
        return Checked(identity, len(saved.token_ids), True)
    return Checked(identity, len(saved.token_ids), True, say("The saved text is not what its token ids say."))
