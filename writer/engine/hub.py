"""The only door to the hub: `python -m writer.engine.hub`, a process of its own, which ends with its errand.

One JSON object on the standard input says what to do; each line of the output tells what happens, the last one how it
ended. "look" asks for the list of files and the configuration; "get" fetches files, goes on where an earlier try has
stopped, and checks each. Nothing is fetched that `hub_files` does not want, and nothing fetched is run.
"""

from __future__ import annotations

import fcntl
import io
import json
import logging
import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from writer import installation
from writer.catalogue.values import HubFile
from writer.engine import hub_faults
from writer.engine.hub_faults import Asked
from writer.engine.hub_token import take_token
from writer.engine.part_file import DiskFailed, NoRoom, PartFile, TooLong, is_right
from writer.errors import ModelUnusable
from writer.language import say

PARTS, WHOLE = "parts", "whole"
_TRIES = 5  # without a single byte more
_LARGEST_CONFIG = 2**20
_OFTEN = 0.2  # seconds between two lines of progress


class Hub:
    """One model of the hub, asked by one token."""

    def __init__(self, hub: str, token: str, patience: float, endpoint: str = "") -> None:
        """`patience`: seconds before the second try; doubled before each further one. `endpoint`: "" is the usual."""
        from huggingface_hub import constants

        constants.DOWNLOAD_CHUNK_SIZE = 2**16  # progress and resuming in small steps
        self._endpoint = endpoint or constants.ENDPOINT
        host = urlsplit(self._endpoint).hostname or self._endpoint
        self.asked = Asked(host, hub, f"{self._endpoint}/{hub}", bool(token))
        self._hub, self._token, self._patience = hub, token, patience
        self._headers = {"authorization": f"Bearer {token}"} if token else {}

    def look(self) -> dict[str, Any]:
        """The list of files, the licence, the configuration. Raises ModelUnusable."""
        from huggingface_hub import HfApi

        api = HfApi(self._endpoint, token=self._token or False, library_name="writer")
        found = self._ask(lambda: api.model_info(self._hub, files_metadata=True, timeout=30))
        files = [_listed(each) for each in found.siblings or ()]
        config = next((file for file in files if file["name"] == "config.json"), None)
        text = self._small("config.json", found.sha or "main") if config else b"{}"
        card = found.card_data.to_dict() if found.card_data else {}
        licence = str(card.get("license_name") or card.get("license") or "")
        facts = {"revision": found.sha, "licence": licence, "gated": bool(found.gated), "files": files}
        return {**facts, "config": text.decode("utf-8", "replace")}

    def _small(self, name: str, revision: str) -> bytes:
        """A small file, in memory."""
        into = _Limited()
        self._ask(lambda: self._transfer(name, revision, into, 0, None))
        return into.getvalue()

    def get(self, file: HubFile, revision: str, path: Path, grown: Callable[[int], None]) -> None:
        """Fetch the rest of a file into `path` until it is right. Raises ModelUnusable, NoRoom."""
        part = PartFile(path, file.size, _free, grown)
        try:
            for _ in range(2):  # once more from the beginning, if what came is wrong
                if self._fetch(file, revision, part) and is_right(path, file):
                    return
                part.begin_anew()
        finally:
            part.close()
        raise ModelUnusable(hub_faults.damaged(self.asked, file.name))

    def _fetch(self, file: HubFile, revision: str, part: PartFile) -> bool:
        """Whether all of it has come. Goes on after each cut, as long as something comes."""
        from huggingface_hub.errors import HfHubHTTPError, HTTPError

        idle = 0
        while True:
            before = part.length
            try:
                self._transfer(file.name, revision, part, before, file.size)
                return True
            except TooLong:
                return False
            except HfHubHTTPError as error:
                status = _status(error)
                if status == 416 or (status == 200 and part.length):
                    return False
                if status < 500:
                    raise self._refused(error) from None
                reason = self._refused(error).sentence
            except (HTTPError, OSError) as error:
                reason = hub_faults.unreachable(self.asked, str(error) or type(error).__name__)
            idle = 0 if part.length > before else idle + 1
            if idle >= _TRIES:
                raise ModelUnusable(reason)
            _say({"event": "waiting", "note": say("The connection was cut; trying again…")})
            time.sleep(self._patience * 2**idle)

    def _transfer(self, name: str, revision: str, into: Any, start: int, size: int | None) -> None:
        from huggingface_hub import hf_hub_url
        from huggingface_hub.file_download import http_get

        url = hf_hub_url(self._hub, name, revision=revision, endpoint=self._endpoint)
        headers = {**self._headers, "Accept-Encoding": "identity"}
        # a start that fails is ours to repeat: it is told, and counted
        http_get(url, into, resume_size=start, headers=headers, expected_size=size, _nb_retries=0)

    def _ask(self, call: Callable[[], Any]) -> Any:
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, HTTPError

        try:
            return call()
        except HfHubHTTPError as error:
            raise self._refused(error) from None
        except HFValidationError:
            sentence = say(
                "{host} knows no names like {hub}. Check its spelling.", host=self.asked.host, hub=self.asked.hub
            )
            raise ModelUnusable(sentence) from None
        except (HTTPError, OSError) as error:
            detail = str(error) or type(error).__name__
            raise ModelUnusable(hub_faults.unreachable(self.asked, detail)) from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:  # no hub: another kind of server answers
            sentence = say(
                "{host} does not answer like a hub. Check HF_ENDPOINT and the network's sign-in page.",
                host=self.asked.host,
            )
            raise ModelUnusable(sentence, detail=repr(error)) from None

    def _refused(self, error: Any) -> ModelUnusable:
        from huggingface_hub.errors import GatedRepoError

        code = error.response.headers.get("X-Error-Code", "")
        gated = isinstance(error, GatedRepoError)
        return ModelUnusable(hub_faults.refused(self.asked, _status(error), code, gated=gated))


