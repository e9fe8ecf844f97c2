"""Names of folded operations, as a catalog builder asks for them."""

from typing import Any

from sezzlee_py.catalog.folding import fold_routes
from sezzlee_py.catalog.naming import assign_names
from sezzlee_py.model import EndpointDescriptor, Variant
from sezzlee_py.model.routes import normalize_route


def check(given: dict[str, Any], expected: dict[str, Any]) -> None:
    descriptors = [_descriptor(endpoint) for endpoint in given["endpoints"]]
    kept = [descriptors[operation.kept] for operation in fold_routes(descriptors).operations]
    naming = assign_names(
        kept,
        prefix=given.get("host_prefixes", {}).get,
        prefix_mode=given.get("prefix_mode", "always"),
        on_collision=given.get("on_collision", "error"),
    )
    fatal = {f.diagnostic.code for f in naming.findings if f.diagnostic.severity == "fatal"}
    if "error" in expected:
        assert expected["error"] in fatal
    else:
        assert fatal == set()
        assert [name for names in naming.names for name in names] == expected["names"]


def _descriptor(endpoint: dict[str, Any]) -> EndpointDescriptor:
    return EndpointDescriptor(
        method=endpoint["method"],
        route=normalize_route(endpoint["route"]).template,
        operation_id=endpoint.get("operation_id"),
        container=endpoint.get("container"),
        container_prefix=endpoint.get("container_prefix"),
        tool_name=endpoint.get("tool_name"),
        endpoint_key=endpoint.get("endpoint"),
        variants=tuple(
            Variant(name=variant["name"], description=variant["description"])
            for variant in endpoint.get("variants", ())
        ),
    )
