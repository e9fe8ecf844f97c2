"""What a Werkzeug rule says: its template, the inputs in its path, what it collides with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from werkzeug.routing import AnyConverter, BaseConverter, Map, Rule

from sezzlee_py.catalog.handlers import attribute
from sezzlee_py.catalog.schema.converters import converter_schema, demands_fraction
from sezzlee_py.model import Parameter, ParameterLocation
from sezzlee_py.model.routes import placeholder_names

# A variable as Werkzeug documents it: `<name>`, `<int:name>`, `<string(length=2):name>`.
_VARIABLE: Final = re.compile(
    r"<(?:(?P<converter>[a-z_]\w*)(?:\((?P<arguments>.*?)\))?:)?(?P<name>[a-z_]\w*)>",
    re.ASCII | re.IGNORECASE,
)

# Tried for a variable whose converter takes anything of the kind.
_GUESSES: Final = (
    *("zq7x", "7243907", "7", "72", "7243", "3.5", "zq", "z", "zq7x/zq", "2087-11-23"),
    "6f1c2b9e-0d5a-4c3b-8e7f-1a2b3c4d5e6f",
)

_WITH_SLASH: Final = ("zq/7x", "7/2", "/", "/zq", "zq/")
# A class of characters that names what it leaves out: `[^/]`.
_ALL_BUT: Final = re.compile(r"\[\^(?:\\.|[^\]\\])*\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A variable of a rule as it is spelled."""

    name: str
    converter: str = "default"
    arguments: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RulePath:
    """The path of a rule.

    Attributes:
        template: with every variable as `{name}`.
        variables: in the order of the path. A value that the rule's `defaults` supply is not in
            the path and so not among them.
        shape: equal for two rules that match the same paths, whatever their variables are called.
    """

    template: str
    variables: tuple[Variable, ...]
    shape: tuple[str, ...]

    @property
    def is_expressible(self) -> bool:
        """Whether nothing literal in the path looks like a placeholder of a template."""
        return len(placeholder_names(self.template)) == len(self.variables)


def read_path(rule: Rule) -> RulePath:
    """Return the path of a rule that is bound to a map."""
    variables: list[Variable] = []
    literals: list[str] = []
    at = 0
    for match in _VARIABLE.finditer(rule.rule):
        literals.append(rule.rule[at : match.start()])
        at = match.end()
        variables.append(
            Variable(
                name=match["name"],
                converter=match["converter"] or "default",
                arguments=match["arguments"],
            )
        )
    literals.append(rule.rule[at:])
    template, shape = literals[0], [literals[0]]
    for variable, literal in zip(variables, literals[1:], strict=True):
        template += f"{{{variable.name}}}{literal}"
        shape += [_kind(rule, variable), literal]
    return RulePath(template=template, variables=tuple(variables), shape=tuple(shape))


def path_parameter(rule: Rule, variable: Variable) -> Parameter:
    """Return the input that a variable of the path is; a host's own converter takes any text."""
    is_known = _is_stock(rule.map, variable.converter)
    return Parameter(
        name=variable.name,
        location=ParameterLocation.PATH,
        schema=converter_schema(variable.converter if is_known else "custom", variable.arguments),
        required=True,
        spans_segments=_spans_segments(_converter(rule, variable)),
        fractional=is_known and demands_fraction(variable.converter),
    )


def sample_paths(rule: Rule) -> Iterator[str]:
    """Yield a few paths that the rule is likely to match."""
    variables = read_path(rule).variables
    columns = [_samples(_converter(rule, variable)) for variable in variables]
    if not all(columns):
        return
    for turn in range(max(map(len, columns), default=1)):
        values = iter([column[turn % len(column)] for column in columns])
        yield _VARIABLE.sub(lambda _: next(values), rule.rule)  # noqa: B023 - used at once


def is_typed(rule: Rule, variable: Variable) -> bool:
    """Whether the converter alone says what the variable's values are."""
    texts = ("default", "string", "path")
    return _is_stock(rule.map, variable.converter) and variable.converter not in texts


def domain_of(rule: Rule) -> str:
    """Return the host or subdomain that a rule asks for, `""` where it asks for none."""
    return (rule.host if rule.map.host_matching else rule.subdomain) or ""


def sample_domain(rule: Rule) -> str:
    """Return a host or subdomain that the rule's pattern admits."""
    return _VARIABLE.sub("zq7x", domain_of(rule))


def _is_stock(url_map: Map, converter: str) -> bool:
    # A host may put a converter of its own under a known name.
    return url_map.converters.get(converter) is Map.default_converters.get(converter)


def _spans_segments(converter: BaseConverter | type[BaseConverter]) -> bool:
    """Whether a value may have a slash; Werkzeug asks no more than whether the pattern has one."""
    if converter.part_isolating:
        return False
    matched = any(re.fullmatch(converter.regex, value) for value in _WITH_SLASH)
    return matched or "/" in _ALL_BUT.sub("", converter.regex)


def _converter(rule: Rule, variable: Variable) -> BaseConverter | type[BaseConverter]:
    # Without one of the rule's own the class speaks for all rules.
    made = converter_of(rule, variable.name)
    return made or rule.map.converters.get(variable.converter, BaseConverter)


def converter_of(rule: Rule, name: str) -> BaseConverter | None:
    """Return the converter that was made for one variable of a rule, if the rule tells."""
    # Private, and with an expression that may be the rule's own.
    made = attribute(rule, "_converters")
    found = made.get(name) if isinstance(made, dict) else None
    return found if isinstance(found, BaseConverter) else None


def _samples(converter: BaseConverter | type[BaseConverter]) -> list[str]:
    if isinstance(converter, AnyConverter):
        return sorted(converter.items)
    return [guess for guess in _GUESSES if re.fullmatch(converter.regex, guess)]


def _kind(rule: Rule, variable: Variable) -> str:
    converter = _converter(rule, variable)
    cls = converter if isinstance(converter, type) else type(converter)
    return f"<{cls.__module__}.{cls.__qualname__}({variable.arguments or ''}) {converter.regex}>"
