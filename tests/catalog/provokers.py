"""One application or document per diagnostic code: what a developer writes to be told of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import Enum
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import Cookie, FastAPI, Header, Query, Request
from pydantic import AliasPath, BaseModel, ConfigDict, Field, create_model
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

import sezzlee_fastapi
import sezzlee_starlette
from sezzlee_fastapi import FastAPIAdapter
from sezzlee_py import (
    OMIT,
    Arg,
    CatalogError,
    Constant,
    CurationRule,
    Diagnostic,
    Member,
    Options,
    Provider,
    mcp_family,
    mcp_ignore,
    mcp_tool,
    mcp_variant,
)
from sezzlee_py.catalog.adapter import DiscoveredOperation, Discovery
from sezzlee_py.catalog.build import build_catalog
from sezzlee_py.model import (
    EndpointDescriptor,
    Parameter,
    ParameterLocation,
    RequestBody,
    Variant,
)
from sezzlee_py.openapi import ingest, join_document

Diagnostics: TypeAlias = tuple[Diagnostic, ...]
Provoker: TypeAlias = Callable[[], Diagnostics]

# Codes that no application of this SDK can be told, each with the reason.
RESERVED = {
    "conflicting_body_modes": "templates are built from descriptors, which hold one body",
    "server_variable_invalid": "documents describe an application that is called in process",
    "server_url_unresolvable": "documents describe an application that is called in process",
    "server_host_not_allowed": "documents describe an application that is called in process",
    "security_unsatisfiable": "the caller's own credential travels, none of the document's",
}

PROVOKERS: dict[str, Provoker] = {}
DOCUMENTED: set[str] = set()


def provokes(code: str) -> Callable[[Provoker], Provoker]:
    def keep(provoker: Provoker) -> Provoker:
        PROVOKERS[code] = provoker
        return provoker

    return keep


def documents(code: str) -> Callable[[Provoker], Provoker]:
    """The same for a code that is found in a document, at a pointer instead of a function."""
    DOCUMENTED.add(code)
    return provokes(code)


# --- how an application is read -----------------------------------------------------------------


def told(app: FastAPI, options: Options | None = None, **sections: Any) -> Diagnostics:
    """What the developer of a FastAPI application is told when it starts."""
    options = options or Options(**sections)
    options.naming.prefix = options.naming.prefix or (lambda _: "")
    return _built(sezzlee_fastapi.mount_mcp(app, options=options))


def told_starlette(*routes: Route, **sections: Any) -> Diagnostics:
    """What the developer of a Starlette application is told when it starts."""
    app = Starlette(routes=list(routes))
    return _built(sezzlee_starlette.mount_mcp(app, options=Options(**sections)))


def _built(sezzlee: Any) -> Diagnostics:
    try:
        diagnostics: Diagnostics = sezzlee.build().diagnostics
    except CatalogError as fault:
        return fault.diagnostics
    return diagnostics


def described(*parameters: Parameter, **facts: Any) -> Diagnostics:
    """What is told of an operation that an adapter describes, where no framework writes it."""
    facts.setdefault("method", "GET")
    facts.setdefault("route", "/things")
    descriptor = EndpointDescriptor(
        parameters=parameters, source=f"{__name__}:described", line=1, **facts
    )
    found = DiscoveredOperation(descriptor=descriptor, endpoint=described, accepts=())
    options = Options(selection={"default": "include"})
    return build_catalog(Discovery(operations=(found,)), options).diagnostics


def parameter(name: str, location: str, schema: Any = None, **facts: Any) -> Parameter:
    return Parameter(
        name=name,
        location=ParameterLocation(location),
        schema={"type": "string"} if schema is None else schema,
        **facts,
    )


def documented(operation: dict[str, Any], path: str = "/a", **root: Any) -> Diagnostics:
    """What is told of a document with one operation."""
    method = "post" if "requestBody" in operation else "get"
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {path: {method: {"responses": {}, **operation}}},
        **root,
    }
    return ingest(document).diagnostics


def swagger(operation: dict[str, Any], **root: Any) -> Diagnostics:
    """What is told of a Swagger 2.0 document with one operation."""
    return ingest(
        {
            "swagger": "2.0",
            "info": {"title": "t", "version": "1"},
            "paths": {"/a": {"post": {"responses": {}, **operation}}},
            **root,
        }
    ).diagnostics


# --- names and selection ------------------------------------------------------------------------


@provokes("name_collision")
def two_declared_names() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("export")
    def first() -> None: ...

    @app.get("/b")
    @mcp_tool("export")
    def second() -> None: ...

    return told(app)


@provokes("invalid_name")
def a_tag_outside_ascii() -> Diagnostics:
    app = FastAPI()

    @app.get("/a", tags=["Ödeme"])
    @mcp_tool
    def pay() -> None: ...

    return _built(sezzlee_fastapi.mount_mcp(app))


@provokes("ambiguous_selection")
def offered_and_ignored() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool
    @mcp_ignore
    def read() -> None: ...

    return told(app)


@provokes("long_tool_name")
def a_name_of_many_words() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("read_" + "_".join(["word"] * 13))
    def read() -> None: ...

    return told(app)


@provokes("name_disambiguated")
def two_functions_of_one_name() -> Diagnostics:
    app = FastAPI()
    for path in ("/counter/apps", "/chatbot/apps"):

        @app.post(path)
        @mcp_tool
        def create() -> None: ...

    return told(app)


@provokes("route_folded")
def one_function_on_two_routes() -> Diagnostics:
    app = FastAPI()

    @app.get("/orders")
    @app.get("/v1/orders")
    @mcp_tool
    def list_orders() -> None: ...

    return told(app)


@provokes("catch_all_skipped")
def a_page_for_every_path() -> Diagnostics:
    app = FastAPI()

    @app.get("/{rest:path}")
    def page(rest: str) -> None: ...

    return told(app, selection={"default": "include"})


@provokes("route_shadowed")
def a_route_behind_a_wider_one() -> Diagnostics:
    app = FastAPI()

    @app.get("/orders/{order_id}")
    def read(order_id: str) -> None: ...

    @app.get("/orders/latest")
    @mcp_tool
    def latest() -> None: ...

    return told(app)


@provokes("unsupported_method")
def a_trace_route() -> Diagnostics:
    app = FastAPI()

    @app.api_route("/a", methods=["TRACE"])
    @mcp_tool
    def trace() -> None: ...

    return told(app)


@provokes("duplicate_tag")
def tags_that_fold_alike() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool(tags=["Orders", "ORDERS"])
    def read() -> None: ...

    return told(app)


@provokes("empty_tag")
def a_tag_of_a_mark_alone() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool(tags=["\u0301"])
    def read() -> None: ...

    return told(app)


@provokes("duplicate_search_term")
def terms_that_fold_alike() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool(search_terms=["Café", "CAFE"])
    def read() -> None: ...

    return told(app)


@provokes("empty_search_term")
def a_term_of_a_mark_alone() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool(search_terms=["\u0301"])
    def read() -> None: ...

    return told(app)


# --- curation -----------------------------------------------------------------------------------


def tenants(arguments: dict[str, Arg] | None = None) -> FastAPI:
    app = FastAPI()

    @app.get("/a/{tenant_id}")
    @mcp_tool("read_orders", description="Read orders.", arguments=arguments)
    def read(tenant_id: str, page: int = 1, size: int = 10) -> None: ...

    return app


@provokes("ambiguous_curation")
def two_rules_that_differ() -> Diagnostics:
    rules = [
        CurationRule(route="/a/**", arguments={"page": Arg("number")}),
        CurationRule(route="/a/*", arguments={"page": Arg("sheet")}),
    ]
    return told(tenants(), curation={"rules": rules})


@provokes("sealed_curation_overridden")
def a_decorator_against_a_seal() -> Diagnostics:
    sealed = CurationRule(arguments={"tenant_id": Arg(hidden=Constant("t1"))}, seal=True)
    return told(tenants({"tenant_id": Arg("tenant")}), curation={"rules": [sealed]})


@provokes("hidden_required_omitted")
def a_required_query_left_out() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("read", arguments={"page": Arg(hidden=OMIT)})
    def read(page: int) -> None: ...

    return told(app)


@provokes("argument_collision")
def a_rename_to_a_taken_name() -> Diagnostics:
    return told(tenants({"page": Arg("size")}))


@provokes("curation_unresolved")
def a_misspelt_argument() -> Diagnostics:
    return told(tenants({"pag": Arg("number")}))


@provokes("invalid_fill_constant")
def a_text_for_an_integer() -> Diagnostics:
    return told(tenants({"page": Arg(hidden=Constant("one"))}))


@provokes("unknown_fill_source")
def a_provider_nobody_registered() -> Diagnostics:
    return told(tenants({"tenant_id": Arg(hidden=Provider("tenent"))}), fills={"tenant": print})


@provokes("curation_leaks_name")
def a_name_that_tells_what_is_hidden() -> Diagnostics:
    app = FastAPI()

    @app.get("/a/{tenant_id}")
    @mcp_tool("read_orders_by_tenant_id", arguments={"tenant_id": Arg(hidden=Constant("t1"))})
    def read(tenant_id: str) -> None: ...

    return told(app)


@provokes("curation_leaks_name_in_argument")
def a_description_that_tells_what_is_hidden() -> Diagnostics:
    hidden = Arg(hidden=Constant("t1"))
    return told(tenants({"tenant_id": hidden, "page": Arg(description="Within the tenant id.")}))


@provokes("curation_unused_on_kept_route")
def a_rule_for_a_folded_route() -> Diagnostics:
    app = FastAPI()

    @app.get("/orders")
    @app.get("/v1/orders")
    @mcp_tool
    def list_orders(page: int = 1) -> None: ...

    rule = CurationRule(route="/v1/**", arguments={"page": Arg("number")})
    return told(app, curation={"rules": [rule]})


class Settings(BaseModel):
    model_config = ConfigDict(extra="allow")
    owner: str = ""


@provokes("curated_open_body")
def a_hidden_field_of_an_open_body() -> Diagnostics:
    app = FastAPI()

    @app.post("/a")
    @mcp_tool("save", arguments={"owner": Arg(hidden=OMIT)})
    def save(settings: Settings) -> None: ...

    return told(app)


# --- variants and families ----------------------------------------------------------------------


@provokes("variant_declaration_conflict")
def a_name_beside_variants() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("read")
    @mcp_variant("read_new", description="Read new ones.")
    def read() -> None: ...

    return told(app)


@provokes("variant_indistinguishable")
def two_variants_that_look_alike() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_variant("read_new", description="Read.", arguments={"new": Arg(hidden=Constant(True))})
    @mcp_variant("read_old", description="Read.", arguments={"new": Arg(hidden=Constant(False))})
    def read(new: bool) -> None: ...

    return told(app)


@provokes("variant_body_without_family")
def a_variant_with_a_body() -> Diagnostics:
    body = RequestBody(schema={"type": "object", "properties": {}})
    variant = Variant(name="save", description="Save.", request_body=body)
    return described(method="POST", variants=(variant,))


CLOSE = Member(key="close", name="close_month", description="Close a month.")


def dispatcher(parameter: str, *members: Member, source: str | None = None) -> FastAPI:
    app = FastAPI()

    @app.post("/rpc/{method_id}")
    @mcp_family(parameter, members=None if source else members, source=source)
    def rpc(method_id: str, ids: Annotated[list[int], Query()] = []) -> None:  # noqa: B006
        ...

    return app


@provokes("variant_body_invalid")
def a_member_whose_body_points_outside() -> Diagnostics:
    body = {"$ref": "https://example.org/schema.json"}
    return told(dispatcher("method_id", replace(CLOSE, body=body)))


@provokes("family_parameter_unresolved")
def a_misspelt_dispatch_parameter() -> Diagnostics:
    return told(dispatcher("method", CLOSE))


@provokes("family_without_members")
def a_family_of_nobody() -> Diagnostics:
    return told(dispatcher("method_id"))


@provokes("family_key_unfilled")
def a_member_whose_key_is_visible() -> Diagnostics:
    return told(dispatcher("method_id", replace(CLOSE, arguments={"method_id": Arg()})))


@provokes("family_key_duplicate")
def two_members_with_one_key() -> Diagnostics:
    return told(dispatcher("method_id", CLOSE, replace(CLOSE, name="shut_month")))


@provokes("unknown_family_source")
def a_source_nobody_registered() -> Diagnostics:
    return told(dispatcher("method_id", source="rcp"), families={"rpc": list})


def _failing() -> list[Member]:
    raise OSError("no database")


@provokes("family_source_failed")
def a_source_that_never_succeeded() -> Diagnostics:
    return told(dispatcher("method_id", source="rpc"), families={"rpc": _failing})


@provokes("family_not_loaded")
def a_source_that_is_still_loading() -> Diagnostics:
    options = Options(families={"rpc": list})
    discovery = FastAPIAdapter(dispatcher("method_id", source="rpc")).discover()
    return build_catalog(discovery, options).diagnostics


@provokes("family_source_stale")
def a_source_that_failed_later() -> Diagnostics:
    answers: Iterator[list[Member]] = iter([[CLOSE]])
    sezzlee = sezzlee_fastapi.mount_mcp(
        dispatcher("method_id", source="rpc"),
        options=Options(families={"rpc": lambda: next(answers)}),
    )
    sezzlee.build()
    return sezzlee.reload().diagnostics


@provokes("family_member_rejected")
def a_row_without_a_description() -> Diagnostics:
    rows = [CLOSE, replace(CLOSE, key="open", name="open_month", description="")]
    return told(dispatcher("method_id", source="rpc"), families={"rpc": lambda: rows})


# --- parameters ---------------------------------------------------------------------------------


@provokes("argument_renamed")
def one_name_in_two_places() -> Diagnostics:
    app = FastAPI()

    @app.get("/a/{id}")
    @mcp_tool("read")
    def read(id: str, other: Annotated[str, Query(alias="id")]) -> None: ...

    return told(app)


@provokes("duplicate_argument")
def one_name_twice_in_the_query() -> Diagnostics:
    return described(parameter("id", "query"), parameter("id", "query"))


@provokes("identity_carrier_parameter")
def a_required_forwarding_header() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("read")
    def read(x_forwarded_for: Annotated[str, Header()]) -> None: ...

    return told(app)


@provokes("reserved_header_parameter_ignored")
def an_optional_forwarding_header() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("read")
    def read(x_forwarded_for: Annotated[str, Header()] = "") -> None: ...

    return told(app)


@provokes("credential_parameter_ignored")
def the_callers_own_header() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("read")
    def read(authorization: Annotated[str, Header()] = "") -> None: ...

    return told(app)


@provokes("identity_cookie_parameter")
def a_session_cookie() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("read")
    def read(session: Annotated[str, Cookie()] = "") -> None: ...

    return told(app)


@documents("identity_cookie_uncovered")
def a_session_cookie_that_no_scheme_names() -> Diagnostics:
    cookie = {"name": "session", "in": "cookie", "schema": {"type": "string"}}
    return documented({"parameters": [cookie]})


@provokes("header_parameter_array")
def a_header_that_repeats() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("read")
    def read(x_tag: Annotated[list[str], Header()]) -> None: ...

    return told(app)


class Tree(BaseModel):
    name: str
    children: list[Tree] = []


def queried(query: Any, body: Any = None, method: str = "GET") -> Diagnostics:
    @mcp_tool("read", query=query, body=body)
    async def read(request: Request) -> JSONResponse:
        return JSONResponse({})

    return told_starlette(Route("/a", read, methods=[method]))


@documents("recursive_parameter_schema")
def a_tree_in_the_query() -> Diagnostics:
    tree = {"$ref": "#/components/schemas/Tree"}
    schemas = {"Tree": {"type": "object", "properties": {"child": tree}}}
    given = {"name": "tree", "in": "query", "schema": tree}
    return documented({"parameters": [given]}, components={"schemas": schemas})


@provokes("unresolved_query_shape")
def a_query_class_without_fields() -> Diagnostics:
    class Opaque:
        pass

    return queried(Opaque)


class Filter(BaseModel):
    status: str = ""
    deep: dict[str, dict[str, int]] = {}


@provokes("unbound_query_object")
def a_dict_inside_a_query_model() -> Diagnostics:
    return queried(Filter)


@provokes("query_member_shadowed")
def a_query_field_that_the_path_names() -> Diagnostics:
    @mcp_tool("read", query=create_model("Found", order_id=(str, ""), page=(int, 1)))
    async def read(request: Request) -> JSONResponse:
        return JSONResponse({})

    return told_starlette(Route("/a/{order_id}", read))


@provokes("query_notation_unparsed")
def a_group_that_fastapi_does_not_read() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("read", query="group")
    def read(filters: Annotated[Filter, Query()]) -> None: ...

    return told(app)


@provokes("unbound_header_object")
def an_object_in_an_optional_header() -> Diagnostics:
    app = FastAPI()

    @app.get("/a")
    @mcp_tool("read")
    def read(x_tags: Annotated[list[str] | None, Header()] = None) -> None: ...

    return told(app)


STRINGS = {"type": "array", "items": {"type": "string"}}
POINT = {"type": "object", "properties": {"x": {"type": "integer"}}}
DEEP = {"type": "object", "properties": {"a": POINT}}


@provokes("unsupported_array_style")
def exploded_pipes() -> Diagnostics:
    return described(parameter("ids", "query", STRINGS, style="pipeDelimited", explode=True))


@provokes("unsupported_object_style")
def an_object_in_a_header() -> Diagnostics:
    return described(parameter("x-point", "header", POINT))


@provokes("unsupported_object_nesting")
def an_object_in_an_object() -> Diagnostics:
    return described(parameter("filter", "query", DEEP, style="deepObject", explode=True))


@provokes("unsupported_parameter_style")
def a_path_style_in_the_query() -> Diagnostics:
    return described(parameter("ids", "query", style="matrix"))


@provokes("unsupported_parameter_content")
def a_parameter_in_xml() -> Diagnostics:
    return described(parameter("filter", "query", content_type="application/xml"))


@provokes("invalid_cookie_name")
def a_cookie_with_a_space() -> Diagnostics:
    return described(parameter("a b", "cookie"))


@provokes("multiple_querystring")
def two_whole_queries() -> Diagnostics:
    form = "application/x-www-form-urlencoded"
    return described(
        parameter("a", "querystring", POINT, content_type=form),
        parameter("b", "querystring", POINT, content_type=form),
    )


@provokes("querystring_with_query")
def a_whole_query_beside_a_key() -> Diagnostics:
    form = "application/x-www-form-urlencoded"
    return described(
        parameter("a", "querystring", POINT, content_type=form), parameter("b", "query")
    )


@provokes("template_rejected")
def a_get_with_a_body() -> Diagnostics:
    return described(request_body=RequestBody(schema=POINT))


# --- bodies -------------------------------------------------------------------------------------


def posted(body: Any = None, **declared: Any) -> Diagnostics:
    @mcp_tool("save", body=body, **declared)
    async def save(request: Request) -> JSONResponse:
        return JSONResponse({})

    return told_starlette(Route("/a", save, methods=["POST"]))


def bodied(model: Any, **declared: Any) -> Diagnostics:
    app = FastAPI()

    def save(body: Any) -> None: ...

    save.__annotations__["body"] = model
    app.post("/a")(mcp_tool("save", **declared)(save))
    return told(app)


@provokes("undeclared_body")
def a_view_that_says_nothing() -> Diagnostics:
    return posted()


@provokes("synthetic_body_argument")
def a_list_as_the_body() -> Diagnostics:
    return bodied(list[int])


@provokes("optional_body_argument")
def a_body_that_may_be_missing() -> Diagnostics:
    app = FastAPI()

    @app.post("/a")
    @mcp_tool("save")
    def save(body: Filter | None = None) -> None: ...

    return told(app)


@provokes("unflattenable_body_root")
def a_union_as_the_body() -> Diagnostics:
    return bodied(Filter | Tree)


@provokes("body_field_collision")
def a_field_named_like_the_path() -> Diagnostics:
    app = FastAPI()

    @app.put("/a/{status}")
    @mcp_tool("save")
    def save(status: str, body: Filter) -> None: ...

    return told(app)


@provokes("unsupported_binding")
def a_body_in_xml() -> Diagnostics:
    return posted(Filter, consumes="application/xml")


@provokes("unsupported_body_shape")
def a_model_inside_a_form() -> Diagnostics:
    return posted(Filter, consumes="application/x-www-form-urlencoded")


@provokes("content_type_not_accepted")
def text_for_a_json_route() -> Diagnostics:
    return bodied(Filter, consumes="text/plain")


@provokes("form_antiforgery_required")
def a_form_behind_a_token_check() -> Diagnostics:
    form = RequestBody(
        schema={"type": "object", "properties": {"name": {"type": "string"}}},
        content_type="application/x-www-form-urlencoded",
    )
    found = DiscoveredOperation(
        descriptor=EndpointDescriptor(
            method="POST", route="/a", request_body=form, source=f"{__name__}:described", line=1
        ),
        endpoint=described,
        accepts=(),
        antiforgery=True,
    )
    options = Options(selection={"default": "include"})
    return build_catalog(Discovery(operations=(found,)), options).diagnostics


@provokes("unresolved_file_field")
def a_multipart_view_without_names() -> Diagnostics:
    return posted(consumes="multipart/form-data")


@provokes("schema_def_conflict")
def two_schemas_of_one_name() -> Diagnostics:
    def body(kind: str) -> dict[str, Any]:
        item = {"type": "object", "properties": {"value": {"type": kind}}}
        both = {"a": {"$ref": "#/$defs/Item"}, "b": {"$ref": "#/$defs/Item"}}
        return {"type": "object", "properties": both, "$defs": {"Item": item}}

    return described(
        parameter("c", "query", body("integer"), content_type="application/json"),
        method="POST",
        request_body=RequestBody(schema=body("string")),
    )


@documents("multiple_body_bindings")
def two_bodies_in_a_document() -> Diagnostics:
    body = {"in": "body", "schema": {"type": "object"}}
    return swagger({"parameters": [{"name": "a", **body}, {"name": "b", **body}]})


# --- types --------------------------------------------------------------------------------------


@provokes("unsupported_dictionary_key")
def a_dict_with_tuples_for_keys() -> Diagnostics:
    return posted(create_model("Table", cells=(dict[tuple[int, int], str], ...)))


@provokes("unreadable_shape")
def a_class_without_a_schema() -> Diagnostics:
    class Opaque:
        pass

    return posted(
        create_model("Box", __config__={"arbitrary_types_allowed": True}, content=(Opaque, ...))
    )


@provokes("schema_def_name_disambiguated")
def two_classes_of_one_name() -> Diagnostics:
    one = create_model("Item", __module__="shop.a", a=(int, ...))
    two = create_model("Item", __module__="shop.b", b=(str, ...))
    fields: Any = {"w": (one, ...), "x": (one, ...), "y": (two, ...), "z": (two, ...)}
    return posted(create_model("Pair", **fields))


@provokes("schema_depth_truncated")
def a_schema_deeper_than_the_host_wants() -> Diagnostics:
    app = FastAPI()

    @app.post("/a")
    @mcp_tool("save")
    def save(tree: Tree) -> None: ...

    return told(app, schema={"max_depth": 1})


@provokes("enum_format_unresolved")
def an_enum_of_objects() -> Diagnostics:
    class Colour(Enum):
        RED = object()

    return posted(create_model("Paint", colour=(Colour, ...)))


@provokes("naming_policy_unresolved")
def an_alias_that_is_a_path() -> Diagnostics:
    field = Field(validation_alias=AliasPath("names", 0))
    return posted(create_model("Person", name=(Annotated[str, field], ...)))


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


@provokes("annotation_removed")
def a_union_with_a_discriminator() -> Diagnostics:
    return bodied(Annotated[Cat | Dog, Field(discriminator="kind")])


@provokes("prm_path_prefixed")
def metadata_of_an_application_below_a_prefix() -> Diagnostics:
    metadata = {
        "resource": "https://api.example/mcp",
        "authorization_servers": ["https://id.example"],
    }
    app = FastAPI()
    app.root_path = "/api"
    return told(app, resource_server={"metadata": metadata})


# --- documents ----------------------------------------------------------------------------------


@documents("openapi_document_unparseable")
def broken_json() -> Diagnostics:
    return ingest("{").diagnostics


@documents("openapi_version_unsupported")
def a_version_of_the_future() -> Diagnostics:
    return ingest({"openapi": "4.0.0", "paths": {}}).diagnostics


@documents("openapi_document_invalid")
def paths_in_a_list() -> Diagnostics:
    return ingest({"openapi": "3.1.0", "paths": []}).diagnostics


@documents("external_ref_blocked")
def a_schema_elsewhere() -> Diagnostics:
    schema = {"$ref": "https://example.org/order.json"}
    return documented({"parameters": [{"name": "a", "in": "query", "schema": schema}]})


@documents("circular_component_ref")
def a_parameter_that_is_itself() -> Diagnostics:
    loop = {"$ref": "#/components/parameters/Loop"}
    return documented({"parameters": [loop]}, components={"parameters": {"Loop": loop}})


@documents("unsupported_collection_format")
def values_between_tabs() -> Diagnostics:
    ids = {"name": "ids", "in": "query", "type": "array", "items": {"type": "string"}}
    return swagger({"parameters": [{**ids, "collectionFormat": "tsv"}]})


@documents("unsupported_media_type")
def a_documented_body_in_xml() -> Diagnostics:
    return documented({"requestBody": {"content": {"application/xml": {"schema": POINT}}}})


@documents("unsupported_encoding")
def a_part_with_headers() -> Diagnostics:
    media = {"schema": DEEP, "encoding": {"a": {"style": "deepObject"}}}
    return documented({"requestBody": {"content": {"multipart/form-data": media}}})


@documents("streaming_response_unsupported")
def a_success_that_streams() -> Diagnostics:
    return documented({"responses": {"200": {"content": {"text/event-stream": {}}}}})


@documents("ref_siblings_ignored")
def a_description_beside_a_reference() -> Diagnostics:
    schema = {"$ref": "#/components/schemas/Id", "description": "The order."}
    given = {"name": "id", "in": "query", "schema": schema}
    components = {"schemas": {"Id": {"type": "string"}}}
    return documented({"parameters": [given]}, openapi="3.0.3", components=components)


@documents("allow_empty_value_ignored")
def an_empty_value() -> Diagnostics:
    given = {"name": "a", "in": "query", "allowEmptyValue": True, "schema": {"type": "string"}}
    return documented({"parameters": [given]})


@documents("request_media_type_alternative_ignored")
def a_body_in_two_media_types() -> Diagnostics:
    media = {"schema": POINT}
    return documented({"requestBody": {"content": {"application/json": media, "text/xml": media}}})


@documents("operation_id_unusable")
def an_id_of_digits() -> Diagnostics:
    return documented({"operationId": "42"})


@documents("search_terms_invalid")
def terms_in_a_text() -> Diagnostics:
    return documented({"x-sezzlee-search-terms": "orders"})


@documents("callbacks_ignored")
def a_callback() -> Diagnostics:
    return documented({"callbacks": {"done": {}}})


@documents("links_ignored")
def a_link() -> Diagnostics:
    return documented({"responses": {"200": {"description": "", "links": {"next": {}}}}})


@documents("webhooks_ignored")
def a_webhook() -> Diagnostics:
    return documented({}, webhooks={"created": {}})


@documents("document_route_unmatched")
def an_operation_without_a_route() -> Diagnostics:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "t", "version": "1"},
        "paths": {"/gone": {"get": {"responses": {}}}},
    }
    return join_document((), document)[1]


@documents("security_scheme_unsupported")
def mutual_tls() -> Diagnostics:
    components = {"securitySchemes": {"tls": {"type": "mutualTLS"}}}
    return documented({"security": [{"tls": []}]}, components=components)
