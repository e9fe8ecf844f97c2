"""Descriptors with declarations resolved into them."""

from dataclasses import replace

from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.declared import (
    Declarations,
    DeclaredOperation,
    declare_operation,
    read_declarations,
)
from sezzlee_py.declaration import (
    Arg,
    DeclarationRecord,
    Member,
    declare,
    mcp_family,
    mcp_tool,
    mcp_variant,
)
from sezzlee_py.model import AnnotationHints, Diagnostic, EndpointDescriptor, Family, Severity

KNOWN = EndpointDescriptor(
    method="GET",
    route="/orders",
    container="orders",
    container_key="orders",
    description="List orders.",
    tags=("orders",),
    source="shop:list_orders",
    line=4,
)


class Router: ...


def discovered(endpoint, *containers, known=KNOWN):
    return DiscoveredOperation(descriptor=known, endpoint=endpoint, containers=containers)


def test_an_undeclared_operation_is_what_the_framework_knows():
    def view(): ...

    found = discovered(view, Router())
    assert declare_operation(found, "view") == DeclaredOperation(
        discovered=found,
        descriptor=replace(KNOWN, operation_id="view"),
        declarations=Declarations(),
    )


def test_the_function_beats_the_containers_per_keyword():
    @mcp_tool("orders", description="All orders.", read_only=True, search_terms=["list"])
    def view(): ...

    @mcp_tool(prefix="inner", read_only=False, idempotent=True)
    class View: ...

    outer = Router()
    declare(outer, prefix="outer", tags=["shop"], search_terms=["x"], destructive=False)
    found = declare_operation(discovered(view, View, outer), None)
    assert found.descriptor == replace(
        KNOWN,
        tool_name="orders",
        description="All orders.",
        container_prefix="inner",
        tags=("shop",),
        search_terms=("list",),
        annotations=AnnotationHints(read_only=True, destructive=False, idempotent=True),
    )
    assert found.diagnostics == ()


def test_the_records_stay_for_whoever_reads_arguments_and_bodies():
    @mcp_tool(body=int, arguments={"a": Arg("b")}, consumes="text/csv")
    def view(): ...

    router = Router()
    declare(router, arguments={"a": Arg("c")})
    found = read_declarations(discovered(view, router))
    assert found == Declarations(
        operation=DeclarationRecord(
            include=True, body=int, arguments={"a": Arg("b")}, consumes="text/csv"
        ),
        containers=(DeclarationRecord(include=True, arguments={"a": Arg("c")}),),
    )
    assert declare_operation(discovered(view, router), None, found).declarations is found


def test_variants_and_families_become_part_of_the_descriptor():
    @mcp_variant("a", description="A.")
    def varied(): ...

    @mcp_family("key", members=[Member(key=1, name="b", description="B.")])
    def family(): ...

    declared = [declare_operation(discovered(f), None) for f in (varied, family)]
    assert [variant.name for variant in declared[0].descriptor.variants] == ["a"]
    assert declared[1].descriptor.family == Family(parameter="key")
    assert declared[1].descriptor.variants == ()


def test_what_a_descriptor_came_with_stays_where_nothing_is_declared():
    known = replace(
        KNOWN,
        tool_name="t",
        container_prefix="p",
        search_terms=("s",),
        family=Family(parameter="k"),
        annotations=AnnotationHints(read_only=True),
    )
    found = declare_operation(discovered(None, known=known), None)
    assert found.descriptor == known


def test_an_empty_prefix_or_list_is_a_declaration():
    @mcp_tool(prefix="", tags=[])
    def view(): ...

    router = Router()
    declare(router, prefix="p", tags=["t"])
    found = declare_operation(discovered(view, router), None).descriptor
    assert (found.container_prefix, found.tags) == ("", ())


def test_options_speak_after_declarations_by_the_name_of_the_container():
    found = declare_operation(
        discovered(None), None, tags=lambda name: [f"of {name}"], search_terms=lambda name: [name]
    )
    assert found.descriptor.tags == ("of orders",)
    assert found.descriptor.search_terms == ("orders",)


def test_findings_about_tags_and_terms_name_the_operation():
    @mcp_tool(tags=["a", "A"], search_terms=[""])
    def view(): ...

    found = declare_operation(discovered(view), "view").diagnostics
    place = {"operation": "GET /orders", "route": "/orders", "source": KNOWN.source, "line": 4}
    assert found == tuple(
        Diagnostic(code=code, severity=Severity.WARNING, message=message, **place)
        for code, message in (
            ("duplicate_tag", "'A' is 'a' again and is left out; remove one of them"),
            ("empty_search_term", "'' says nothing and is left out; remove it"),
        )
    )
