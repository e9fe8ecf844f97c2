"""What every adapter owes, as one class of tests over one small API.

An author of an adapter spells the API of `contract_api` in the framework, subclasses
`AdapterContract`, and has pytest run it. `Journal` is how the API tells the tests what happened
inside.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from sezzlee_py.catalog.adapter import Adapter
from sezzlee_py.options import Options
from sezzlee_py.testing.agent_client import AgentClient
from sezzlee_py.testing.contract_api import INPUTS, ITEMS, NAMED, TYPES, Journal

ADA = {"authorization": "Bearer ada"}


class AdapterContract:
    """Discovery, naming, dispatch, identity, errors, budgets, deadlines and visibility hooks.

    A subclass makes the API and mounts the endpoint; what that framework alone does it adds as
    tests of its own.
    """

    def make_app(self, journal: Journal) -> Any:
        """Return a new application with the API, without an endpoint."""
        raise AssertionError("spell the API in the framework")

    def mount(self, app: Any, options: Options) -> Any:
        """Mount the endpoint at `/mcp` and return what the framework's `mount_mcp` returns."""
        raise AssertionError("call the framework's mount_mcp")

    def adapter(self, app: Any) -> Adapter:
        """Return the adapter of an application."""
        raise AssertionError("make the adapter")

    def add_route(self, app: Any, path: str, handler: Callable[[], Any]) -> None:
        """Add a GET route to an application that is complete."""
        raise AssertionError("add a route as late as the framework lets one")

    # --- helpers --------------------------------------------------------------------------------

    def agent(
        self, journal: Journal | None = None, headers: dict[str, str] | None = None, **options: Any
    ) -> AgentClient:
        """Return an agent's client for a new application."""
        app = self.make_app(journal or Journal())
        self.mount(app, Options(**options))
        return AgentClient(app, headers=headers)

    def catalog(self) -> Any:
        """Return the catalog of a new application."""
        return self.mount(self.make_app(Journal()), Options()).build()

    # --- discovery and naming -------------------------------------------------------------------

    def test_every_declared_operation_is_one_tool_with_its_route(self) -> None:
        tools = {tool.name: (tool.method, tool.route) for tool in self.catalog().tools}
        assert tools == ITEMS | NAMED

    def test_nothing_but_the_declared_is_reported_or_dropped(self) -> None:
        found = {d.code for d in self.catalog().diagnostics}
        allowed = {"route_folded", "synthetic_body_argument", "undeclared_body"}
        assert found <= allowed | {"optional_body_argument"}

    def test_one_function_on_two_routes_is_one_tool_that_names_the_other(self) -> None:
        (tool,) = (t for t in self.catalog().tools if t.name == "all_items")
        assert tool.alternate_routes == ("/everything",)

    def test_inputs_travel_where_the_operation_reads_them(self) -> None:
        tools = {tool.name: tool for tool in self.catalog().tools}
        found = {
            name: {slot.argument: (slot.location, slot.required) for slot in tools[name].slots}
            for name in INPUTS
        }
        assert found == INPUTS

    def test_inputs_have_the_types_that_the_operation_takes(self) -> None:
        tools = {tool.name: tool for tool in self.catalog().tools}
        found = {
            (name, argument): tools[name].input_schema["properties"][argument].get("type")
            for name, argument in TYPES
        }
        assert found == TYPES

    def test_tools_carry_description_tags_hints_and_where_they_are_written(self) -> None:
        tools = {tool.name: tool for tool in self.catalog().tools}
        read, remove, old = tools["read_item"], tools["remove_item"], tools["old"]
        assert read.description == "Read one item."
        assert read.tags == ("items",)
        assert dict(read.annotations) == {"readOnlyHint": True, "idempotentHint": True}
        assert dict(remove.annotations) == {"destructiveHint": True, "idempotentHint": True}
        assert read.source is not None
        assert read.source.endswith("read_item")
        assert isinstance(read.line, int)
        assert (old.deprecated, read.deprecated) == (True, False)

    def test_two_builds_of_one_application_are_equal(self) -> None:
        first, second = self.catalog(), self.catalog()
        assert [(t.name, t.version) for t in first.tools] == [
            (t.name, t.version) for t in second.tools
        ]

    def test_everything_is_offered_where_the_host_says_so_but_what_is_ignored_and_its_own(
        self,
    ) -> None:
        app = self.make_app(Journal())
        sezzlee = self.mount(app, Options(selection={"default": "include"}))
        routes = {(tool.method, tool.route) for tool in sezzlee.build().tools}
        expected = {*ITEMS.values(), *NAMED.values(), ("GET", "/undeclared"), ("GET", "/users/me")}
        assert routes == expected

    def test_a_late_route_is_there_after_a_reload(self) -> None:
        app = self.make_app(Journal())
        sezzlee = self.mount(app, Options(selection={"default": "include"}))
        before = sezzlee.build()

        def late() -> dict[str, str]:
            """Come late."""
            return {}

        self.add_route(app, "/late", late)
        after = sezzlee.reload()
        assert (before.generation, after.generation) == (1, 2)
        routes = {tool.route for tool in after.tools} - {tool.route for tool in before.tools}
        assert routes == {"/late"}

    # --- the router -----------------------------------------------------------------------------

    def test_the_adapter_resolves_what_the_router_picks(self) -> None:
        app = self.make_app(Journal())
        adapter = self.adapter(app)
        keys = {
            (op.descriptor.method, op.descriptor.route): op.descriptor.endpoint_key
            for op in adapter.discover().operations
        }
        asked = {
            ("GET", "/items/7"): ("GET", "/items/{item_id}"),
            ("DELETE", "/items/7"): ("DELETE", "/items/{item_id}"),
            ("GET", "/users/ada"): ("GET", "/users/{name}"),
            ("GET", "/users/me"): ("GET", "/users/me"),
            ("GET", "/tree/a/b"): ("GET", "/tree/{where}"),
            ("GET", "/everything"): ("GET", "/everything"),
        }
        found = {request: adapter.resolve(*request) for request in asked}
        assert found == {request: keys[operation] for request, operation in asked.items()}
        assert adapter.resolve("GET", "/nowhere/at/all") is None

    def test_no_argument_leads_to_another_route(self) -> None:
        journal = Journal()
        hostile = (
            "me",
            "../items",
            "a/b",
            "%2e%2e",
            ".",
            "..",
            "",
            "a?x=1#y",
            "a\\b",
            "é",
            "a%2Fb",
        )
        with self.agent(journal) as agent:
            answers = {name: agent.invoke("user", {"name": name}) for name in hostile}
        reached = {name for name, answer in answers.items() if "error" not in answer}
        assert all(answers[name]["body"] == {"name": name} for name in reached)
        assert {"%2e%2e", "a?x=1#y", "é", "a%2Fb"} <= reached
        assert not {"me", "../items", "a/b", ".", "..", ""} & reached
        assert journal.notes == []

    # --- dispatch -------------------------------------------------------------------------------

    def test_values_arrive_as_they_were_written(self) -> None:
        with self.agent() as agent:
            calls = {
                "list_items": ({"limit": 3}, {"limit": 3}),
                "read_item": ({"item_id": 7, "verbose": True}, {"item_id": 7, "verbose": True}),
                "create_item": ({"name": "é&=+ %", "price": 1.5}, {"name": "é&=+ %", "price": 1.5}),
                "items_get_counter": ({}, {"method": "GET"}),
                "items_bulk": ({"body": [1, 2, 3]}, {"sum": 6}),
                "tree": ({"where": "a b/c/é"}, {"where": "a b/c/é"}),
                "form": ({"name": "é&=+ %"}, {"name": "é&=+ %", "color": None}),
                "upload": (
                    {"attachment": {"text": "hello é", "name": "a.txt"}},
                    {"name": "a.txt", "text": "hello é"},
                ),
            }
            answers = {name: agent.invoke(name, given) for name, (given, _) in calls.items()}
        bodies = {name: answer.get("body") for name, answer in answers.items()}
        assert bodies == {name: expected for name, (_, expected) in calls.items()}
        assert answers["create_item"]["status"] == 201

    def test_an_answer_without_a_body_is_a_success(self) -> None:
        with self.agent() as agent:
            assert agent.invoke("remove_item", {"item_id": 1}) == {"status": 204}

    def test_a_redirect_is_told_and_not_followed(self) -> None:
        with self.agent() as agent:
            answer = agent.invoke("away")
        assert answer["status"] in (302, 303, 307)
        assert answer["location"].endswith("/elsewhere")

    def test_arguments_that_fit_nothing_are_refused_before_the_application(self) -> None:
        with self.agent() as agent:
            codes = {
                agent.invoke("read_item", {"item_id": 7, "verbos": True})["error"],
                agent.invoke("read_item", {"id": 7})["error"],
            }
            wrong = agent.invoke("read_item", {"item_id": "seven"})
        assert codes == {"unknown_argument"}
        assert wrong["error"] == "invalid_path_type" or wrong["error"] == "invalid_type"

    # --- identity -------------------------------------------------------------------------------

    def test_only_carriers_and_the_connection_reach_the_application(self) -> None:
        sent = {
            **ADA,
            "cookie": "session=outer",
            "x-api-key": "k",
            "x-forwarded-for": "198.51.100.7",
            "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "mcp-session-id": "s",
            "range": "bytes=0-1",
        }
        with self.agent(headers=sent) as agent:
            echoed = agent.invoke("echo")["body"]
        headers = echoed["headers"]
        assert headers.pop("user-agent").startswith("sezzlee_py/")
        assert headers == {
            "host": "127.0.0.1",
            "authorization": "Bearer ada",
            "accept": "application/json",
            "traceparent": sent["traceparent"],
        }
        assert echoed["address"] == "127.0.0.1"

    def test_carriers_are_what_the_host_names(self) -> None:
        carriers = {"carriers": ("cookie", "x-api-key")}
        with self.agent(
            headers={**ADA, "cookie": "a=1", "x-api-key": "k"}, identity=carriers
        ) as agent:
            headers = agent.invoke("echo")["body"]["headers"]
        assert (headers["cookie"], headers["x-api-key"]) == ("a=1", "k")
        assert "authorization" not in headers

    def test_a_cookie_that_a_call_sets_reaches_nobody(self) -> None:
        with self.agent() as agent:
            answer = agent.invoke("login")
            raw = agent.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})
        assert answer["status"] == 200
        assert "cookie" not in json.dumps(answer)
        assert "set-cookie" not in raw.headers

    def test_what_the_outer_request_left_in_its_context_is_not_seen_inside(self) -> None:
        with self.agent(headers=ADA) as agent:
            befores = [agent.invoke("echo")["body"]["before"] for _ in range(3)]
        assert befores == [None, None, None]

    def test_callers_at_once_are_never_mixed_up(self) -> None:
        wrong: list[Any] = []
        with self.agent() as agent:

            def call(number: int) -> None:
                user = f"Bearer {number}"
                answer = agent.invoke("echo", headers={"authorization": user})
                if answer["body"]["headers"]["authorization"] != user:
                    wrong.append(answer)

            callers = [threading.Thread(target=call, args=(number,)) for number in range(40)]
            for caller in callers:
                caller.start()
            for caller in callers:
                caller.join()
        assert wrong == []

    # --- errors, budgets, deadlines -------------------------------------------------------------

    def test_a_fault_of_the_application_is_coded_and_tells_nothing(self) -> None:
        with self.agent() as agent:
            for _ in range(2):
                answer = agent.invoke("fail")
                assert (answer["error"], answer["status"]) == ("backend_error", 500)
                assert "hunter2" not in json.dumps(answer)
            assert agent.invoke("list_items")["status"] == 200

    def test_refusals_of_the_application_keep_their_meaning(self) -> None:
        with self.agent() as agent:
            assert agent.invoke("conflict")["error"] == "conflict"
            assert agent.invoke("private")["error"] == "forbidden"
            invalid = agent.invoke("items_bulk", {"body": ["no number"]})
        assert invalid["error"] in ("validation_failed", "bad_request")

    def test_an_answer_over_the_budget_is_refused_whole(self) -> None:
        with self.agent() as agent:
            answer = agent.invoke("big")
        assert answer["error"] == "response_too_large"

    def test_a_stream_without_an_end_is_cut_off_and_closed(self) -> None:
        journal = Journal()
        with self.agent(journal, invoke={"max_response_bytes": 2_000}) as agent:
            assert agent.invoke("endless")["error"] == "response_too_large"
            assert journal.closed.wait(10)

    def test_a_deadline_frees_the_agent_and_cancels_the_call(self) -> None:
        journal = Journal()
        limits = {"timeout_ms": 50, "cancel_grace_ms": 0}
        with self.agent(journal, invoke=limits) as agent:
            answer = agent.invoke("slow")
            assert (answer["error"], answer["retryable"]) == ("invoke_timeout", True)
            assert journal.started.is_set()
            assert journal.cancelled.wait(10)
            assert agent.invoke("list_items")["status"] == 200

    # --- visibility -----------------------------------------------------------------------------

    def test_a_marked_operation_is_shown_by_what_the_host_says_of_the_caller(self) -> None:
        def identity(caller: Any) -> str:
            return "present" if "authorization" in caller.headers else "absent"

        def evaluate_policy(policy: str, caller: Any) -> str:
            return "allow" if caller.headers["authorization"] == "Bearer clerk" else "deny"

        hooks = {"identity": identity, "evaluate_policy": evaluate_policy}
        with self.agent(visibility=hooks) as agent:
            shown = {
                user: "error" not in agent.load("private", headers=headers)
                for user, headers in {
                    "nobody": {},
                    "customer": {"authorization": "Bearer customer"},
                    "clerk": {"authorization": "Bearer clerk"},
                }.items()
            }
            hidden, missing = agent.load("private"), agent.load("missing!")
            assert shown == {"nobody": False, "customer": False, "clerk": True}
            assert str(hidden).replace("private", "missing!") == str(missing)
            # Hiding is no refusal: the application itself answers a call.
            assert agent.invoke("private")["error"] == "forbidden"

    def test_what_no_operation_declares_is_shown_as_uncertain(self) -> None:
        with self.agent() as agent:
            assert agent.load("echo")["authUncertain"] is True
