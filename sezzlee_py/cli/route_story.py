"""Why a route is, or is not, a tool: each stage it went through, from the values of the build."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sezzlee_py.catalog.adapter import METHODS, DiscoveredOperation
from sezzlee_py.catalog.declared import read_declarations
from sezzlee_py.catalog.name_parts import derived_prefix, route_body, snake_case, with_prefix
from sezzlee_py.catalog.selection import Choice, compile_glob, select
from sezzlee_py.cli.route_lookup import Walked, find_operation, near_routes, tools_of
from sezzlee_py.declaration import DeclarationRecord, container_records
from sezzlee_py.model import Diagnostic, ToolDefinition
from sezzlee_py.model.routes import normalize_route
from sezzlee_py.model.text import fold, strip_plural, words
from sezzlee_py.options import Options, SelectionRule
from sezzlee_py.search import documents_from_tools
from sezzlee_py.search.document import FIELDS
from sezzlee_py.search.vocabulary import STOP_WORDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One step of a route on its way to agents.

    Attributes:
        name: `discovered`, `selected`, `named`, `visible` or `found by`.
        ok: whether the route came through; `None` where there is nothing to pass.
        why: for people.
        data: the same for machines.
    """

    name: str
    ok: bool | None
    why: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteStory:
    """What became of one route."""

    method: str
    path: str
    operation: str | None
    tools: tuple[ToolDefinition, ...]
    stages: tuple[Stage, ...]
    findings: tuple[Diagnostic, ...]

    @property
    def is_known(self) -> bool:
        """Whether the application has the route at all, as far as its walk found."""
        return self.operation is not None or bool(self.findings)


def tell_route(walked: Walked, method: str, path: str) -> RouteStory:
    """Return what became of a route up to its name; who sees it is told by `visible_stage`.

    Args:
        walked: the application.
        method: in any case.
        path: a route as the framework or a listing spells it, or the path of one request.
    """
    method = method.upper()
    found = find_operation(walked, method, path)
    if found is None:
        return _unknown(walked, method, path)
    operation, tools = found.descriptor.operation, tools_of(walked.catalog, found)
    stages = [_discovered(found, path)]
    choice = _choice_of(walked, found)
    stages.append(_selected(choice, found, walked.options))
    if choice.offered:
        stages.append(_named(found, tools, walked.options))
    return RouteStory(
        method=method,
        path=path,
        operation=operation,
        tools=tools,
        stages=tuple(stages),
        findings=_findings(walked, found, tools),
    )


def word_stages(tools: Sequence[ToolDefinition]) -> Iterator[Stage]:
    """Yield for each tool the words that find it, per field, as they are written there."""
    for tool, document in zip(tools, documents_from_tools(tools), strict=True):
        by_field = {
            name: _words(texts) for name, texts in zip(FIELDS, document.texts(), strict=True)
        }
        told = {name: found for name, found in by_field.items() if found}
        why = "; ".join(f"{name}: {' '.join(found)}" for name, found in told.items())
        yield Stage(name="found by", ok=None, why=why, data={"tool": tool.name, "words": told})


def _words(texts: Sequence[str]) -> list[str]:
    """Each word once, where two that search reads alike (`order`, `orders`) are one."""
    found: dict[str, str] = {}
    for word in (fold(word) for text in texts for word in words(text)):
        if len(word) > 1 and word not in STOP_WORDS:
            found.setdefault(strip_plural(word), word)
    return list(found.values())


def _unknown(walked: Walked, method: str, path: str) -> RouteStory:
    template = normalize_route(path).template
    about = [d for d in walked.discovery.diagnostics if d.route == template]
    others = [other for other in METHODS if find_operation(walked, other, path) is not None]
    near = near_routes(walked, template)
    if about:
        why = "the walk left it out; the findings below say why"
    elif others:
        why = f"the route answers {', '.join(others)}, not {method}"
    else:
        hint = f"; near: {', '.join(near)}" if near else ""
        why = f"no route of the application matches{hint}"
    stage = Stage(name="discovered", ok=False, why=why, data={"methods": others, "near": near})
    return RouteStory(
        method=method,
        path=path,
        operation=None,
        tools=(),
        stages=(stage,),
        findings=tuple(about),
    )


def _discovered(found: DiscoveredOperation, path: str) -> Stage:
    known = found.descriptor
    place = f"{known.source}, line {known.line}" if known.line else known.source
    asked = "" if known.route == path else f" for {path}"
    served = f"{known.operation} is served{asked}"
    if not found.reachable:
        why = f"{known.operation} is declared, but no call reaches it"
    else:
        why = f"{served} by {place}" if place else served
    data = {
        "route": known.route,
        "source": known.source,
        "line": known.line,
        "container": known.container,
    }
    return Stage(name="discovered", ok=found.reachable, why=why, data=data)


def _choice_of(walked: Walked, found: DiscoveredOperation) -> Choice:
    selection = walked.options.selection
    declared = read_declarations(found)
    chosen = select(
        [(found.descriptor, declared)], default=selection.default, rules=selection.rules
    )
    return chosen.choices[0]


def _selected(choice: Choice, found: DiscoveredOperation, options: Options) -> Stage:
    if choice.contradiction is not None:
        why = choice.contradiction
    else:
        why = _level(choice, found, options)
    data = {"level": choice.level, "decision": "include" if choice.offered else "exclude"}
    return Stage(name="selected", ok=choice.offered, why=why, data=data)


