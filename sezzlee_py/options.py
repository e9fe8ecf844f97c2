"""The option tree: every setting of a host, checked the moment it is set (spec: README)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from sezzlee_py.errors import OptionsError
from sezzlee_py.model import Arg, Severity
from sezzlee_py.model.curation_checks import checked_arguments
from sezzlee_py.option_checks import (
    callables,
    callables_by_name,
    carrier_names,
    environ_keys,
    has_methods,
    integer,
    is_boolean,
    is_callable,
    is_path,
    is_ranker,
    is_text,
    list_of,
    mapping,
    milliseconds,
    number,
    one_of,
    or_none,
    severities,
    silenceable_codes,
    texts,
)
from sezzlee_py.option_section import Section, option, section_of

if TYPE_CHECKING:
    from sezzlee_py.option_section import Nested

Decision: TypeAlias = Literal["include", "exclude"]

_METHOD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class SelectionRule:
    """A central rule: which operations are offered (spec: selection 2).

    `route` is a glob over the normalised template, `method` compares without case; an absent field
    matches all.
    """

    route: str | None = None
    method: str | None = None
    decision: Decision = "include"

    def __post_init__(self) -> None:
        _check_matched("SelectionRule", self.route, self.method)
        if self.decision not in get_args(Decision):
            raise OptionsError(
                f"SelectionRule.decision: expected 'include' or 'exclude', got {self.decision!r}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class CurationRule:
    """A central rule: how arguments of matching operations are shown (spec: curation 7)."""

    arguments: Mapping[str, Arg]
    route: str | None = None
    method: str | None = None
    container: str | None = None
    seal: bool = False

    def __post_init__(self) -> None:
        _check_matched("CurationRule", self.route, self.method)
        if self.container is not None and not isinstance(self.container, str):
            raise OptionsError(
                f"CurationRule.container: expected the name of a container, got {self.container!r}"
            )
        if not isinstance(self.seal, bool):
            raise OptionsError(f"CurationRule.seal: expected True or False, got {self.seal!r}")
        try:
            object.__setattr__(self, "arguments", checked_arguments(self.arguments))
        except (TypeError, ValueError) as fault:
            raise OptionsError(f"CurationRule.{fault}") from None


def _check_matched(rule: str, route: Any, method: Any) -> None:
    """Check what a rule matches; an absent field matches all."""
    if route is not None and not isinstance(route, str):
        raise OptionsError(f"{rule}.route: expected a glob like '/admin/**', got {route!r}")
    if method is None:
        return
    if method in get_args(Decision) and rule == "SelectionRule":
        raise OptionsError(
            f"{rule}.method: expected an HTTP method, got {method!r}; did you mean "
            f"decision={method!r}?"
        )
    if not isinstance(method, str) or not _METHOD.fullmatch(method):
        raise OptionsError(f"{rule}.method: expected an HTTP method like 'GET', got {method!r}")


class SelectionOptions(Section, place="options.selection"):
    """Which operations are offered at all."""

    default: Decision = option(one_of(Decision), default="exclude")
    rules: list[SelectionRule] = option(list_of(SelectionRule, "SelectionRule"), factory=list)


PrefixMode: TypeAlias = Literal["always", "on_collision"]
OnCollision: TypeAlias = Literal["route", "error"]


class NamingOptions(Section, place="options.naming"):
    """What tools are called."""

    prefix: Callable[[str], str | None] | None = option(or_none(is_callable), default=None)
    prefix_mode: PrefixMode = option(one_of(PrefixMode), default="always")
    on_collision: OnCollision = option(one_of(OnCollision), default="route")


class SchemaOptions(Section, place="options.schema"):
    """How Python types become JSON Schema."""

    drop_read_only: bool = option(is_boolean, default=True)
    max_depth: int | None = option(or_none(integer(1)), default=None)
    type_name: Callable[[Any], str | None] | None = option(or_none(is_callable), default=None)
    type_shape: Callable[[Any], Mapping[str, Any] | None] | None = option(
        or_none(is_callable), default=None
    )


Grouping: TypeAlias = Literal["flat", "group"]
Notation: TypeAlias = Literal["bracket", "dot"]


class QueryOptions(Section, place="options.query"):
    """How query models are published, and which object notation the host parses."""

    grouping: Grouping = option(one_of(Grouping), default="flat")
    parses: Notation | None = option(or_none(one_of(Notation)), default=None)


class CurationOptions(Section, place="options.curation"):
    """Central curation rules."""

    rules: list[CurationRule] = option(list_of(CurationRule, "CurationRule"), factory=list)


class InvokeOptions(Section, place="options.invoke"):
    """Limits of one call; the `_for` callables take the operation and return a limit or `None`."""

    max_response_bytes: int = option(integer(1), default=262_144)
    timeout_ms: int = option(milliseconds, default=30_000)
    max_response_bytes_for: Callable[[Any], int | None] | None = option(
        or_none(is_callable), default=None
    )
    timeout_ms_for: Callable[[Any], int | None] | None = option(or_none(is_callable), default=None)
    forward_html: bool = option(is_boolean, default=False)
    max_inline_file_bytes: int = option(integer(0), default=1_048_576)
    max_file_bytes: int = option(integer(0), default=16_777_216)
    cancel_grace_ms: int | None = option(or_none(milliseconds), default=5_000)


class ErrorOptions(Section, place="options.errors"):
    """Host recognisers of error bodies, and a mapper that replaces the built-in one."""

    recognize: list[Any] = option(callables, factory=list)
    mapper: Callable[..., Any] | None = option(or_none(is_callable), default=None)


FloorScope: TypeAlias = Literal["query", "tool"]
OnRankerFailure: TypeAlias = Literal["fallback", "error"]


class SearchOptions(Section, place="options.search"):
    """How tools are found; `None` means the ranker's own default."""

    ranker: Any = option(or_none(is_ranker), default=None)
    floor: float | None = option(or_none(number(0, 1)), default=None)
    floor_scope: FloorScope | None = option(or_none(one_of(FloorScope)), default=None)
    exact_name_first: bool = option(is_boolean, default=True)
    ranker_timeout_ms: int = option(milliseconds, default=10_000)
    on_ranker_failure: OnRankerFailure = option(one_of(OnRankerFailure), default="fallback")
    tag_vocabulary_limit: int = option(integer(0), default=100)


