"""A download from a hub that misbehaves: what arrives is right, what is wrong is told, what has come is kept."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conditions import wait_until
from fake_hub import HUB, REVISION, WEIGHTS, FakeHub, Fault, InProcess, model_files

from writer.catalogue.ports import CalledOff
from writer.catalogue.values import Offer, Progress
from writer.engine import downloading, home, hub, models
from writer.engine.hub_call import Errand
from writer.errors import ModelUnusable

pytest_plugins = ["hub_fixtures"]
BIG, CHUNK = 3_000_000, 2**16
FETCHED = {"config.json", "tokenizer.json", "README.md", WEIGHTS}


def errand() -> Errand:
    return InProcess(dict(os.environ))


def download(report: Callable[[Progress], None] = lambda progress: None) -> Path:
    """All of it, as the command does it."""
    return downloading.fetch(downloading.ask(HUB, errand()), errand(), report)


def part(offer: Offer) -> Path:
    """Where the weights grow."""
    (digest,) = (file.digest for file in offer.files if file.name == WEIGHTS)
    return home.unfinished_of(HUB) / "parts" / digest


def sentence(call: Callable[[], object]) -> str:
    with pytest.raises(ModelUnusable) as caught:
        call()
    assert "\n" not in caught.value.sentence
    return caught.value.sentence


def test_a_model_arrives_whole_and_nothing_else_of_it(fake_hub: FakeHub) -> None:
    seen: list[Progress] = []
    offer = downloading.ask(HUB, Errand(dict(os.environ)))
    folder = downloading.fetch(offer, Errand(dict(os.environ)), seen.append)
    assert {path.name for path in folder.iterdir()} == FETCHED | {home.MARKER}
    assert all((folder / name).read_bytes() == fake_hub.files[name] for name in FETCHED)
    said = home.note(folder)
    assert (said["hub"], said["revision"], said["licence"]) == (HUB, REVISION, "apache-2.0")
    assert said["files"][WEIGHTS] == [len(fake_hub.files[WEIGHTS]), hashlib.sha256(fake_hub.files[WEIGHTS]).hexdigest()]
    assert models.resolve(HUB, lambda line: None) == folder.resolve()
    total = sum(len(fake_hub.files[name]) for name in FETCHED)
    assert (seen[-1].done, seen[-1].total) == (total, total)
    assert not home.unfinished_of(HUB).exists()
    assert {path.stat().st_mode & 0o077 for path in folder.iterdir()} == {0}


def test_what_it_is_is_told_before_its_weights_are_asked_for(fake_hub: FakeHub) -> None:
    offer = downloading.ask(HUB, errand())
    assert (offer.licence, offer.gated, offer.have) == ("apache-2.0", False, 0)
    assert (offer.weights.quantisation, offer.weights.kv_values, offer.weights.context) == ("bf16", 64, 4096)
    assert offer.weights.size == len(fake_hub.files[WEIGHTS])
    assert fake_hub.ranges() == []


def test_a_second_time_nothing_is_fetched(fake_hub: FakeHub) -> None:
    folder = download()
    fetched = len(fake_hub.ranges())
    assert download() == folder
    assert len(fake_hub.ranges()) == fetched


def test_a_kill_at_any_point_costs_little_and_the_bytes_are_right(fake_hub: FakeHub) -> None:
    fake_hub.files = model_files(BIG)
    points = random.Random(7).sample(range(BIG), 10)
    offer = downloading.ask(HUB, errand())
    for point in points:
        killed = Errand(dict(os.environ))

        def kill(start: int, sent: int, killed: Errand = killed) -> None:
            wait_until(lambda: part(offer).stat().st_size >= start + (sent - start) // CHUNK * CHUNK)
            os.kill(killed.pid, signal.SIGKILL)

        fake_hub.plant(WEIGHTS, Fault(at=point, hook=kill))
        assert "What has come is kept" in sentence(lambda killed=killed: downloading.fetch(offer, killed, _deaf))
        assert not home.folder_of(HUB).exists()
    folder = download()
    assert hashlib.sha256((folder / WEIGHTS).read_bytes()).digest() == hashlib.sha256(fake_hub.files[WEIGHTS]).digest()
    resumed = [int(each.removeprefix("bytes=").rstrip("-")) for each in fake_hub.ranges() if each]
    assert len(resumed) == 10
    assert resumed == sorted(resumed)  # nothing that had come was asked for again
    assert resumed[-1] > max(points) - CHUNK - 20_000


def _deaf(progress: Progress) -> None:
    """Nobody looks."""


def test_a_connection_that_is_cut_again_and_again_goes_on(fake_hub: FakeHub) -> None:
    cuts = (50_000, 100_000, 150_000, 199_999)
    fake_hub.plant(WEIGHTS, *(Fault(drop_at=at) for at in cuts))
    notes: list[str] = []
    folder = download(lambda progress: notes.append(progress.note))
    assert (folder / WEIGHTS).read_bytes() == fake_hub.files[WEIGHTS]
    assert any("was cut; trying again" in note for note in notes)
    assert [each for each in fake_hub.ranges() if each] != []


def test_a_connection_that_brings_nothing_is_given_up(fake_hub: FakeHub) -> None:
    fake_hub.plant(WEIGHTS, Fault(drop_at=0, times=50))
    assert "127.0.0.1 cannot be reached" in sentence(download)
    assert len(fake_hub.ranges()) == 5


def test_an_answer_that_ends_early_is_completed(fake_hub: FakeHub) -> None:
    fake_hub.plant(WEIGHTS, Fault(end_at=70_000))
    assert (download() / WEIGHTS).read_bytes() == fake_hub.files[WEIGHTS]


def test_a_server_without_ranges_sends_it_all_again(fake_hub: FakeHub) -> None:
    fake_hub.plant(WEIGHTS, Fault(drop_at=150_000), Fault(no_ranges=True))
    assert (download() / WEIGHTS).read_bytes() == fake_hub.files[WEIGHTS]


def test_a_corrupted_chunk_is_noticed_and_fetched_again(fake_hub: FakeHub) -> None:
    fake_hub.plant(WEIGHTS, Fault(corrupt_at=123_456))
    assert (download() / WEIGHTS).read_bytes() == fake_hub.files[WEIGHTS]
    assert fake_hub.ranges() == ["", ""]


def test_what_is_corrupt_twice_is_erased_and_told(fake_hub: FakeHub) -> None:
    fake_hub.plant(WEIGHTS, Fault(corrupt_at=123_456, times=2))
    assert f"sends {WEIGHTS} with other bytes than it names" in sentence(download)
    assert not home.folder_of(HUB).exists()
    assert (download() / WEIGHTS).read_bytes() == fake_hub.files[WEIGHTS]


def test_a_small_file_is_checked_too(fake_hub: FakeHub) -> None:
    fake_hub.plant("tokenizer.json", Fault(corrupt_at=0, times=2))
    assert "tokenizer.json with other bytes" in sentence(download)


@pytest.mark.parametrize("lie", [-1000, 1000])
def test_a_size_that_is_a_lie_is_told(fake_hub: FakeHub, lie: int) -> None:
    fake_hub.sizes[WEIGHTS] = len(fake_hub.files[WEIGHTS]) + lie
    assert f"{WEIGHTS} with other bytes than it names" in sentence(download)
    assert not home.folder_of(HUB).exists()


def test_more_than_was_announced_never_reaches_the_disk(fake_hub: FakeHub) -> None:
    fake_hub.plant(WEIGHTS, Fault(longer=5_000_000, times=2))
    assert "other bytes than it names" in sentence(download)
    assert home.size_of(home.unfinished_of(HUB)) < len(fake_hub.files[WEIGHTS]) * 1.5


def test_a_new_revision_keeps_what_has_not_changed(fake_hub: FakeHub) -> None:
    fake_hub.plant(WEIGHTS, Fault(drop_at=100_000), Fault(drop_at=0, times=50))
    sentence(download)
    fake_hub.faults.clear()
    fake_hub.asked.clear()
    fake_hub.files["README.md"] = b"---\nlicense: mit\n---\n"
    assert (download() / "README.md").read_bytes() == fake_hub.files["README.md"]
    assert fake_hub.ranges()[0].startswith("bytes=")


def test_a_disk_without_room_is_told_before(fake_hub: FakeHub) -> None:
    offer = downloading.ask(HUB, errand())
    fake_hub.asked.clear()
    told = sentence(lambda: downloading.fetch(offer, errand(), _deaf, free=lambda folder: 300_000_000))
    assert told.startswith("The disk has no room: 0 MB are still to come, 300 MB are free.")
    assert fake_hub.asked == []


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Models go to a disk of 1 MB; the call gives it another size."""
    place = tmp_path / "tiny"
    place.mkdir()

    def mount(*words: str) -> bool:
        return subprocess.run(["mount", *words, str(place)], capture_output=True, check=False).returncode == 0

    if os.geteuid() != 0 or not mount("-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs"):
        pytest.skip("only root may make a disk")
    monkeypatch.setenv("XDG_DATA_HOME", str(place))
    yield lambda size: mount("-o", f"remount,size={size}") or pytest.fail("no other size")
    subprocess.run(["umount", str(place)], check=True)


