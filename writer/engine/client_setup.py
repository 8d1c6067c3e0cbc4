"""How a vLLM server is reached, and what it says of itself: address, transport, facts, errors as sentences."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx

from writer.engine.base import EngineFacts
from writer.engine.patience import NONE, Patience, PatientClient
from writer.engine.refusing import refused
from writer.engine.unreachable import UNREACHABLE, unreachable
from writer.errors import EngineDied, EngineError, PromptTooLong, RequestRefused
from writer.generation.model import Fingerprint
from writer.text.sanitise import one_line

# A read may take as long as a prefill: whoever waits for tokens decides when silence is death.
TIMEOUT = httpx.Timeout(connect=5.0, read=None, write=30.0, pool=5.0)
SHORT = httpx.Timeout(connect=5.0, read=30.0, write=30.0, pool=5.0)
_LIMITS = httpx.Limits(keepalive_expiry=4.0)  # the server closes idle connections after 5 s
_USUAL_BLOCK = 16  # vLLM's on a GPU, if the server does not tell
_BLOCK_SIZE = re.compile(r'^vllm:cache_config_info\{(?:.*,)?block_size="(\d+)"', re.MULTILINE)


class NotVllm(RequestRefused):
    """The server answers, and not as vLLM does. Perhaps it can go on by text (by_text.py)."""


def open_client(socket: Path | None, url: str, api_key: str, patience: Patience = NONE) -> httpx.AsyncClient:
    """A client for a Unix socket, or for "http://…", "https://…" or "http+unix://%2Fpath…". Connects to nothing yet."""
    headers = _authorization(api_key.strip())
    base = "http://engine"
    if socket is None:
        socket, base = _address(url)
    base = base.rstrip("/").removesuffix("/v1")
    if socket is not None:
        # Without TLS on a socket, loading the machine's certificates would only cost start-up time.
        transport = httpx.AsyncHTTPTransport(uds=str(socket), limits=_LIMITS, verify=False)
        return PatientClient(patience, transport=transport, base_url=base, headers=headers, timeout=TIMEOUT)
    local = urlsplit(base).hostname in ("localhost", "127.0.0.1", "::1")
    options = {"base_url": base, "headers": headers, "timeout": TIMEOUT, "limits": _LIMITS, "trust_env": not local}
    return PatientClient(patience, verify=_trusted(base), **options)


def _trusted(base: str) -> ssl.SSLContext | bool:
    """Whose certificates count: those of SSL_CERT_FILE if it is set, else the usual ones, and this machine's own."""
    if not base.startswith("https:"):
        return False  # loading them would only cost start-up time
    try:
        context = httpx.create_ssl_context()
        context.load_default_certs()
    except (OSError, ValueError) as error:
        what = f"SSL_CERT_FILE or SSL_CERT_DIR names no certificates ({one_line(str(error), 80)})."
        raise EngineError(f"{what} Correct it, then try again.") from None
    return context


def hush(loop: asyncio.AbstractEventLoop) -> None:
    """Keeps one known complaint out of the log: the transport's wake-up for a read that was given up meanwhile."""

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if not isinstance(context.get("exception"), asyncio.InvalidStateError):
            loop.default_exception_handler(context)

    if loop.get_exception_handler() is None:
        loop.set_exception_handler(handle)


def _authorization(api_key: str) -> dict[str, str]:
    if not (api_key.isascii() and api_key.isprintable()):
        raise EngineError("WRITER_API_KEY has characters that no key can have. Correct it, then start again.")
    return {"Authorization": f"Bearer {api_key}"} if api_key else {}


def _address(url: str) -> tuple[Path | None, str]:
    """The socket, if it is one, and the base address. Raises EngineError."""
    try:
        parts = urlsplit(url)
        if parts.scheme == "http+unix" and parts.netloc:
            return Path(unquote(parts.netloc)), "http://engine" + parts.path
        if parts.scheme in ("http", "https") and httpx.URL(url).host and parts.port != 0:
            return None, url
    except (ValueError, httpx.InvalidURL):
        pass
    raise EngineError(f'"{one_line(url)}" is not an address. Write engine.url as http://…, https://… or http+unix://…')


