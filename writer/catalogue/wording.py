"""Models in plain words, for the commands and the app alike."""

from __future__ import annotations

from writer.catalogue.values import Fit, Listed, Machine, Progress, Shelved, Suggestion, Weights, gigabytes
from writer.language import say
from writer.text.sanitise import one_line

_PLACES = {
    "small": say("comes with writer"),
    "downloaded": say("downloaded by writer"),
    "converted": say("made by writer from a GGUF file"),
    "cache": say("in the hub's cache"),
    "folder": say("a folder of yours"),
    "unfinished": say("not complete"),
}


def machine_words(machine: Machine) -> str:
    """What there is to write with."""
    if not machine.total:
        return say("{machine} does not tell its memory.", machine=machine.name)
    kind = say("memory") if machine.device == "cpu" else say("GPU memory")
    return say(
        "{machine}: {free} of {total} {kind} are free.",
        machine=machine.name,
        free=gigabytes(machine.free),
        total=gigabytes(machine.total),
        kind=kind,
    )


def weights_words(weights: Weights) -> str:
    """ "16.4 GB, bf16, context 32,768" """
    parts = [gigabytes(weights.size), weights.quantisation]
    if weights.context:
        parts.append(say("context {context:,}", context=weights.context))
    return say(", ").join(parts)


def fit_words(fit: Fit) -> str:
    """Whether it fits, and with how much text."""
    if not fit.fits:
        return say("does not fit: {why}", why=fit.why)
    step = say(" and sets {memory} of memory aside for it", memory=gigabytes(fit.room)) if fit.room else ""
    room = say("(needs {needed} of {available})", needed=gigabytes(fit.needed), available=gigabytes(fit.available))
    return say("fits, with {context:,} tokens of text{step} {room}", step=step, context=fit.context, room=room)


def shelved_words(each: Shelved) -> str:
    """A model on this machine, in a line."""
    parts = [each.name + (say(" (in use)") if each.chosen else ""), _PLACES[each.place]]
    if each.weights:
        parts.append(weights_words(each.weights))
    elif each.size:
        parts.append(
            say("{size} so far", size=gigabytes(each.size)) if each.place == "unfinished" else gigabytes(each.size)
        )
    parts.append(say("licence {licence}", licence=each.licence) if each.licence else "")
    parts.append(each.trouble or (fit_words(each.fit) if each.fit else ""))
    return " · ".join(one_line(part, 300) for part in parts if part)


def listed_words(model: Listed) -> str:
    """Licence and languages, as the model's own page tells them."""
    languages = say("many languages") if "*" in model.languages else " ".join(model.languages)
    gate = say(", to be accepted on its page first") if model.gated else ""
    return say("licence {licence}{gate} · {languages}", licence=model.licence, gate=gate, languages=languages)


def suggestion_words(each: Suggestion) -> tuple[str, ...]:
    """A suggestion, in two lines, and a third for what is to be known of it."""
    first = f"{each.variant.hub} · {weights_words(each.variant.weights)} · {fit_words(each.fit)}"
    second = say(
        "{model}, {parameters:g} billion parameters · {form}",
        model=each.model.name,
        parameters=each.model.parameters,
        form=listed_words(each.model),
    )
    return (first, second, *((each.model.note,) if each.model.note else ()))


def progress_words(progress: Progress) -> str:
    """ "3.2 GB of 16.4 GB · 41 MB/s · 5 min 20 s left" """
    parts = [say("{done} of {total}", done=gigabytes(progress.done), total=gigabytes(progress.total))]
    if progress.note:
        return f"{parts[0]} · {progress.note}"
    if progress.speed:
        parts.append(f"{progress.speed / 1e6:,.1f} MB/s")
    if progress.left is not None:
        parts.append(say("{left} left", left=duration(progress.left)))
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """ "5 min 20 s" """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return say("{minutes} min {seconds} s", minutes=whole // 60, seconds=whole % 60)
    return say("{hours} h {minutes} min", hours=whole // 3600, minutes=whole % 3600 // 60)
