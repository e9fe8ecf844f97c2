"""Every option is checked the moment it is set, and a refusal names its path."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import pytest

from sezzlee_py import OMIT, Arg, Constant, CurationRule, Options, SelectionRule, Severity
from sezzlee_py.callers.store import MemoryStore
from sezzlee_py.errors import OptionsError
from sezzlee_py.option_section import Section
from sezzlee_py.options import SelectionOptions


class _Opaque:
    def __repr__(self) -> str:
        return "<opaque>"


OPAQUE = _Opaque()

# One value that each option refuses, and what the message says of it after the path.
REFUSED: dict[str, tuple[Any, str]] = {
    "selection.default": ("all", "expected one of 'include', 'exclude', got 'all'"),
    "selection.rules": ([("/a", "GET")], "expected a list of SelectionRule, got [('/a', 'GET')]"),
    "naming.prefix": ("orders", "expected a callable, got 'orders'"),
    "naming.prefix_mode": ("never", "expected one of 'always', 'on_collision', got 'never'"),
    "naming.on_collision": ("number", "expected one of 'route', 'error', got 'number'"),
    "tags": (["orders"], "expected a callable, got ['orders']"),
    "search_terms": ("order", "expected a callable, got 'order'"),
    "schema.drop_read_only": ("yes", "expected True or False, got 'yes'"),
    "schema.max_depth": (0, "expected a whole number of at least 1, got 0"),
    "schema.type_name": ("Order", "expected a callable, got 'Order'"),
    "schema.type_shape": ({}, "expected a callable, got {}"),
    "query.grouping": ("grouped", "expected one of 'flat', 'group', got 'grouped'"),
    "query.parses": ("brackets", "expected one of 'bracket', 'dot', got 'brackets'"),
    "curation.rules": ([OPAQUE], "expected a list of CurationRule, got [<opaque>]"),
    "fills": ({"tenant": "t1"}, "expected a mapping of names to callables, got {'tenant': 't1'}"),
    "families": ([OPAQUE], "expected a mapping of names to callables, got [<opaque>]"),
    "invoke.max_response_bytes": (0, "expected a whole number of at least 1, got 0"),
    "invoke.timeout_ms": (1.5, "expected a whole number of at least 0, got 1.5"),
    "invoke.max_response_bytes_for": (10, "expected a callable, got 10"),
    "invoke.timeout_ms_for": (10, "expected a callable, got 10"),
    "invoke.forward_html": (1, "expected True or False, got 1"),
    "invoke.max_inline_file_bytes": (-1, "expected a whole number of at least 0, got -1"),
    "invoke.max_file_bytes": (True, "expected a whole number of at least 0, got True"),
    "invoke.cancel_grace_ms": ("5s", "expected a whole number of at least 0, got '5s'"),
    "errors.recognize": (["problem"], "expected a list of callables, got ['problem']"),
    "errors.mapper": ("plain", "expected a callable, got 'plain'"),
    "search.ranker": (
        OPAQUE,
        "expected an object with a rank method, a class or a factory of one, got <opaque>",
    ),
    "search.floor": ("half", "expected a number from 0 to 1, got 'half'"),
    "search.floor_scope": ("all", "expected one of 'query', 'tool', got 'all'"),
    "search.exact_name_first": (None, "expected True or False, got None"),
    "search.ranker_timeout_ms": (-1, "expected a whole number of at least 0, got -1"),
    "search.on_ranker_failure": ("skip", "expected one of 'fallback', 'error', got 'skip'"),
    "search.tag_vocabulary_limit": (-1, "expected a whole number of at least 0, got -1"),
    "visibility.unknown": ("deny", "expected one of 'show', 'hide', got 'deny'"),
    "visibility.restricted": ("show", "expected one of 'hide', 'name', got 'show'"),
    "visibility.evaluate_policy": ("allow", "expected a callable, got 'allow'"),
    "visibility.identity": ("me", "expected a callable, got 'me'"),
    "visibility.probe": ("on", "expected True or False, got 'on'"),
    "visibility.probe_top_k": (-1, "expected a whole number of at least 0, got -1"),
    "visibility.probe_concurrency": (0, "expected a whole number of at least 1, got 0"),
    "visibility.probe_values": ({1: 2}, "expected a mapping with string keys, got {1: 2}"),
    "cache.lifetime_ms": (-1, "expected a whole number of at least 0, got -1"),
    "cache.max_callers": (0, "expected a whole number of at least 1, got 0"),
    "cache.store": (
        OPAQUE,
        "expected an object with the methods get, set, drop_scope, drop_tag, clear, got <opaque>",
    ),
    "replicas.bus": (
        OPAQUE,
        "expected an object with the methods publish, listen, got <opaque>",
    ),
    "replicas.reload": ("yes", "expected True or False, got 'yes'"),
    "cache.scope_resolver": ("sub", "expected a callable, got 'sub'"),
    "identity.carriers": (["x y"], "expected a list of header names, got ['x y']"),
    "identity.project": ({}, "expected a callable, got {}"),
    "identity.carry_context": (["tenant"], "expected a list of ContextVar, got ['tenant']"),
    "identity.cookies": ("session", "expected a list of strings, got 'session'"),
    "identity.environ": ([""], "expected a list of strings, got ['']"),
    "dispatch_app": ("app", "expected a callable, got 'app'"),
    "files.resolver": ("s3", "expected a callable, got 's3'"),
    "files.ref_description": ("", "expected a text that is not blank, got ''"),
    "transport.path": ("mcp", "expected a path that starts with '/' and does not end with one"),
    "transport.title": (" ", "expected a text that is not blank, got ' '"),
    "transport.instructions": (["Sell."], "expected a text that is not blank, got ['Sell.']"),
    "transport.listing": ("all", "expected one of 'search', 'direct', got 'all'"),
    "transport.allowed_origins": ("*", "expected a list of strings, got '*'"),
    "transport.allowed_hosts": (7, "expected a list of strings, got 7"),
    "transport.max_request_bytes": (0, "expected a whole number of at least 1, got 0"),
    "resource_server.metadata": ("url", "expected a mapping with string keys, got 'url'"),
    "resource_server.challenge_scope": (7, "expected a text that is not blank, got 7"),
    "diagnostics.escalate": (
        {"long_tool_name": "loud"},
        "'long_tool_name' needs a severity, one of 'fatal', 'endpointDropped', 'warning', 'info'",
    ),
    "diagnostics.downgrade": (
        {"long_tool_nam": "info"},
        "'long_tool_nam' is not a diagnostic code; did you mean 'long_tool_name'?",
    ),
    "diagnostics.silence": (["name_collision"], "'name_collision' is fatal; only warnings can be"),
}


def _paths(kind: type[Section], above: str = "") -> Iterator[str]:
    for name, value in vars(kind()).items():
        path = f"{above}{name}"
        if isinstance(value, Section):
            yield from _paths(type(value), f"{path}.")
        else:
            yield path


def _options(**values: Any) -> Options:
    return Options(**values)


def test_every_option_has_a_value_that_it_refuses() -> None:
    assert set(REFUSED) == set(_paths(Options))


@pytest.mark.parametrize("path", REFUSED)
def test_a_wrong_value_is_refused_with_its_path_whichever_way_it_is_set(path: str) -> None:
    value, said = REFUSED[path]
    *section, name = path.split(".")
    with pytest.raises(OptionsError) as by_constructor:
        Options(**({section[0]: {name: value}} if section else {name: value}))
    options = Options()
    with pytest.raises(OptionsError) as by_attribute:
        setattr(getattr(options, section[0]) if section else options, name, value)
    assert str(by_constructor.value) == str(by_attribute.value)
    assert str(by_constructor.value).startswith(f"options.{path}: {said}")


@pytest.mark.parametrize(
    "path",
    [
        *("invoke.timeout_ms", "invoke.cancel_grace_ms"),
        *("search.ranker_timeout_ms", "cache.lifetime_ms"),
    ],
)
def test_a_time_has_an_end_that_locks_and_clocks_can_count(path: str) -> None:
    section, name = path.split(".")
    year_ms = 31_536_000_000
    assert getattr(getattr(_options(**{section: {name: year_ms}}), section), name) == year_ms
    for more in (year_ms + 1, 10**400):
        with pytest.raises(OptionsError, match=r"expected no more than a year, which has 31536000"):
            _options(**{section: {name: more}})


def test_a_refused_value_leaves_the_old_one() -> None:
    options = Options(search={"floor": 0.4})
    with pytest.raises(OptionsError):
        options.search.floor = 2
    assert options.search.floor == 0.4


def test_an_unknown_name_is_refused_with_the_nearest_known_one() -> None:
    with pytest.raises(OptionsError, match=r"^options\.selecton: no such option; did you mean "):
        _options(selecton={})
    with pytest.raises(OptionsError) as refused:
        Options(search={"flor": 0.5})
    assert str(refused.value) == "options.search.flor: no such option; did you mean 'floor'?"


def test_a_section_takes_an_instance_or_a_mapping_and_nothing_else() -> None:
    given = SelectionOptions(default="include")
    assert Options(selection=given) == Options(selection={"default": "include"})
    for wrong in (7, {1: 2}):
        with pytest.raises(OptionsError, match=r"^options\.selection: expected SelectionOptions"):
            _options(selection=wrong)


def test_what_was_changed_in_place_is_checked_before_a_build() -> None:
    options = Options()
    options.fills["tenant"] = 7  # type: ignore[assignment]
    with pytest.raises(OptionsError, match=r"^options\.fills: "):
        options.checked()
    options = Options()
    options.diagnostics.escalate["long_tool_name"] = "fatal"  # type: ignore[assignment]
    assert options.checked().diagnostics.escalate == {"long_tool_name": Severity.FATAL}


def test_values_are_kept_in_one_form() -> None:
    tenant: ContextVar[str] = ContextVar("tenant")
    options = Options(
        identity={"carriers": ["Authorization", "X-Tenant"], "carry_context": [tenant]},
        transport={"allowed_hosts": ["a.example"]},
    )
    assert options.identity.carriers == ("authorization", "x-tenant")
    assert options.identity.carry_context == (tenant,)
    assert options.transport.allowed_hosts == ("a.example",)


def test_what_an_option_is_for_is_taken() -> None:
    class Ranker:
        def rank(self) -> None: ...

    store, ranker = MemoryStore(), Ranker()
    options = Options(
        cache={"store": store},
        search={"ranker": ranker, "floor": 0},
        errors={"recognize": print},
        diagnostics={"silence": ["duplicate_tag"]},
        fills={"tenant": print},
        transport={"path": "/"},
        invoke={"cancel_grace_ms": None},
    )
    assert options.cache.store is store
    assert options.search.ranker is ranker
    assert Options(search={"ranker": Ranker}).search.ranker is Ranker
    assert options.errors.recognize == [print]
    assert options.checked() is options
    with pytest.raises(OptionsError, match=r"^options\.cache\.store: expected an object with"):
        Options(cache={"store": MemoryStore})
    with pytest.raises(OptionsError, match=r"^options\.selection\.rules: expected a list of"):
        _options(selection={"rules": 7})
    with pytest.raises(OptionsError, match=r"^options\.diagnostics\.escalate: expected a mapping"):
        _options(diagnostics={"escalate": ["duplicate_tag"]})
    with pytest.raises(
        OptionsError,
        match=r"^options\.diagnostics\.silence: 'duplicate_tags' is not a diagnostic code; did you",
    ):
        Options(diagnostics={"silence": ["duplicate_tags"]})


def test_severities_move_in_the_direction_of_their_option_only() -> None:
    with pytest.raises(OptionsError, match="escalate cannot lower it"):
        Options(diagnostics={"escalate": {"name_collision": "warning"}})
    with pytest.raises(OptionsError, match="downgrade cannot raise it"):
        Options(diagnostics={"downgrade": {"long_tool_name": "fatal"}})
    with pytest.raises(OptionsError, match="can be lowered to 'endpointDropped' only"):
        Options(diagnostics={"downgrade": {"name_collision": "warning"}})
    lowered = Options(diagnostics={"downgrade": {"name_collision": "endpointDropped"}})
    assert lowered.diagnostics.downgrade == {"name_collision": Severity.ENDPOINT_DROPPED}


def test_a_selection_rule_whose_decision_stands_in_the_methods_place_is_refused() -> None:
    with pytest.raises(OptionsError) as refused:
        SelectionRule("/admin/**", "exclude")
    assert str(refused.value) == (
        "SelectionRule.method: expected an HTTP method, got 'exclude'; did you mean "
        "decision='exclude'?"
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"route": 7}, "SelectionRule.route: expected a glob like '/admin/**', got 7"),
        ({"route": ["/a"]}, "SelectionRule.route: expected a glob like '/admin/**', got ['/a']"),
        ({"method": 7}, "SelectionRule.method: expected an HTTP method like 'GET', got 7"),
        ({"method": "/a"}, "SelectionRule.method: expected an HTTP method like 'GET', got '/a'"),
        ({"method": ["GET"]}, "SelectionRule.method: expected an HTTP method like 'GET'"),
        ({"decision": "drop"}, "SelectionRule.decision: expected 'include' or 'exclude', got"),
        ({"decision": None}, "SelectionRule.decision: expected 'include' or 'exclude', got None"),
    ],
)
def test_a_selection_rule_of_wrong_types_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionsError) as refused:
        SelectionRule(**wrong)
    assert str(refused.value).startswith(said)


def test_a_selection_rule_may_be_written_by_position() -> None:
    assert SelectionRule("/a", "get", "exclude") == SelectionRule(
        route="/a", method="get", decision="exclude"
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"arguments": None}, "CurationRule.arguments=: expected a mapping of wire names to Arg"),
        ({"arguments": {7: Arg()}}, "CurationRule.arguments=: expected a mapping of wire names"),
        ({"arguments": {"a": "b"}}, "CurationRule.arguments['a']: expected Arg(...), got 'b'"),
        (
            {"arguments": {"a": Arg("b.c")}},
            "CurationRule.arguments['a']: the agent name 'b.c' may hold letters, digits",
        ),
        (
            {"arguments": {"a": Arg(7)}},  # type: ignore[arg-type]
            "CurationRule.arguments['a'], agent name=: expected a string, got 7",
        ),
        (
            {"arguments": {"a": Arg(description=" ")}},
            "CurationRule.arguments['a'], description=: expected a string that is not empty",
        ),
        (
            {"arguments": {"a": Arg(hidden="x")}},  # type: ignore[arg-type]
            "CurationRule.arguments['a']: hidden= takes Constant(...), Provider(...) or OMIT",
        ),
        ({"route": 7}, "CurationRule.route: expected a glob like '/admin/**', got 7"),
        ({"method": 7}, "CurationRule.method: expected an HTTP method like 'GET', got 7"),
        ({"container": 7}, "CurationRule.container: expected the name of a container, got 7"),
        ({"seal": 1}, "CurationRule.seal: expected True or False, got 1"),
    ],
)
def test_a_curation_rule_is_checked_as_a_decorator_is(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(OptionsError) as refused:
        CurationRule(**{"arguments": {"tenant": Arg(hidden=OMIT)}, **wrong})
    assert str(refused.value).startswith(said)


def test_a_curation_rule_keeps_its_arguments_as_they_were_given() -> None:
    arguments = {"tenant": Arg(hidden=Constant("t1"))}
    rule = CurationRule(arguments=arguments)
    arguments["other"] = Arg()
    assert dict(rule.arguments) == {"tenant": Arg(hidden=Constant("t1"))}


def test_options_compare_by_content_and_show_it() -> None:
    assert Options() == Options()
    assert Options(naming={"prefix_mode": "on_collision"}) != Options()
    assert repr(SelectionOptions()) == "SelectionOptions(default='exclude', rules=[])"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"search": {}}, "got a dict; write Options(**settings)"),
        ("include", "got a str"),
    ],
)
def test_options_without_their_names_are_refused_with_how_to_write_them(
    given: Any, told: str
) -> None:
    with pytest.raises(TypeError) as refused:
        Options(given)  # type: ignore[call-arg]  # the mistake
    assert str(refused.value) == f"Options(...) takes its options by name, {told}"


@pytest.mark.parametrize("name", ["Host", "content-length", "X-Forwarded-For", "mcp-session-id"])
def test_a_header_of_the_request_itself_is_no_carrier(name: str) -> None:
    with pytest.raises(OptionsError) as refused:
        Options(identity={"carriers": ("authorization", name)})
    assert str(refused.value) == (
        f"options.identity.carriers: {name.lower()!r} is no identity: it belongs to the MCP "
        f"request itself, and a call gets its own or none, got ('authorization', {name!r})"
    )


@pytest.mark.parametrize(
    "key", ["HTTP_X_USER", "CONTENT_LENGTH", "wsgi.input", "werkzeug.request", "flask.app"]
)
def test_a_key_of_the_request_itself_does_not_travel(key: str) -> None:
    with pytest.raises(OptionsError, match=rf"options\.identity\.environ: '{key}' belongs to"):
        Options(identity={"environ": ("REMOTE_USER", key)})


def test_what_a_server_says_of_its_user_may_travel() -> None:
    keys = ("REMOTE_USER", "AUTH_TYPE", "SSL_CLIENT_S_DN", "gunicorn.user")
    assert Options(identity={"environ": keys}).identity.environ == keys


def test_what_a_proxy_says_of_the_user_may_be_a_carrier() -> None:
    options = Options(identity={"carriers": ("X-Forwarded-User", "accept")})
    assert options.identity.carriers == ("x-forwarded-user", "accept")