class _Limited(io.BytesIO):
    """A configuration of gigabytes is none."""

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > _LARGEST_CONFIG:
            raise ValueError("too long")
        return super().write(data)


class _Fetching:
    """Tells how far all files together are."""

    def __init__(self, done: int) -> None:
        self.done, self._told = done, 0.0

    def grown(self, count: int) -> None:
        self.done += count
        if time.monotonic() - self._told >= _OFTEN:
            self.tell()

    def tell(self) -> None:
        self._told = time.monotonic()
        _say({"event": "progress", "done": self.done})


def get_all(hub: Hub, files: list[HubFile], revision: str, place: Path) -> None:
    """Every file, right, in `place`/whole under its digest. Raises ModelUnusable, NoRoom, OSError."""
    parts, whole = place / PARTS, place / WHOLE
    for folder in (parts, whole):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (place / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sentence = say("Another window downloads {hub} already. Wait for it, then try again.", hub=hub.asked.hub)
            raise ModelUnusable(sentence) from None
        missing = [file for file in files if not _is_there(whole / file.digest, file)]
        fetching = _Fetching(there(files, place))
        for file in missing:
            hub.get(file, revision, parts / file.digest, fetching.grown)
            (parts / file.digest).rename(whole / file.digest)
        fetching.tell()


def there(files: list[HubFile], place: Path) -> int:
    """Bytes of these files that have come."""
    places = ((place / WHOLE / file.digest, place / PARTS / file.digest) for file in files)
    return sum(next((path.stat().st_size for path in pair if path.is_file()), 0) for pair in places)


def _is_there(path: Path, file: HubFile) -> bool:
    """It was checked before it got this place."""
    return path.is_file() and path.stat().st_size == file.size


def _listed(each: Any) -> dict[str, Any]:
    large = getattr(each, "lfs", None)
    digest = large.sha256 if large else each.blob_id
    size = large.size if large else each.size
    return {"name": each.rfilename, "size": -1 if size is None else size, "digest": digest or ""}


def _status(error: Any) -> int:
    return int(error.response.status_code)


def _free(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def _say(fact: dict[str, Any]) -> None:
    print(json.dumps(fact), flush=True)  # noqa: T201  (the protocol with the parent process)


class _Waits(logging.Handler):
    """The library waits by itself when it is asked to; its words may hold addresses, so they are not passed on."""

    def emit(self, record: logging.LogRecord) -> None:
        if "Trying to resume" in record.msg:
            _say({"event": "waiting", "note": say("The connection was cut; trying again…")})
        elif "Retrying in" in record.msg or "Rate limited" in record.msg:
            _say({"event": "waiting", "note": say("The hub asks to wait a moment; trying again…")})


def perform(errand: dict[str, Any], token: str) -> int:
    """Exit code 0, or 1 after a line that tells the error."""
    waits = _Waits()
    logging.getLogger("huggingface_hub").addHandler(waits)
    try:
        _do(errand, token)
    except ModelUnusable as error:
        return _failed(error.sentence)
    except NoRoom:
        return _failed("", full=True)
    except ImportError as error:
        return _failed(
            say(
                'Downloading needs the Python package "{error}". Run "{command}".',
                error=error.name,
                command=installation.pip("install", str(error.name)),
            )
        )
    except BrokenPipeError:  # nobody listens any more
        os._exit(1)
    except (OSError, DiskFailed) as error:
        why = getattr(error, "strerror", None) or error
        return _failed(say("The download could not be written: {why}. Correct that, then try again.", why=why))
    except Exception:  # the library's own; the log gets the traceback
        traceback.print_exc()
        return _failed(
            say("The download failed in a way that writer does not know. The reason is in its log, hub.log.")
        )
    finally:
        logging.getLogger("huggingface_hub").removeHandler(waits)
    return 0


def _do(errand: dict[str, Any], token: str) -> None:
    hub = Hub(errand["hub"], token, errand.get("patience", 1.0), errand.get("endpoint", ""))
    if errand["op"] == "look":
        _say({"event": "found", **hub.look()})
        return
    files = [HubFile(each["name"], each["size"], each["digest"]) for each in errand["files"]]
    get_all(hub, files, errand["revision"], Path(errand["place"]))
    _say({"event": "done"})


def _failed(sentence: str, **more: bool) -> int:
    _say({"event": "error", "sentence": " ".join(sentence.split()), **more})
    return 1


if __name__ == "__main__":
    os.umask(0o077)
    sys.stdout = os.fdopen(os.dup(1), "w", encoding="utf-8")  # our lines keep the pipe
    os.dup2(2, 1)  # whatever libraries print goes to stderr
    raise SystemExit(perform(json.loads(sys.stdin.readline()), take_token(os.environ)))
