"""What ever leaves this machine, and to whom: said, so that nobody has to trust that it is nothing."""

from __future__ import annotations

from collections.abc import Mapping

from writer.config import EngineSettings
from writer.doctor.finding import Finding
from writer.engine.hub_call import host, is_offline
from writer.text.sanitise import one_line


def findings(settings: EngineSettings, environ: Mapping[str, str]) -> list[Finding]:
    """Asks nobody: it reads settings and variables."""
    texts = f"Your texts go to {one_line(settings.url, 200)} when it writes. " if settings.url else ""
    if is_offline(environ):
        return [Finding("Network", "ok", f"{texts}No model is downloaded: the environment forbids it.")]
    named = one_line(host(environ), 100)
    rule = f'Only "writer models add NAME", or a download in the app, goes out for a model: to {named}.'
    return [Finding("Network", "ok", texts + rule)]
