"""A bus whose server is not there: nobody waits for it, and a process ends as ever."""

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import pytest

from sezzlee_py.toolkit import Change, ChangeBus
from sezzlee_py.toolkit.replicas import ChangeKind
from sezzlee_redis import RedisBus
from sezzlee_redis.server import PerProcess
from sezzlee_redis.stream import change_of, fields_of


def url_of_nobody() -> str:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return f"redis://:s3cret@127.0.0.1:{listening.getsockname()[1]}"


def test_the_bus_is_one_a_host_could_have_written() -> None:
    assert isinstance(RedisBus("redis://localhost", prefix="shop"), ChangeBus)


def test_no_thread_runs_before_something_is_said_or_heard() -> None:
    before = threading.active_count()
    RedisBus(url_of_nobody(), prefix="shop")
    assert threading.active_count() == before


_TALKS = """
import sys
from sezzlee_py.toolkit import Change
from sezzlee_redis import RedisBus

bus = RedisBus(sys.argv[1], prefix="shop")
end = bus.listen(print)
for number in range(3_000):
    bus.publish(Change(kind="drop_tag", argument=f"user:{number}"))
print("published", flush=True)
"""


def test_a_process_that_talks_to_nobody_ends_by_itself_and_tells_each_fault_once() -> None:
    began = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-c", _TALKS, url_of_nobody()],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, "published\n")
    told = sorted(line.partition(" (")[0].partition(" ")[2] for line in run.stderr.splitlines())
    assert told == [
        "takes no changes; they wait here for the other processes",
        "tells no changes; those of other processes are heard later",
    ]
    assert "s3cret" not in run.stderr
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("kind", ["reloaded", "drop_scope", "drop_tag", "clear"])
def test_an_entry_is_read_as_it_was_written(kind: ChangeKind) -> None:
    change = Change(kind=kind, argument="user:1", origin="somebody")
    assert change_of(fields_of(change)) == change


def test_a_tag_that_no_text_can_carry_forgets_everybody() -> None:
    change = Change(kind="drop_tag", argument="user:\ud800", origin="somebody")
    assert change_of(fields_of(change)) == replace(change, kind="clear", argument="")


@pytest.mark.parametrize(
    "fields",
    [
        *({}, {"kind": "moved", "id": "1"}, {"kind": "clear", "id": ""}),
        {"kind": "drop_tag", "argument": "user:1", "id": "1" * 65},
    ],
    ids=range(4),
)
def test_an_entry_that_cannot_be_read_forgets_everybody(fields: dict[str, str]) -> None:
    change = change_of(fields)
    assert (change.kind, change.origin, len(change.id)) == ("clear", "", 32)


@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_each_process_has_its_own() -> None:
    made = PerProcess(lambda: os.getpid())
    first, second = os.pipe()
    assert made() == made() == os.getpid()
    if (child := os.fork()) == 0:
        os.write(second, str(made()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert int(os.read(first, 32)) == child
    os.close(first)
    os.close(second)


class Babbler:
    """Something that answers whatever it is asked with numbers, and hears what that is."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listening.getsockname()[1]}"
        self._heard: Counter[bytes] = Counter()
        self._more = threading.Condition()
        threading.Thread(target=self._accept, daemon=True).start()

    def hears(self, command: bytes, *, times: int) -> bool:
        with self._more:
            return self._more.wait_for(lambda: self._heard[command] >= times, 20)

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._babble, args=(connection,), daemon=True).start()

    def _babble(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            while asked := connection.recv(65_536):
                with self._more:
                    self._heard.update(re.findall(rb"\b[A-Z]{4}\b", asked))
                    self._more.notify_all()
                connection.sendall(b":5\r\n" * len(re.findall(rb"\*\d+\r\n", asked)))


def test_a_server_that_answers_nonsense_ends_neither_hearing_nor_telling() -> None:
    server = Babbler()
    bus = RedisBus(server.url, prefix="shop")
    end = bus.listen(lambda change: None)
    bus.publish(Change(kind="clear"))
    # Asked again after the first answer.
    assert server.hears(b"XADD", times=2)
    assert server.hears(b"INFO", times=2)
    end()
    server.close()
