"""Models in plain words, for the commands and the app alike."""

from __future__ import annotations

from writer.catalogue.values import Fit, Listed, Machine, Progress, Shelved, Suggestion, Weights, gigabytes
from writer.text.sanitise import one_line

_PLACES = {
    "small": "comes with writer",
    "downloaded": "downloaded by writer",
    "converted": "made by writer from a GGUF file",
    "cache": "in the hub's cache",
    "folder": "a folder of yours",
    "unfinished": "not complete",
}


def machine_words(machine: Machine) -> str:
    """What there is to write with."""
    if not machine.total:
        return f"{machine.name} does not tell its memory."
    kind = "memory" if machine.device == "cpu" else "GPU memory"
    return f"{machine.name}: {gigabytes(machine.free)} of {gigabytes(machine.total)} {kind} are free."


def weights_words(weights: Weights) -> str:
    """ "16.4 GB, bf16, context 32,768" """
    parts = [gigabytes(weights.size), weights.quantisation]
    if weights.context:
        parts.append(f"context {weights.context:,}")
    return ", ".join(parts)


def fit_words(fit: Fit) -> str:
    """Whether it fits, and with how much text."""
    if not fit.fits:
        return f"does not fit: {fit.why}"
    step = f", if {fit.step} is set" if fit.step else ""
    room = f"(needs {gigabytes(fit.needed)} of {gigabytes(fit.available)})"
    return f"fits{step}, with {fit.context:,} tokens of text {room}"


def shelved_words(each: Shelved) -> str:
    """A model on this machine, in a line."""
    parts = [each.name + (" (in use)" if each.chosen else ""), _PLACES[each.place]]
    if each.weights:
        parts.append(weights_words(each.weights))
    elif each.size:
        parts.append(f"{gigabytes(each.size)} so far" if each.place == "unfinished" else gigabytes(each.size))
    parts.append(f"licence {each.licence}" if each.licence else "")
    parts.append(each.trouble or (fit_words(each.fit) if each.fit else ""))
    return " · ".join(one_line(part, 300) for part in parts if part)


def listed_words(model: Listed) -> str:
    """Licence and languages, as the model's own page tells them."""
    languages = "many languages" if "*" in model.languages else " ".join(model.languages)
    gate = ", to be accepted on its page first" if model.gated else ""
    return f"licence {model.licence}{gate} · {languages}"


def suggestion_words(each: Suggestion) -> tuple[str, ...]:
    """A suggestion, in two lines, and a third for what is to be known of it."""
    first = f"{each.variant.hub} · {weights_words(each.variant.weights)} · {fit_words(each.fit)}"
    second = f"{each.model.name}, {each.model.parameters:g} billion parameters · {listed_words(each.model)}"
    return (first, second, *((each.model.note,) if each.model.note else ()))


def progress_words(progress: Progress) -> str:
    """ "3.2 GB of 16.4 GB · 41 MB/s · 5 min 20 s left" """
    parts = [f"{gigabytes(progress.done)} of {gigabytes(progress.total)}"]
    if progress.note:
        return f"{parts[0]} · {progress.note}"
    if progress.speed:
        parts.append(f"{progress.speed / 1e6:,.1f} MB/s")
    if progress.left is not None:
        parts.append(f"{duration(progress.left)} left")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """ "5 min 20 s" """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
