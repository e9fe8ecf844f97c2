"""Reading a discovery in tests."""

from __future__ import annotations

from sezzlee_py.catalog.adapter import DiscoveredOperation, Discovery


def served(discovery: Discovery) -> list[DiscoveredOperation]:
    """The operations that can become tools."""
    return [
        found
        for found in discovery.operations
        if found.reachable and all(f.severity != "endpointDropped" for f in found.diagnostics)
    ]


def codes(discovery: Discovery) -> list[tuple[str, str | None]]:
    assert discovery.diagnostics == ()
    return [
        (finding.code, finding.operation)
        for found in discovery.operations
        for finding in found.diagnostics
    ]
