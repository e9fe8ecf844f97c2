"""Agents that call while one release takes the place of another, behind a real balancer."""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.services.deploy.agent import ERAS, Agent, Call
from tests.services.deploy.cluster import Replicas, balancer
from tests.services.deploy.shop import CONTRACTS, Contract
from tests.services.processes import wait_until

AGENTS = 8
CALLS = 5_000
REFUSED = {"unknown_tool", "tool_changed"}


def verdict(call: Call, release: dict[int, str]) -> str:
    """What came of a call; `wrong: ...` for what must never come of one."""
    answer = call.answer
    if answer is None:
        return "hung up"
    if answer.status == 502:
        return "lost"
    if answer.status != 200:
        return f"wrong: {answer}"
    payload, served = answer.payload, release[answer.replica]
    offered = CONTRACTS[served].get(call.tool)
    if call.loaded_from is None:
        outcome = "loaded" if offered else "unknown_tool"
        is_right = contract_of(payload) == offered
    else:
        loaded = CONTRACTS[release[call.loaded_from]][call.tool]
        outcome = "invoked" if offered == loaded else "tool_changed" if offered else "unknown_tool"
        given = {"release": served, "tool": call.tool, "received": call.arguments}
        is_right = payload == {"status": 200, "body": given}
    if outcome in REFUSED:
        is_right = payload.get("error") == outcome
    return outcome if is_right else f"wrong: {call}"


def contract_of(payload: dict[str, Any]) -> Contract | None:
    """What `load_tool` said; `None` where it said something else."""
    if "inputSchema" not in payload:
        return None
    properties = payload["inputSchema"]["properties"]
    return payload["description"], {name: schema["type"] for name, schema in properties.items()}


def outcomes(agents: list[Agent], replicas: Replicas) -> Counter[str]:
    """How often each came of a call, after the ledger has confirmed who ran what."""
    calls = [call for agent in agents for call in agent.calls]
    verdicts = [verdict(call, replicas.release) for call in calls]
    assert [text for text in verdicts if text.startswith("wrong")] == []
    refs: dict[str, set[int]] = defaultdict(set)
    for call, outcome in zip(calls, verdicts, strict=True):
        refs[outcome].add(call.ref)
    ran = Counter(int(line) for line in replicas.executed())
    assert [ref for ref, times in ran.items() if times > 1] == []
    # What was refused ran nowhere; what was answered with 502 may have run.
    assert refs["invoked"] <= ran.keys() <= refs["invoked"] | refs["lost"]
    print(dict(Counter(verdicts)))
    return Counter(verdicts)


