"""Which routes are one operation, and which of them is kept."""

import itertools

from sezzlee_py.catalog.folding import FoldedOperation, Folding, fold_routes
from sezzlee_py.model import Diagnostic, EndpointDescriptor, Severity


def descriptor(route, method="GET", operation_id="list", **facts):
    return EndpointDescriptor(method=method, route=route, operation_id=operation_id, **facts)


def test_the_shortest_route_is_kept_and_equal_lengths_go_by_code_point():
    routes = ["/v1/orders", "/b", "/a", "/B"]
    for order in itertools.permutations(routes):
        folding = fold_routes([descriptor(route, source="m:f", line=1) for route in order])
        kept = order.index("/B")
        assert folding.operations == (
            FoldedOperation(
                kept=kept,
                folded=tuple(index for index in range(4) if index != kept),
                alternate_routes=("/a", "/b", "/v1/orders"),
            ),
        )
        assert folding.diagnostics == (
            Diagnostic(
                code="route_folded",
                severity=Severity.INFO,
                message="operation 'list' is one tool on /B, because /a, /b, /v1/orders "
                "lead to the same function and are searched, never called; give a route a "
                "function of its own to offer it as well",
                operation="GET /B",
                route="/B",
                source="m:f",
                line=1,
            ),
        )


def test_whatever_belongs_to_the_identity_keeps_operations_apart():
    descriptors = [
        descriptor("/a"),
        descriptor("/b", "POST"),
        descriptor("/c", operation_id="other"),
        descriptor("/d", container="c"),
        descriptor("/e", container="c", container_key="app.c"),
        descriptor("/f", endpoint_key="f"),
        descriptor("/g", endpoint_key="g"),
    ]
    alone = tuple(FoldedOperation(kept=index) for index in range(7))
    assert fold_routes(descriptors) == Folding(operations=alone, diagnostics=())


def test_containers_fold_by_key_where_they_have_one():
    descriptors = [
        descriptor("/a", container="Orders", container_key="app.Orders"),
        descriptor("/b", container="Orders", container_key="v2.Orders"),
        descriptor("/c", container="Orders", container_key="app.Orders"),
        descriptor("/d", container="Orders"),
        descriptor("/e", "get", container="Orders"),
    ]
    assert [(o.kept, o.folded) for o in fold_routes(descriptors).operations] == [
        (0, (2,)),
        (1, ()),
        (3, (4,)),
    ]


def test_without_an_operation_id_nothing_is_grouped():
    descriptors = [descriptor("/a", operation_id=None, endpoint_key="f")] * 2
    folding = fold_routes(descriptors)
    assert folding.operations == (FoldedOperation(kept=0), FoldedOperation(kept=1))


def test_one_route_registered_twice_is_one_route_without_a_report():
    twice = [descriptor("/a", endpoint_key="f"), descriptor("/a", endpoint_key="f")]
    assert fold_routes(twice) == Folding(
        operations=(FoldedOperation(kept=0, folded=(1,)),), diagnostics=()
    )


def test_of_two_descriptors_on_one_route_the_content_decides():
    one, two = descriptor("/a", description="One."), descriptor("/a", description="Two.")
    for order in ([one, two], [two, one]):
        assert order[fold_routes(order).operations[0].kept] == one


def test_an_operation_stands_where_its_first_route_stood():
    descriptors = [descriptor("/long"), descriptor("/x", operation_id="x"), descriptor("/a")]
    assert [o.kept for o in fold_routes(descriptors).operations] == [2, 1]
