"""What ever leaves this machine, and to whom: said, so that nobody has to trust that it is nothing."""

from __future__ import annotations

from collections.abc import Mapping

from writer.config import EngineSettings
from writer.doctor.finding import Finding
from writer.engine.hub_call import host, is_offline
from writer.language import say, together
from writer.text.sanitise import one_line


def findings(settings: EngineSettings, environ: Mapping[str, str]) -> list[Finding]:
    """Asks nobody: it reads settings and variables."""
    texts = say("Your texts go to {url} when it writes.", url=one_line(settings.url, 200)) if settings.url else ""
    if is_offline(environ):
        return [
            Finding(say("Network"), "ok", together(texts, say("No model is downloaded: the environment forbids it.")))
        ]
    named = one_line(host(environ), 100)
    rule = say(
        'Only "writer models add NAME", or a download in the app, goes out for a model: to {named}.', named=named
    )
    return [Finding(say("Network"), "ok", together(texts, rule))]