def require_open(http: httpx.AsyncClient) -> None:
    """Raises EngineDied if this connection was given up: its engine has died, and another one has taken its place."""
    if http.is_closed:
        raise EngineDied(UNREACHABLE, detail="the connection was given up")


async def call(
    http: httpx.AsyncClient, method: str, path: str, body: Any = None, *, timeout: httpx.Timeout = SHORT
) -> Any:
    """One short request; its JSON, or its text if that is what comes. Raises EngineDied or RequestRefused."""
    require_open(http)
    try:
        try:
            response = await http.request(method, path, json=body, timeout=timeout)
        except httpx.RemoteProtocolError:  # a pooled connection that the server closed at that very moment
            response = await http.request(method, path, json=body, timeout=timeout)
    except httpx.HTTPError as error:
        raise unreachable(http, error) from None
    if response.status_code != 200:
        raise refused(response)
    if "json" not in response.headers.get("content-type", ""):
        return response.text
    try:
        return response.json()
    except ValueError:
        raise EngineDied(UNREACHABLE, detail=f"not JSON from {path}") from None


def too_long(prompt: int, window: int) -> PromptTooLong:
    """The sentence for a prompt that leaves no room in the window. Both in tokens."""
    return PromptTooLong(
        f"The prompt has {prompt:,} tokens, but the model's window holds {window:,} with room for at least one more. "
        "Shorten the chapter, or choose a model with a larger window."
    )


async def read_facts(
    http: httpx.AsyncClient, served_name: str, model_folder: Path | None, device: str, fingerprint: Fingerprint
) -> EngineFacts:
    """What the server says of itself. `fingerprint.engine` adds what only its launcher knows (dtype, runner)."""
    model = _choose(await call(http, "GET", "/v1/models"), served_name)
    version = await _if_told(http, "/version")
    metrics = await _if_told(http, "/metrics")
    block = _BLOCK_SIZE.search(metrics) if isinstance(metrics, str) else None
    name = f"vllm {version['version']}" if isinstance(version, dict) and "version" in version else "vllm"
    engine = " ".join(filter(None, (name, device, fingerprint.engine)))
    known_as = fingerprint.model or f"served:{model['id']} {model.get('root') or ''}".strip()
    return EngineFacts(
        model=model["id"],
        version=name,
        device=device,
        window=model["max_model_len"],
        block_size=int(block[1]) if block else _USUAL_BLOCK,
        fingerprint=Fingerprint(known_as, fingerprint.tokenizer, engine),
        model_folder=model_folder,
        word_control="v1" in fingerprint.engine.split(),  # the runner that our launcher gives the plugin to
        can_sleep=device == "gpu",
        tells_cost=device != "remote",  # by plugin/writer_costs.py
        aligned=not (device == "gpu" or "float32" in fingerprint.engine.split()),  # where plain is exact too
    )


async def _if_told(http: httpx.AsyncClient, path: str) -> Any:
    """The answer; None if the server, or a proxy before it, keeps it to itself."""
    try:
        return await call(http, "GET", path)
    except RequestRefused:
        return None


def _choose(answer: Any, served_name: str) -> Mapping[str, Any]:
    """The entry of /v1/models that we speak to."""
    listed = answer.get("data") if isinstance(answer, dict) else None
    models = [m for m in listed or () if isinstance(m, dict) and isinstance(m.get("max_model_len"), int)]
    wanted: list[dict[str, Any]] = [m for m in models if not served_name or m.get("id") == served_name]
    if wanted:
        return wanted[0]
    if models:
        raise RequestRefused(
            f'The server does not serve "{served_name}" but "{models[0].get("id")}". Correct the settings.'
        )
    raise NotVllm("The server is not a vLLM server, which writer needs to resume exactly. Correct engine.url.")
