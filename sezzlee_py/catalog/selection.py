"""Which operations are offered at all (spec: selection 1 and 2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from sezzlee_py.catalog.declared import Declarations
from sezzlee_py.catalog.faults import subject_of
from sezzlee_py.catalog.shared_findings import SharedFinding
from sezzlee_py.declaration import DeclarationRecord
from sezzlee_py.model import EndpointDescriptor, ParameterLocation
from sezzlee_py.model.routes import is_root_catch_all
from sezzlee_py.options import Decision, SelectionRule

Subject: TypeAlias = tuple[EndpointDescriptor, Declarations]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Whether one operation is offered, which level decided, and the findings.

    `level` is `operation`, `container`, `rules`, `global`, or `catch_all` for a root catch-all that
    carries no marker of its own. Where `contradiction` tells of opposite markers on one level, the
    operation is not offered.
    """

    offered: bool
    level: str
    contradiction: str | None = None
    skipped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The choices in the order of the operations, and the findings about them."""

    choices: tuple[Choice, ...]
    findings: tuple[SharedFinding, ...]

    @property
    def selected(self) -> tuple[int, ...]:
        """The indices of the operations that are offered."""
        return tuple(index for index, choice in enumerate(self.choices) if choice.offered)


def select(
    subjects: Sequence[Subject], *, default: Decision, rules: Sequence[SelectionRule] = ()
) -> Selection:
    """Return which operations are offered: the most specific level with a marker decides."""
    compiled = [_CompiledRule(rule) for rule in rules]
    choices = tuple(_choose(subject, default, compiled) for subject in subjects)
    findings = tuple(
        found
        for index, (choice, (descriptor, _)) in enumerate(zip(choices, subjects, strict=True))
        if (found := _finding(choice, descriptor, index)) is not None
    )
    return Selection(choices=choices, findings=findings)


def selects(rule: SelectionRule, descriptor: EndpointDescriptor) -> bool:
    """Whether a rule speaks about an operation, one way or the other."""
    return _CompiledRule(rule).matches(descriptor)


class _CompiledRule:
    """A rule with its glob ready to match."""

    def __init__(self, rule: SelectionRule) -> None:
        self.decision: Decision = rule.decision
        self.specificity = (rule.route is not None) + (rule.method is not None)
        self.text = _rule_text(rule)
        self._route = None if rule.route is None else compile_glob(rule.route)
        self._method = None if rule.method is None else rule.method.upper()

    def matches(self, descriptor: EndpointDescriptor) -> bool:
        """Whether the rule speaks about an operation."""
        if self._method is not None and self._method != descriptor.method.upper():
            return False
        return self._route is None or self._route.fullmatch(descriptor.route) is not None


@lru_cache(maxsize=512)
def compile_glob(glob: str) -> re.Pattern[str]:
    """Return the pattern of a route glob, for a full match.

    `*` stays inside one segment, `**` crosses segments, everything else is literal.
    """
    spelled = {"**": ".*", "*": "[^/]*"}
    pieces = re.split(r"(\*\*|\*)", glob)
    return re.compile("".join(spelled.get(p) or re.escape(p) for p in pieces), re.DOTALL)


def _choose(subject: Subject, default: Decision, rules: Sequence[_CompiledRule]) -> Choice:
    descriptor, declared = subject
    own = _marker(declared.operation)
    container = next((m for m in map(_marker, declared.containers) if m is not None), None)
    matching = [rule for rule in rules if rule.matches(descriptor)]
    catch_all = _is_catch_all(descriptor)
    # Rules pass over a root catch-all, so they cannot contradict each other about it.
    contradiction = _contradiction(declared, [] if catch_all else matching)
    if contradiction is not None:
        return Choice(offered=False, level=contradiction[0], contradiction=contradiction[1])
    outer = container or _ruled(matching) or default
    if catch_all and own is None:
        return Choice(offered=False, level="catch_all", skipped=outer == "include")
    levels = {"operation": own, "container": container, "rules": _ruled(matching)}
    level = next((name for name, decision in levels.items() if decision), "global")
    return Choice(offered=(own or outer) == "include", level=level)


def _marker(record: DeclarationRecord) -> Decision | None:
    if record.exclude:
        return "exclude"
    return "include" if record.include else None


def _ruled(matching: Sequence[_CompiledRule]) -> Decision | None:
    """What the most specific rules say; where they differ, include, which is reported anyway."""
    most = max((rule.specificity for rule in matching), default=0)
    said = {rule.decision for rule in matching if rule.specificity == most}
    return None if not said else "include" if "include" in said else "exclude"


def _is_catch_all(descriptor: EndpointDescriptor) -> bool:
    spanning = {
        parameter.name
        for parameter in descriptor.parameters
        if parameter.location is ParameterLocation.PATH and parameter.spans_segments
    }
    return bool(spanning) and is_root_catch_all(descriptor.route, spanning)


def _contradiction(
    declared: Declarations, matching: Sequence[_CompiledRule]
) -> tuple[str, str] | None:
    """The level with opposite markers and what to do, even when a nearer level would decide.

    The contradiction would surface later, when the nearer marker is removed.
    """
    if declared.operation.include and declared.operation.exclude:
        return "operation", _both("the function", declared.operation)
    for record in declared.containers:
        if record.include and record.exclude:
            return "container", _both("its class or router", record)
    for specificity in range(3):
        equal = [rule for rule in matching if rule.specificity == specificity]
        if len({rule.decision for rule in equal}) > 1:
            return "rules", _rules_differ(sorted({rule.text for rule in equal}))
    return None


def _both(what: str, record: DeclarationRecord) -> str:
    places = [record.places.get(marker) for marker in ("include", "exclude")]
    offered, ignored = (f" at {place}" if place else "" for place in places)
    return f"{what} is offered{offered} and ignored{ignored}; keep one of the two"


def _rules_differ(texts: Sequence[str]) -> str:
    return (
        f"{' and '.join(texts)} are equally specific and decide differently; name the method in "
        "one of them, or put @mcp_tool or @mcp_ignore on the function and drop one rule"
    )


def _rule_text(rule: SelectionRule) -> str:
    fields = {"route": rule.route, "method": rule.method, "decision": rule.decision}
    given = ", ".join(f"{name}={value!r}" for name, value in fields.items() if value is not None)
    return f"SelectionRule({given})"


def _finding(choice: Choice, descriptor: EndpointDescriptor, index: int) -> SharedFinding | None:
    if choice.contradiction is not None:
        code, message = "ambiguous_selection", choice.contradiction
    elif choice.skipped:
        code = "catch_all_skipped"
        message = (
            "the route answers any path, so it is not offered; put @mcp_tool on its function to "
            "offer it, or @mcp_ignore to end this notice"
        )
    else:
        return None
    diagnostic = subject_of(descriptor).diagnostic(code, message)
    return SharedFinding(diagnostic=diagnostic, involved=(index,))
