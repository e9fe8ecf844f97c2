"""Which operations are offered, given markers, rules and the default."""

from typing import Any

from sezzlee_py.catalog.declared import Declarations
from sezzlee_py.catalog.selection import Subject, select
from sezzlee_py.declaration import DeclarationRecord
from sezzlee_py.model import EndpointDescriptor, Parameter, ParameterLocation
from sezzlee_py.model.routes import normalize_route
from sezzlee_py.options import SelectionRule


def check(given: dict[str, Any], expected: dict[str, Any]) -> None:
    rules = [SelectionRule(**rule) for rule in given.get("rules", ())]
    subjects = [_subject(operation) for operation in given["operations"]]
    selection = select(subjects, default=given["default"], rules=rules)
    codes = {f.diagnostic.code for f in selection.findings if f.diagnostic.severity == "fatal"}
    if "error" in expected:
        assert expected["error"] in codes
    else:
        assert codes == set()
        ids = [given["operations"][index]["id"] for index in selection.selected]
        assert ids == expected["selected"]


def _subject(operation: dict[str, Any]) -> Subject:
    route = normalize_route(operation.get("route", "/x"))
    parameters = tuple(
        Parameter(
            name=placeholder.name,
            location=ParameterLocation.PATH,
            schema={"type": "string"},
            spans_segments=placeholder.converter == "path",
        )
        for placeholder in route.placeholders
    )
    descriptor = EndpointDescriptor(
        method=operation.get("method", "GET"), route=route.template, parameters=parameters
    )
    containers = [_record(operation["container"])] if "container" in operation else []
    declarations = Declarations(
        operation=_record(operation.get("operation")), containers=tuple(containers)
    )
    return descriptor, declarations


def _record(marker: str | None) -> DeclarationRecord:
    return DeclarationRecord(
        include=marker in {"include", "both"}, exclude=marker in {"exclude", "both"}
    )