Unknown: TypeAlias = Literal["show", "hide"]
Restricted: TypeAlias = Literal["hide", "name"]


class VisibilityOptions(Section, place="options.visibility"):
    """What each caller sees."""

    unknown: Unknown = option(one_of(Unknown), default="show")
    restricted: Restricted = option(one_of(Restricted), default="hide")
    evaluate_policy: Callable[..., Any] | None = option(or_none(is_callable), default=None)
    identity: Callable[..., Any] | None = option(or_none(is_callable), default=None)
    probe: bool = option(is_boolean, default=False)
    probe_top_k: int = option(integer(0), default=25)
    probe_concurrency: int = option(integer(1), default=1)
    probe_values: dict[str, Any] = option(mapping, factory=dict)


class CacheOptions(Section, place="options.cache"):
    """How long facts about a caller are kept, and where."""

    lifetime_ms: int = option(milliseconds, default=60_000)
    max_callers: int = option(integer(1), default=1_000)
    store: Any = option(
        or_none(has_methods("get", "set", "drop_scope", "drop_tag", "clear")), default=None
    )
    scope_resolver: Callable[..., Any] | None = option(or_none(is_callable), default=None)


class ReplicaOptions(Section, place="options.replicas"):
    """What several processes of one application tell each other."""

    bus: Any = option(or_none(has_methods("publish", "listen")), default=None)
    reload: bool = option(is_boolean, default=False)


class IdentityOptions(Section, place="options.identity"):
    """Which headers of the MCP request are the caller's identity and travel with a call."""

    carriers: tuple[str, ...] = option(carrier_names, default=("authorization",))
    project: Callable[..., Any] | None = option(or_none(is_callable), default=None)
    carry_context: tuple[ContextVar[Any], ...] = option(
        lambda value: tuple(list_of(ContextVar, "ContextVar")(value)), default=()
    )
    cookies: tuple[str, ...] = option(texts, default=())
    environ: tuple[str, ...] = option(environ_keys, default=())