def test_a_disk_that_fills_up_keeps_what_has_come(
    fake_hub: FakeHub, tiny: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "_free", lambda folder: 10**12)  # else it stops long before the end
    fake_hub.files = model_files(BIG)
    offer = downloading.ask(HUB, errand())
    told = sentence(lambda: downloading.fetch(offer, errand(), _deaf, free=lambda folder: 10**12))
    assert told.startswith("The disk has no room: 2 MB are still to come")
    come = part(offer).stat().st_size
    assert come > 500_000
    tiny("20m")
    folder = downloading.fetch(offer, errand(), _deaf, free=lambda folder: 10**12)
    assert (folder / WEIGHTS).read_bytes() == fake_hub.files[WEIGHTS]
    assert fake_hub.ranges()[-1] == f"bytes={come}-"


def test_cancelled_it_stops_at_once_and_goes_on_later(fake_hub: FakeHub) -> None:
    offer = downloading.ask(HUB, errand())
    going, reached, release = Errand(dict(os.environ)), threading.Event(), threading.Event()

    def stuck(start: int, sent: int) -> None:
        wait_until(lambda: part(offer).stat().st_size >= CHUNK)
        reached.set()
        release.wait(60)

    fake_hub.plant(WEIGHTS, Fault(at=100_000, hook=stuck))
    ended: list[BaseException] = []

    def run() -> None:
        try:
            downloading.fetch(offer, going, _deaf)
        except CalledOff as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert reached.wait(60)
    going.cancel()
    thread.join(60)
    release.set()
    assert len(ended) == 1
    with pytest.raises(CalledOff):
        going.run({}, lambda fact: None)
    assert downloading.fetch(offer, errand(), _deaf).is_dir()
    assert fake_hub.ranges()[-1] != ""