def _level(choice: Choice, found: DiscoveredOperation, options: Options) -> str:
    if choice.level == "operation":
        return (
            "its own decorator offers it"
            if choice.offered
            else "@mcp_ignore on its function keeps it from agents"
        )
    if choice.level == "container":
        verb = "offers" if choice.offered else "keeps from agents"
        return f"the declaration on {_declaring(found)} {verb} what is in it"
    if choice.level == "rules":
        rules = " and ".join(map(repr, _deciding(found, options.selection.rules)))
        return f"options.selection.rules decides: {rules}"
    if choice.level == "catch_all":
        return "it answers any path, and such a route is offered by @mcp_tool on its function only"
    default = f"nothing speaks about it, and options.selection.default is {_default(options)}"
    return default if choice.offered else f"{default}; put @mcp_tool on its function to offer it"


def _is_marker(record: DeclarationRecord) -> bool:
    return record.include or record.exclude


def _default(options: Options) -> str:
    return repr(options.selection.default)


def _declaring(
    found: DiscoveredOperation, speaks: Callable[[DeclarationRecord], bool] = _is_marker
) -> str:
    """The innermost container whose own declaration speaks."""
    speaking = (
        container
        for container in found.containers
        if any(map(speaks, container_records((container,))))
    )
    container = next(speaking, None)
    if isinstance(container, type):
        return f"the class {container.__qualname__}"
    return f"its {type(container).__name__}"


def _deciding(found: DiscoveredOperation, rules: Sequence[SelectionRule]) -> list[SelectionRule]:
    """The most specific rules that speak about an operation."""
    known = found.descriptor
    matching = [
        rule
        for rule in rules
        if (rule.method is None or rule.method.upper() == known.method.upper())
        and (rule.route is None or compile_glob(rule.route).fullmatch(known.route))
    ]
    most = max((_specificity(rule) for rule in matching), default=0)
    return [rule for rule in matching if _specificity(rule) == most]


def _specificity(rule: SelectionRule) -> int:
    return (rule.route is not None) + (rule.method is not None)


def _named(found: DiscoveredOperation, tools: Sequence[ToolDefinition], options: Options) -> Stage:
    if not tools:
        why = "it yields no tool; the findings below say why"
        return Stage(name="named", ok=False, why=why, data={"tools": []})
    told = [f"{tool.name}: {_how(tool, found, options)}" for tool in tools]
    folded = {tool.route for tool in tools} - {found.descriptor.route}
    if folded:
        told.append(f"called on {', '.join(sorted(folded))}, this route is searched only")
    data = {"tools": [tool.name for tool in tools]}
    return Stage(name="named", ok=True, why="; ".join(told), data=data)


def _how(tool: ToolDefinition, found: DiscoveredOperation, options: Options) -> str:
    if read_declarations(found).operation.name == tool.name:
        return "declared with name="
    by_route = route_body(tool.method, tool.route)
    if tool.operation_id is None:
        return "from its route, its function has no usable name"
    body = snake_case(tool.operation_id)
    if tool.name == body:
        return f"from {_origin(found)}{_left_out(tool, found, options)}"
    if tool.name.endswith(f"_{body}"):
        prefix = tool.name.removesuffix(f"_{body}")
        owner = _prefix(tool, found, options)[1]
        return f"prefix {prefix!r} {owner} before {body!r} from {_origin(found)}"
    if tool.name == by_route:
        return "from its route, because another tool would have the same name"
    return "declared as a variant or a member of a family"


def _left_out(tool: ToolDefinition, found: DiscoveredOperation, options: Options) -> str:
    prefix, owner = _prefix(tool, found, options)
    if not prefix or with_prefix(prefix, tool.name) != tool.name:
        return ""
    return f", which says the prefix {prefix!r} {owner} already"


def _prefix(tool: ToolDefinition, found: DiscoveredOperation, options: Options) -> tuple[str, str]:
    """The prefix that a name would have, and who says so; nearest first."""
    declared = read_declarations(found)
    if declared.operation.prefix is not None:
        return declared.operation.prefix, "declared on its function"
    for record in declared.containers:
        if record.prefix is not None:
            return record.prefix, f"declared on {_declaring(found, _has_prefix)}"
    container = tool.container
    if container is None:
        return "", ""
    if found.descriptor.container_prefix is not None:
        return found.descriptor.container_prefix, f"of {container!r}"
    asked = None if options.naming.prefix is None else options.naming.prefix(container)
    if asked is not None:
        return asked, f"of options.naming.prefix for {container!r}"
    return derived_prefix(container), f"of {container!r}"


def _has_prefix(record: DeclarationRecord) -> bool:
    return record.prefix is not None


def _origin(found: DiscoveredOperation) -> str:
    return "its operation id" if found.descriptor.operation_id else "its function's name"


def _findings(
    walked: Walked, found: DiscoveredOperation, tools: Sequence[ToolDefinition]
) -> tuple[Diagnostic, ...]:
    subjects = {found.descriptor.operation, *(tool.name for tool in tools)}
    own = dict.fromkeys((*walked.catalog.diagnostics, *found.diagnostics))
    return tuple(
        d
        for d in own
        if d.operation in subjects
        or (d.route == found.descriptor.route and d.source == found.descriptor.source)
    )
