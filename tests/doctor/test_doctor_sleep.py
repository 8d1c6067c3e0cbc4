"""What the doctor says of the machine's sleep, read from the files of machines that are played."""

from __future__ import annotations

from pathlib import Path

import pytest

from writer.doctor import sleep
from writer.doctor.finding import Finding
from writer.doctor.sleep import SleepFacts

GB = 10**9
KEPT = "PreserveVideoMemoryAllocations: 1\n"
LOST = 'PreserveVideoMemoryAllocations: 0\nUseKernelSuspendNotifiers: 0\nTemporaryFilePath: ""\n'
SERVICES = frozenset({"nvidia-suspend", "nvidia-resume", "nvidia-hibernate"})


def look(parameters: str, services: frozenset[str] | None = SERVICES, free: int | None = 99 * GB) -> list[Finding]:
    return sleep.findings(SleepFacts(parameters, services=services, free=free), 24 * GB)


@pytest.mark.parametrize(
    ("parameters", "state"),
    [
        (KEPT, "ok"),
        ("PreserveVideoMemoryAllocations: 0\nUseKernelSuspendNotifiers: 1\n", "ok"),
        (LOST, "warn"),
        ("", "ok"),
    ],
)
def test_whether_the_gpu_keeps_its_memory(parameters: str, state: str) -> None:
    assert [found.state for found in look(parameters)] == [state]


def test_what_to_set_is_told_to_the_letter() -> None:
    (found,) = look(LOST)
    assert "options nvidia NVreg_PreserveVideoMemoryAllocations=1 NVreg_TemporaryFilePath=/var/tmp" in found.next_step
    assert "/etc/modprobe.d/nvidia-sleep.conf" in found.next_step
    assert "sudo systemctl enable nvidia-suspend nvidia-resume" in found.next_step
    assert "systemctl" not in look(LOST, services=None)[0].next_step


def test_the_setting_alone_is_not_enough_where_systemd_does_not_start_the_services() -> None:
    (found,) = look(KEPT, services=frozenset({"nvidia-resume"}))
    assert (found.state, "nvidia-suspend will not run" in found.sentence) == ("warn", True)
    assert look(KEPT, services=None)[0].state == "ok"
    assert look(LOST.replace("Notifiers: 0", "Notifiers: 1"), services=frozenset())[0].state == "ok"


def test_a_folder_that_is_too_small_for_the_gpus_memory_is_told() -> None:
    _, found = look(KEPT, free=3 * GB)
    assert (found.subject, found.state) == ("Room for sleep", "warn")
    assert "up to 24.0 GB, into /tmp: 3.0 GB are free" in found.sentence
    assert len(look(KEPT, free=None)) == 1


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """The files of a laptop whose driver keeps the GPU's memory."""
    files = {
        "proc/driver/nvidia/params": 'Mobile: 0\nPreserveVideoMemoryAllocations: 1\nTemporaryFilePath: "/var/tmp"\n',
        "sys/power/state": "freeze mem disk\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    for folder in ("var/tmp", "run/systemd/system", "etc/systemd/system/systemd-suspend.service.requires"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("nvidia-suspend.service", "nvidia-resume.service"):
        (tmp_path / "etc/systemd/system/systemd-suspend.service.requires" / name).symlink_to(f"/usr/lib/{name}")
    return tmp_path


def test_the_files_of_a_laptop_are_read(machine: Path) -> None:
    facts = sleep.read(machine)
    assert facts.sleeps
    assert facts.services == {"nvidia-suspend", "nvidia-resume"}
    assert facts.folder == "/var/tmp"
    assert facts.free is not None
    assert [found.state for found in sleep.findings(facts, 1)] == ["ok"]


def test_a_machine_that_cannot_sleep_is_not_warned(machine: Path) -> None:
    state = machine / "sys/power/state"
    for states in ("", "\n", "standby\n"):  # a server in a data centre tells nothing there
        state.write_text(states)
        assert not sleep.read(machine).sleeps
    (found,) = sleep.findings(SleepFacts(LOST, sleeps=False), 1)
    assert (found.state, found.sentence) == ("ok", "This machine does not sleep.")
    state.unlink()
    assert sleep.read(machine).sleeps


def test_without_systemd_no_services_are_asked_for(machine: Path) -> None:
    (machine / "run/systemd/system").rmdir()
    assert sleep.read(machine).services is None


def test_this_machine_can_be_read() -> None:
    found = sleep.findings(sleep.read(), 1)
    assert all(each.sentence.endswith(".") and bool(each.next_step) == (each.state != "ok") for each in found)