@contextmanager
def agents_of(port: int, *, keeps_alive: bool = True) -> Iterator[list[Agent]]:
    """Agents of both eras in turn."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                closing(Agent(port, number=n, era=ERAS[n % 2], keeps_alive=keeps_alive))
            )
            for n in range(AGENTS)
        ]


@contextmanager
def at_work(agents: list[Agent]) -> Iterator[None]:
    """Let the agents call, each in a thread, while the block runs."""
    ended = threading.Event()

    def work(agent: Agent) -> None:
        while not ended.is_set():
            agent.step()

    with ThreadPoolExecutor(len(agents)) as pool:
        working = [pool.submit(work, agent) for agent in agents]
        try:
            yield
        finally:
            ended.set()
    results(working)


def results(working: list[Future[None]]) -> None:
    for future in working:
        future.result()


def called(agents: list[Agent], more: int = 300) -> None:
    """Wait until the agents have made so many more calls."""
    enough = sum(len(agent.calls) for agent in agents) + more
    wait_until(lambda: sum(len(agent.calls) for agent in agents) >= enough, within_s=60)


def test_of_5_000_calls_to_two_releases_none_is_wrong(replicas: Replicas, tmp_path: Path) -> None:
    ports = [replicas.start("v1"), replicas.start("v2")]
    with balancer(tmp_path / "nginx", ports) as nginx, agents_of(nginx.port) as agents:

        def work(agent: Agent) -> None:
            while len(agent.calls) < CALLS // AGENTS:
                agent.step()

        with ThreadPoolExecutor(AGENTS) as pool:
            results([pool.submit(work, agent) for agent in agents])
    counts = outcomes(agents, replicas)
    assert set(counts) == {"loaded", "invoked", *REFUSED}
    assert sum(counts.values()) == CALLS
    # Each outcome came to definitions of the other replica too, in both directions.
    elsewhere = Counter(
        (verdict(call, replicas.release), replicas.release[call.loaded_from])
        for agent in agents
        for call in agent.calls
        if call.loaded_from and call.answer and call.answer.replica != call.loaded_from
    )
    print(dict(elsewhere))
    assert elsewhere.keys() == {
        (outcome, release) for outcome in ("invoked", *REFUSED) for release in ("v1", "v2")
    }


@pytest.mark.parametrize("keeps_alive", [False, True], ids=["connections anew", "kept"])
def test_a_deployment_that_drains_loses_no_call(
    keeps_alive: bool, replicas: Replicas, tmp_path: Path
) -> None:
    old = [replicas.start("v1"), replicas.start("v1")]
    with (
        balancer(tmp_path / "nginx", old) as nginx,
        agents_of(nginx.port, keeps_alive=keeps_alive) as agents,
        at_work(agents),
    ):
        called(agents)
        new = [replicas.start("v2")]
        nginx.aim([old[1], *new])
        called(agents)
        replicas.stop(old[0])
        new.append(replicas.start("v2"))
        nginx.aim(new)
        called(agents)
        replicas.stop(old[1])
        called(agents)
    counts = outcomes(agents, replicas)
    # nginx closes idle connections when it reloads. A client that sends just then has no answer,
    # and nothing has run (`outcomes` checks it), so it may send the same again.
    hung_up = counts.pop("hung up", 0)
    assert hung_up <= (2 * AGENTS if keeps_alive else 0)
    assert counts.keys() == {"loaded", "invoked", *REFUSED}


@pytest.mark.parametrize("end", [Replicas.stop, Replicas.kill], ids=["stopped", "killed"])
def test_a_replica_that_leaves_unannounced_costs_at_most_what_it_was_doing(
    end: Callable[[Replicas, int], None], replicas: Replicas, tmp_path: Path
) -> None:
    old = [replicas.start("v1"), replicas.start("v1")]
    with (
        balancer(tmp_path / "nginx", old) as nginx,
        agents_of(nginx.port, keeps_alive=False) as agents,
        at_work(agents),
    ):
        called(agents)
        end(replicas, old[0])
        called(agents)
        nginx.aim([old[1], replicas.start("v2")])
        called(agents)
    counts = outcomes(agents, replicas)
    assert counts.keys() - {"lost"} == {"loaded", "invoked", *REFUSED}
    assert counts["lost"] <= AGENTS


def test_calls_that_a_killed_replica_ran_end_as_502_and_run_nowhere_else(
    replicas: Replicas, tmp_path: Path
) -> None:
    ports = [replicas.start("v1"), replicas.start("v1")]
    with (
        balancer(tmp_path / "nginx", ports) as nginx,
        agents_of(nginx.port) as agents,
        ThreadPoolExecutor(AGENTS) as pool,
    ):
        waiting = [
            pool.submit(agent.call, "invoke_tool", {"name": "wait_long", "arguments": {"ref": n}})
            for n, agent in enumerate(agents)
        ]
        started = [f"{n} waits" for n in range(AGENTS)]
        wait_until(lambda: sorted(replicas.executed()) == started)
        replicas.kill(ports[0])
        wait_until(lambda: sum(future.done() for future in waiting) == AGENTS // 2)
        ended = [future.result() for future in waiting if future.done()]
        # Those of the other replica wait on until it is killed too.
        replicas.kill(ports[1])
    assert {(answer.status, answer.replica) for answer in ended} == {(502, ports[0])}
    assert sorted(replicas.executed()) == started