def test_two_windows_do_not_download_into_each_other(fake_hub: FakeHub) -> None:
    offer = downloading.ask(HUB, errand())
    reached, release = threading.Event(), threading.Event()
    fake_hub.plant(WEIGHTS, Fault(at=100_000, hook=lambda start, sent: (reached.set(), release.wait(60))))
    first = threading.Thread(target=downloading.fetch, args=(offer, Errand(dict(os.environ)), _deaf))
    first.start()
    assert reached.wait(60)
    told = sentence(lambda: downloading.fetch(offer, errand(), _deaf))
    release.set()
    first.join(60)
    assert told.startswith(f"Another window downloads {HUB} already.")
    wait_until(lambda: (home.folder_of(HUB) / WEIGHTS).is_file(), what="the first one ends")


def test_a_damaged_copy_is_replaced(fake_hub: FakeHub) -> None:
    folder = download()
    (folder / WEIGHTS).write_bytes(b"short")
    assert download() == folder
    assert (folder / WEIGHTS).read_bytes() == fake_hub.files[WEIGHTS]


def test_a_note_that_lies_about_sizes_changes_nothing(fake_hub: FakeHub) -> None:
    folder = download()
    (folder / home.MARKER).write_text(json.dumps({"revision": REVISION, "files": [1]}))
    assert download() == folder
