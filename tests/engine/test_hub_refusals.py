"""A hub that says no: each kind of no is one plain sentence with the next step, and the token goes to the hub alone."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest
from fake_hub import CONFIG, HUB, WEIGHTS, FakeHub, Fault, InProcess, model_files, serving

from writer import locations
from writer.catalogue.values import HubFile, Progress
from writer.engine import downloading, home, hub, hub_token
from writer.engine.hub_call import Errand, host, online
from writer.engine.hub_files import wanted
from writer.engine.part_file import NoRoom, PartFile
from writer.errors import ModelUnusable

pytest_plugins = ["hub_fixtures"]
TOKEN = "hf_quartzlamp4711"


def errand(token: str = "") -> Errand:
    return InProcess(dict(os.environ), token)


def refusal(token: str = "", name: str = HUB) -> str:
    """What is told instead of a download."""
    with pytest.raises(ModelUnusable) as caught:
        downloading.fetch(downloading.ask(name, errand(token)), errand(token), _deaf)
    assert not home.folder_of(HUB).exists()
    assert TOKEN not in caught.value.sentence
    return caught.value.sentence


def _deaf(progress: Progress) -> None:
    """Nobody looks."""


def test_a_model_that_is_not_there(fake_hub: FakeHub) -> None:
    assert refusal(name="org/tail").startswith("127.0.0.1 has no model org/tail. Check the spelling")


@pytest.mark.parametrize("where", ["config.json", WEIGHTS])
def test_a_gated_model_names_its_page_and_the_token(fake_hub: FakeHub, where: str) -> None:
    fake_hub.plant(where, Fault(401, {"X-Error-Code": "GatedRepo"}), Fault(403, {"X-Error-Code": "GatedRepo"}))
    told = refusal()
    assert f"Accept it at {fake_hub.url}/{HUB}, then give a token of your account: in HF_TOKEN" in told
    assert "python -m keyring set writer huggingface" in told
    assert "Your token's account has not" in refusal(TOKEN)


def test_a_private_or_misspelled_model(fake_hub: FakeHub) -> None:
    fake_hub.plant("", Fault(401), Fault(401, {"X-Error-Message": "Invalid credentials in Authorization header"}))
    assert "no model org/tale that everyone may have. Check the spelling" in refusal()
    assert "refuses your token for org/tale. Make a new one" in refusal(TOKEN)


@pytest.mark.parametrize("where", ["", "config.json", WEIGHTS])
def test_too_many_requests(fake_hub: FakeHub, where: str) -> None:
    fake_hub.plant(where, Fault(429, {"Retry-After": "0"}, times=20))
    assert "asks to wait. What has come is kept" in refusal()


def test_a_hub_that_asks_to_wait_once_is_waited_for(fake_hub: FakeHub) -> None:
    fake_hub.plant(WEIGHTS, Fault(429, {"Retry-After": "0"}, times=2))
    notes: list[str] = []
    offer = downloading.ask(HUB, errand())
    downloading.fetch(offer, errand(), lambda progress: notes.append(progress.note))
    assert "The hub asks to wait a moment; trying again…" in notes


def test_a_hub_with_a_fault_of_its_own(fake_hub: FakeHub) -> None:
    fake_hub.plant(WEIGHTS, Fault(503, times=50))
    assert "has a fault of its own (HTTP 503). What has come is kept; try again later." in refusal()
    assert len(fake_hub.ranges()) == 5


def test_a_fault_that_passes_is_waited_for(fake_hub: FakeHub) -> None:
    fake_hub.plant(WEIGHTS, Fault(500, times=3))
    assert downloading.fetch(downloading.ask(HUB, errand()), errand(), _deaf).is_dir()


def test_no_network_at_all(fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(FakeHub({})) as gone:
        pass
    monkeypatch.setenv("HF_ENDPOINT", gone.url)
    assert refusal().startswith("127.0.0.1 cannot be reached (")


def test_a_server_that_is_no_hub(fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeHub, "listing", lambda self: ["a sign-in page"])
    assert "does not answer like a hub. Check HF_ENDPOINT" in refusal()


def test_a_user_who_wants_no_network_gets_none(fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert refusal() == "HF_HUB_OFFLINE is set, so nothing is downloaded. Unset it, then try again."
    assert fake_hub.asked == []


def test_a_model_that_wants_to_run_code_is_refused_before_its_weights(fake_hub: FakeHub) -> None:
    fake_hub.files["config.json"] = json.dumps({**CONFIG, "auto_map": {"AutoModel": "x.Y"}}).encode()
    assert "wants to run code of its own (auto_map)" in refusal()
    assert fake_hub.ranges() == []


@pytest.mark.parametrize("config", [b"[]", b"{", b"{" * 2_000_000])
def test_a_configuration_that_is_none(fake_hub: FakeHub, config: bytes) -> None:
    fake_hub.files["config.json"] = config
    refusal()
    assert fake_hub.ranges() == []


def test_the_disk_fills_up_on_the_way(fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "_free", lambda folder: 299_000_000)
    assert refusal().startswith("The disk has no room: ")
    monkeypatch.undo()


def test_a_full_disk_is_no_broken_connection() -> None:
    part = PartFile(Path("/dev/full"), 100, lambda folder: 10**12, lambda count: None)
    with pytest.raises(NoRoom):
        part.write(b"x")


def test_the_token_goes_to_the_hub_and_not_to_where_its_files_lie(fake_hub: FakeHub) -> None:
    with serving(FakeHub(fake_hub.files)) as elsewhere:
        fake_hub.elsewhere = elsewhere.url
        downloading.fetch(downloading.ask(HUB, errand(TOKEN)), errand(TOKEN), _deaf)
    assert {headers.get("authorization") for _, headers in fake_hub.asked} == {f"Bearer {TOKEN}"}
    assert [path for path, _ in elsewhere.asked] == [f"/blobs/{WEIGHTS}"]
    assert "authorization" not in elsewhere.asked[0][1]


def test_the_token_is_written_nowhere(
    fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch, home: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setenv("HF_DEBUG", "1")
    fake_hub.plant(WEIGHTS, Fault(drop_at=70_000))
    offer = downloading.ask(HUB, Errand(dict(os.environ)))
    folder = downloading.fetch(offer, Errand(dict(os.environ)), _deaf)
    assert {headers.get("authorization") for _, headers in fake_hub.asked} == {f"Bearer {TOKEN}"}
    root = Path(home["XDG_DATA_HOME"]).parent
    kept = [path for path in root.rglob("*") if path.is_file()]
    assert folder / WEIGHTS in kept
    assert locations.log_dir() / "hub.log" in kept
    assert [path for path in kept if TOKEN.encode() in path.read_bytes()] == []
    assert TOKEN not in "".join(capfd.readouterr())


def test_no_telemetry_goes_along(fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AI_AGENT", "quartz")
    monkeypatch.setenv("HF_HUB_USER_AGENT_ORIGIN", "quartz")
    downloading.ask(HUB, Errand(dict(os.environ)))
    assert [path for path, _ in fake_hub.asked if "/org/tale" not in path] == []
    assert all("torch" not in str(headers) and "quartz" not in str(headers) for _, headers in fake_hub.asked)


def test_the_token_comes_from_the_environment_or_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    environ = {"HF_TOKEN": TOKEN, "HUGGING_FACE_HUB_TOKEN": "other"}
    assert hub_token.take_token(environ) == TOKEN
    assert environ == {}
    monkeypatch.setitem(sys.modules, "keyring", None)  # not installed
    assert hub_token.take_token({}) == ""
    stored, errors = ModuleType("keyring"), ModuleType("keyring.errors")
    errors.KeyringError = type("KeyringError", (Exception,), {})  # type: ignore[attr-defined]
    stored.get_password = lambda service, user: f"{service}/{user}"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", stored)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    assert hub_token.take_token({}) == "writer/huggingface"

    def locked(service: str, user: str) -> str:
        raise errors.KeyringError

    stored.get_password = locked  # type: ignore[attr-defined]
    assert hub_token.take_token({}) == ""


def test_who_is_asked_is_told_by_the_environment() -> None:
    assert host({}) == "huggingface.co"
    assert host({"HF_ENDPOINT": "https://mirror.example:8443/hub"}) == "mirror.example"
    environ = online({"HF_DEBUG": "1", "WRITER_API_KEY": "k", "HTTPS_PROXY": "p"})
    assert "HF_DEBUG" not in environ
    assert "HF_ENDPOINT" not in online({"HF_ENDPOINT": ""})
    assert "WRITER_API_KEY" not in environ
    assert (environ["HTTPS_PROXY"], environ["HF_HUB_DISABLE_TELEMETRY"]) == ("p", "1")


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["config.json", "pytorch_model.bin"], "pickle files"),
        (["model-q4.gguf"], "add that file"),
        (["config.json", "original/model.safetensors", "consolidated.safetensors"], "holds no weights"),
        (["model.safetensors"], "has no config.json"),
        ([], "holds no weights"),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_is_fetched(names: list[str], told: str) -> None:
    with pytest.raises(ModelUnusable, match=told):
        wanted(HUB, [HubFile(name, 10, "a" * 40) for name in names])


@pytest.mark.parametrize(
    "name", ["../x.json", "/etc/x.json", "a/x.json", ".x.json", "x.py", "x.bin", "x.json\n", "é.json", "x.pkl"]
)
def test_names_that_lead_elsewhere_or_run_are_never_wanted(name: str) -> None:
    whole = [HubFile(each, 10, "a" * 40) for each in ("config.json", WEIGHTS)]
    assert wanted(HUB, [*whole, HubFile(name, 10, "b" * 40)]) == wanted(HUB, whole)


def test_digests_that_are_none_and_huge_small_files_are_not_wanted() -> None:
    whole = [HubFile(name, 10, "a" * 40) for name in ("config.json", WEIGHTS)]
    odd = [HubFile("a.json", 10, "../../x"), HubFile("b.json", 10**12, "b" * 40), HubFile("c.json", -1, "c" * 40)]
    assert wanted(HUB, [*whole, *odd]) == wanted(HUB, whole)


def test_the_library_is_not_loaded_where_it_is_not_needed() -> None:
    import subprocess

    code = "import sys; from writer.engine import downloading, shelf, hub; print('huggingface_hub' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_every_file_of_the_fake_model_that_is_wanted_is_one_that_writer_reads() -> None:
    names = [file.name for file in wanted(HUB, [HubFile(n, len(d), "a" * 64) for n, d in model_files().items()])]
    assert sorted(names) == ["README.md", "config.json", WEIGHTS, "tokenizer.json"]
