"""An agent over a real connection, of either era, that keeps book of what it was answered."""

from __future__ import annotations

import http.client
import itertools
import json
import random
from dataclasses import dataclass, field
from typing import Any

from sezzlee_py.mcp.revisions import LATEST
from tests.endpoint.drive import modern_request
from tests.services.deploy.shop import NAMES

ERAS = ("2025-06-18", LATEST)
VALUES = {"integer": 7, "number": 7.5, "string": "tea"}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One HTTP answer through the proxy; `payload` is what an agent reads of a 200."""

    status: int
    replica: int
    headers: dict[str, str]
    body: bytes

    @property
    def payload(self) -> Any:
        result = json.loads(self.body)["result"]
        return json.loads(result["content"][0]["text"])


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call with what it was about; `loaded_from` is the replica that gave the definition."""

    tool: str
    answer: Answer | None
    ref: int = 0
    arguments: dict[str, Any] = field(default_factory=dict)
    loaded_from: int | None = None


class Lost(Exception):  # noqa: N818 - an outcome
    """The connection ended without an answer."""


class Agent:
    """Loads and invokes the shop's tools at random, with a new `ref` for each invocation."""

    def __init__(
        self, port: int, *, number: int = 0, era: str = LATEST, keeps_alive: bool = True
    ) -> None:
        self._keeps_alive = keeps_alive
        self._era = era
        self._draw = random.Random(number)
        self._refs = itertools.count(number * 1_000_000 + 1)
        self._loaded: dict[str, tuple[int, dict[str, Any]]] = {}
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.calls: list[Call] = []

    def close(self) -> None:
        self._connection.close()

    def ask(self, method: str, params: dict[str, Any]) -> Answer:
        """Send one request and return its answer."""
        body, headers = request_of(method, params, self._era)
        try:
            self._connection.request("POST", "/mcp", json.dumps(body), headers)
            response = self._connection.getresponse()
            content = response.read()
            if not self._keeps_alive:
                self._connection.close()
        except (http.client.HTTPException, OSError) as fault:
            self._connection.close()
            raise Lost from fault
        fields = {name.lower(): value for name, value in response.getheaders()}
        replica = fields.get("x-replica", "").rpartition(":")[2]
        return Answer(
            status=response.status,
            replica=int(replica) if replica.isdecimal() else 0,
            headers=fields,
            body=content,
        )

    def call(self, meta_tool: str, arguments: dict[str, Any]) -> Answer:
        return self.ask("tools/call", {"name": meta_tool, "arguments": arguments})

    def _answered(self, meta_tool: str, arguments: dict[str, Any]) -> Answer | None:
        try:
            return self.call(meta_tool, arguments)
        except Lost:
            return None

    def step(self) -> None:
        """Load a tool, or invoke one that is loaded; of what was refused the definition goes."""
        name = self._draw.choice(NAMES)
        if name in self._loaded and self._draw.random() < 0.8:
            self._invoke(name)
        else:
            self._load(name)

    def _load(self, name: str) -> None:
        answer = self._answered("load_tool", {"name": name})
        self.calls.append(Call(tool=name, answer=answer))
        if answer is not None and answer.status == 200 and "error" not in answer.payload:
            self._loaded[name] = answer.replica, answer.payload

    def _invoke(self, name: str) -> None:
        loaded_from, definition = self._loaded[name]
        ref = next(self._refs)
        properties = definition["inputSchema"]["properties"]
        arguments = {key: VALUES[schema["type"]] for key, schema in properties.items()}
        arguments["ref"] = ref
        given = {"name": name, "arguments": arguments, "version": definition["version"]}
        answer = self._answered("invoke_tool", given)
        call = Call(tool=name, answer=answer, ref=ref, arguments=arguments, loaded_from=loaded_from)
        self.calls.append(call)
        is_refused = answer is not None and answer.status == 200 and "error" in answer.payload
        # Half do as they are told and load it again; the others keep what they have.
        if is_refused and self._draw.random() < 0.5:
            del self._loaded[name]


def request_of(
    method: str, params: dict[str, Any], era: str = LATEST
) -> tuple[dict[str, Any], dict[str, str]]:
    """Return body and headers of a request, as a client of an era sends them."""
    accepted = {"accept": "application/json, text/event-stream"}
    if era == LATEST:
        body, headers = modern_request(method, params)
        return body, headers | accepted
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    headers = {"content-type": "application/json", "mcp-protocol-version": era}
    return body, headers | accepted