class FileOptions(Section, place="options.files"):
    """File references: who turns one into bytes, and how it is described to agents."""

    resolver: Callable[..., Any] | None = option(or_none(is_callable), default=None)
    ref_description: str = option(is_text, default="Reference of a file known to this service.")


Listing: TypeAlias = Literal["search", "direct"]


class TransportOptions(Section, place="options.transport"):
    """The endpoint itself."""

    path: str = option(is_path, default="/mcp")
    title: str | None = option(or_none(is_text), default=None)
    instructions: str | None = option(or_none(is_text), default=None)
    listing: Listing = option(one_of(Listing), default="search")
    allowed_origins: tuple[str, ...] | None = option(or_none(texts), default=None)
    allowed_hosts: tuple[str, ...] | None = option(or_none(texts), default=None)
    max_request_bytes: int = option(integer(1), default=4_194_304)


class ResourceServerOptions(Section, place="options.resource_server"):
    """Protected resource metadata (RFC 9728)."""

    metadata: dict[str, Any] | None = option(or_none(mapping), default=None)
    challenge_scope: str | None = option(or_none(is_text), default=None)


class DiagnosticOptions(Section, place="options.diagnostics"):
    """How findings about the app count."""

    escalate: dict[str, Severity] = option(severities("raise"), factory=dict)
    downgrade: dict[str, Severity] = option(severities("lower"), factory=dict)
    silence: tuple[str, ...] = option(silenceable_codes, default=())


class Options(Section, place="options"):
    """Every setting of a host.

    Sections are given as instances, as mappings, or changed by attribute:
    `Options(selection={"default": "include"})`, `options.search.floor = 0.4`.

    Raises:
        OptionsError: an unknown name, or a value of the wrong type; the message names the path.
    """

    selection: Nested[SelectionOptions] = option(
        section_of(SelectionOptions), factory=SelectionOptions
    )
    naming: Nested[NamingOptions] = option(section_of(NamingOptions), factory=NamingOptions)
    tags: Callable[[str], Iterable[str] | None] | None = option(or_none(is_callable), default=None)
    search_terms: Callable[[str], Iterable[str] | None] | None = option(
        or_none(is_callable), default=None
    )
    schema: Nested[SchemaOptions] = option(section_of(SchemaOptions), factory=SchemaOptions)
    query: Nested[QueryOptions] = option(section_of(QueryOptions), factory=QueryOptions)
    curation: Nested[CurationOptions] = option(section_of(CurationOptions), factory=CurationOptions)
    fills: dict[str, Callable[..., Any]] = option(callables_by_name, factory=dict)
    families: dict[str, Callable[..., Any]] = option(callables_by_name, factory=dict)
    invoke: Nested[InvokeOptions] = option(section_of(InvokeOptions), factory=InvokeOptions)
    errors: Nested[ErrorOptions] = option(section_of(ErrorOptions), factory=ErrorOptions)
    search: Nested[SearchOptions] = option(section_of(SearchOptions), factory=SearchOptions)
    visibility: Nested[VisibilityOptions] = option(
        section_of(VisibilityOptions), factory=VisibilityOptions
    )
    cache: Nested[CacheOptions] = option(section_of(CacheOptions), factory=CacheOptions)
    replicas: Nested[ReplicaOptions] = option(section_of(ReplicaOptions), factory=ReplicaOptions)
    identity: Nested[IdentityOptions] = option(section_of(IdentityOptions), factory=IdentityOptions)
    dispatch_app: Any = option(or_none(is_callable), default=None)
    files: Nested[FileOptions] = option(section_of(FileOptions), factory=FileOptions)
    transport: Nested[TransportOptions] = option(
        section_of(TransportOptions), factory=TransportOptions
    )
    resource_server: Nested[ResourceServerOptions] = option(
        section_of(ResourceServerOptions), factory=ResourceServerOptions
    )
    diagnostics: Nested[DiagnosticOptions] = option(
        section_of(DiagnosticOptions), factory=DiagnosticOptions
    )


def options_of(given: Options | None) -> Options:
    """Return the options a host gave, checked; defaults where it gave none.

    Raises:
        OptionsError: what was given is no `Options`, or something in it is wrong.
    """
    if given is None:
        return Options()
    if not isinstance(given, Options):
        raise OptionsError(f"options: expected Options(...), got {type(given).__name__}")
    return given.checked()
