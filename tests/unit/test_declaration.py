"""Decorators and declare(): what they leave on objects, what is read back, what they refuse."""

import functools
import gc
import http
import inspect
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from sezzlee_py.declaration import (
    Arg,
    DeclarationRecord,
    FamilyDeclaration,
    Member,
    container_records,
    declare,
    declared_objects,
    mcp_family,
    mcp_ignore,
    mcp_tool,
    mcp_variant,
    read_record,
)
from sezzlee_py.declaration_record import ATTRIBUTE
from sezzlee_py.errors import DeclarationError
from sezzlee_py.model import (
    OMIT,
    AnnotationHints,
    ArgumentCuration,
    Constant,
    Provider,
    Variant,
)


def passing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator as hosts write them, with functools.wraps."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


class Router:
    """A router as frameworks have them: it can be called and holds routes."""

    def __init__(self) -> None:
        self.routes: list[Any] = []

    def __call__(self) -> None: ...


class Blueprint:
    """A blueprint cannot be called."""


class Slotted:
    """Takes neither an attribute nor a weak reference."""

    __slots__ = ()


# --- the decorated object ---------------------------------------------------------------------


def test_decorators_return_the_very_object_they_received():
    def view(item: int) -> str: ...

    for decorator in (
        mcp_tool,
        mcp_tool("read_view"),
        mcp_variant("a", description="A."),
        mcp_family("item", source="items"),
        mcp_ignore,
    ):
        assert decorator(view) is view
    assert str(inspect.signature(view)) == "(item: int) -> str"


def test_no_body_is_a_declaration_and_none_is_silence():
    def view(): ...

    mcp_tool(body=None)(mcp_tool(body=False)(view))
    assert read_record(view) == DeclarationRecord(include=True, body=False)
    with pytest.raises(DeclarationError, match="declares body= twice"):
        mcp_tool(body=dict)(view)


def test_a_body_that_is_neither_declared_nor_denied_is_refused():
    for value in (True, ["text"], ("text",), {"text"}, 1, b"text"):
        with pytest.raises(TypeError, match="body=: expected a type, a JSON Schema, or False"):
            mcp_tool(body=value)
        with pytest.raises(TypeError, match="query=: expected a type or schema whose fields"):
            mcp_tool(query=value)
    with pytest.raises(ValueError, match="drop it, or files="):
        mcp_tool(body=False, files=["attachment"])


@pytest.mark.parametrize(
    ("declaring", "told"),
    [
        (lambda: declare(Blueprint(), tag=["a"]), "declare.* 'tag'; did you mean 'tags'"),
        (lambda: mcp_tool(tag=["a"]), "mcp_tool.* 'tag'; did you mean 'tags'"),
        (lambda: mcp_variant("a", descripton="A."), "'descripton'; did you mean 'description'"),
        (lambda: mcp_family("kind", member=[]), "mcp_family.* 'member'; did you mean 'members'"),
    ],
)
def test_a_misspelt_keyword_is_refused_with_the_one_that_was_meant(declaring, told):
    with pytest.raises(TypeError, match=told):
        declaring()


def test_a_bare_decorator_declares_nothing_but_the_offer():
    @mcp_tool
    def view(): ...

    assert read_record(view) == DeclarationRecord(include=True)


def test_a_called_decorator_without_keywords_is_the_bare_one():
    @mcp_tool()
    def view(): ...

    assert read_record(view) == DeclarationRecord(include=True)


def test_every_keyword_is_kept_as_declared():
    @mcp_tool(
        "export",
        prefix="",
        description="Export.",
        tags=["a", "b"],
        search_terms=(),
        read_only=True,
        destructive=False,
        arguments={"q": Arg("query"), "t": Arg(hidden=OMIT)},
        body={"type": "object"},
        query="group",
        responses={200: int, "2XX": str, "default": None, http.HTTPStatus.CONFLICT: dict},
        consumes="text/csv; charset=utf-8",
        files=["photo"],
    )
    def view(): ...

    assert read_record(view) == DeclarationRecord(
        include=True,
        name="export",
        prefix="",
        description="Export.",
        tags=("a", "b"),
        search_terms=(),
        hints=AnnotationHints(read_only=True, destructive=False),
        arguments={"q": Arg("query"), "t": Arg(hidden=OMIT)},
        body={"type": "object"},
        query="group",
        responses={"200": int, "2XX": str, "default": None, "409": dict},
        consumes="text/csv; charset=utf-8",
        files=("photo",),
    )


def test_ignoring_is_a_marker_of_its_own():
    @mcp_ignore
    def view(): ...

    assert read_record(view) == DeclarationRecord(exclude=True)


def test_an_undeclared_function_has_no_record():
    assert read_record(lambda: None) is None
    assert read_record(print) is None
    assert read_record(None) is None
    assert read_record(Router()) is None


# --- order of decorators ----------------------------------------------------------------------


def test_a_wrapper_above_the_decorator_carries_the_record():
    @passing
    @passing
    @mcp_tool("x")
    def view(): ...

    assert read_record(view) == DeclarationRecord(include=True, name="x")


def test_a_decorator_above_a_wrapper_reaches_the_function_below():
    def view(): ...

    mcp_tool("x")(passing(passing(view)))
    assert read_record(view) == DeclarationRecord(include=True, name="x")


def test_a_second_decorator_on_a_wrapper_writes_a_new_record():
    @mcp_tool("x")
    def view(): ...

    wrapper = passing(view)
    alone = passing(lambda: None)
    before = getattr(view, ATTRIBUTE)
    setattr(alone, ATTRIBUTE, before)
    mcp_tool(tags=["t"])(wrapper)
    both = DeclarationRecord(include=True, name="x", tags=("t",))
    assert (read_record(wrapper), read_record(view)) == (both, both)
    assert read_record(alone) == DeclarationRecord(include=True, name="x")


def test_a_record_is_read_through_partials_methods_and_wrappers():
    @mcp_tool("x")
    def view(*args): ...

    class Handler:
        method = view
        static = staticmethod(view)
        made = classmethod(view)

    wanted = DeclarationRecord(include=True, name="x")
    endpoints = [
        functools.partial(view, 1),
        functools.partial(functools.partial(passing(view), 1), 2),
        Handler().method,
        Handler.static,
        Handler.made,
        functools.partial(Handler().method, 1),
        functools.lru_cache(view),
        staticmethod(view),
    ]
    assert [read_record(endpoint) for endpoint in endpoints] == [wanted] * len(endpoints)


def test_every_kind_of_callable_can_be_decorated():
    class Handler:
        def method(self): ...

        def __call__(self): ...

    for endpoint in (
        functools.partial(print),
        Handler().method,
        Handler(),
        staticmethod(lambda: None),
        classmethod(lambda cls: None),
    ):
        mcp_tool("x")(endpoint)
        assert read_record(endpoint) == DeclarationRecord(include=True, name="x")
    assert read_record(Handler().method) == DeclarationRecord(include=True, name="x")


def test_a_callable_without_attributes_keeps_its_record_beside_it():
    builtin, other = [].append, [].append
    mcp_tool("x")(builtin)
    wanted = DeclarationRecord(include=True, name="x")
    assert [read_record(e) for e in (builtin, functools.partial(builtin))] == [wanted, wanted]
    assert read_record(other) is None


def test_variants_are_not_doubled_where_a_wrapped_object_takes_no_attribute():
    wrapper = functools.update_wrapper(lambda item: None, [].append)
    mcp_variant("b", description="B.")(wrapper)
    mcp_variant("a", description="A.")(wrapper)
    found = read_record(wrapper)
    assert found is not None
    assert [variant.name for variant in found.variants] == ["a", "b"]


def test_a_decorated_call_method_speaks_for_its_objects():
    class Handler:
        @mcp_tool("x")
        def __call__(self): ...

    assert read_record(Handler()) == DeclarationRecord(include=True, name="x")


def test_a_chain_that_bites_its_tail_ends():
    def view(): ...

    view.__wrapped__ = view
    assert read_record(view) is None
    mcp_tool("x")(view)
    assert read_record(view) == DeclarationRecord(include=True, name="x")


def test_an_object_that_answers_names_with_errors_has_no_record():
    class Proxy:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError("working outside of application context")

    assert read_record(Proxy()) is None


# --- merging ----------------------------------------------------------------------------------


def test_two_decorators_on_one_function_merge_their_keywords():
    @mcp_tool(tags=["t"], read_only=True)
    @mcp_tool("x", idempotent=True, tags=["t"])
    def view(): ...

    assert read_record(view) == DeclarationRecord(
        include=True,
        name="x",
        tags=("t",),
        hints=AnnotationHints(read_only=True, idempotent=True),
    )


def test_one_keyword_with_two_values_is_an_error_that_names_both_places():
    first = inspect.currentframe().f_lineno + 1
    lower = mcp_tool(tags=["a"])
    upper = mcp_tool(tags=[])
    view = lower(lambda: None)
    with pytest.raises(DeclarationError) as caught:
        upper(view)
    message = str(caught.value)
    assert f"{__name__}:{first}" in message
    assert f"{__name__}:{first + 1}" in message
    assert "('a',)" in message
    assert "()" in message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"name": "a"}, {"name": "b"}),
        ({"read_only": True}, {"read_only": False}),
        ({"body": int}, {"body": str}),
        ({"arguments": {"a": Arg("b")}}, {"arguments": {"a": Arg("c")}}),
        ({"responses": {200: int}}, {"responses": {200: str}}),
        ({"prefix": ""}, {"prefix": "a"}),
    ],
)
def test_contradicting_keywords_are_an_error(first, second):
    view = mcp_tool(**first)(lambda: None)
    with pytest.raises(DeclarationError):
        mcp_tool(**second)(view)
    with pytest.raises(DeclarationError):
        declare(view, **second)


def test_a_refused_declaration_changes_nothing():
    view = mcp_tool("a")(lambda: None)
    for refused in (lambda: mcp_tool("b")(view), lambda: declare(view, name="b")):
        with pytest.raises(DeclarationError):
            refused()
    assert read_record(view) == DeclarationRecord(include=True, name="a")


def test_offering_and_ignoring_one_function_keeps_both_markers():
    @mcp_ignore
    @mcp_tool
    def view(): ...

    assert read_record(view) == DeclarationRecord(include=True, exclude=True)


# --- variants and families --------------------------------------------------------------------


def test_variants_stand_in_the_order_they_are_written():
    @mcp_variant("open", description="Open.", arguments={"s": Arg(hidden=Constant("open"))})
    @mcp_variant("all", description="All.", arguments={"s": Arg()}, read_only=True)
    def view(): ...

    assert read_record(view) == DeclarationRecord(
        include=True,
        variants=(
            Variant(
                name="open",
                description="Open.",
                arguments=(ArgumentCuration(name="s", hidden=Constant("open")),),
            ),
            Variant(
                name="all",
                description="All.",
                arguments=(ArgumentCuration(name="s"),),
                annotations=AnnotationHints(read_only=True),
            ),
        ),
    )


def test_a_family_keeps_its_members_or_the_name_of_their_source():
    member = Member(key=1, name="close", description="Close.", body=int)

    @mcp_family("method_id", members=[member])
    def coded(): ...

    @mcp_family("method_id", source="rpc")
    def sourced(): ...

    @mcp_family("method_id", members=[])
    def empty(): ...

    families = [FamilyDeclaration(parameter="method_id", members=(member,))]
    families.append(FamilyDeclaration(parameter="method_id", source="rpc"))
    families.append(FamilyDeclaration(parameter="method_id", members=()))
    assert [read_record(f) for f in (coded, sourced, empty)] == [
        DeclarationRecord(include=True, family=family) for family in families
    ]


def test_one_function_is_not_two_families():
    view = mcp_family("a", source="x")(lambda: None)
    with pytest.raises(DeclarationError):
        mcp_family("b", source="x")(view)


# --- classes and routers ----------------------------------------------------------------------


def test_class_records_come_nearest_first_along_the_bases():
    @mcp_tool(tags=["base"])
    class Base:
        @mcp_tool("inherited")
        def get(self): ...

    class Between(Base): ...

    @mcp_tool(prefix="p")
    class Child(Between): ...

    assert container_records([Child]) == (
        DeclarationRecord(include=True, prefix="p"),
        DeclarationRecord(include=True, tags=("base",)),
    )
    assert container_records([Between]) == (DeclarationRecord(include=True, tags=("base",)),)
    assert read_record(Between) == DeclarationRecord(include=True, tags=("base",))
    assert read_record(Child.get) == DeclarationRecord(include=True, name="inherited")


def test_a_subclass_is_declared_without_touching_its_base():
    @mcp_tool
    class Base: ...

    @mcp_ignore
    class Child(Base): ...

    assert container_records([Base]) == (DeclarationRecord(include=True),)
    assert container_records([Child])[0] == DeclarationRecord(exclude=True)


def test_declare_speaks_about_routers_blueprints_classes_and_functions():
    class View: ...

    def function(): ...

    router, blueprint = Router(), Blueprint()
    declare(router, prefix="r")
    declare(blueprint, tags=[])
    declare(View, ignore=True)
    declare(function, name="x")
    assert container_records([View, blueprint, router, Router()]) == (
        DeclarationRecord(exclude=True),
        DeclarationRecord(include=True, tags=()),
        DeclarationRecord(include=True, prefix="r"),
    )
    assert read_record(passing(function)) == DeclarationRecord(include=True, name="x")
    # By identity, because not every router of every framework has a hash.
    alive = set(map(id, declared_objects()))
    assert {id(target) for target in (router, blueprint, View, function)} <= alive


def test_declare_leaves_the_object_as_it_is():
    def function(): ...

    router = Router()
    declare(router, prefix="r")
    declare(function, name="x")
    assert vars(router) == {"routes": []}
    assert vars(function) == {}


def test_declarations_of_one_router_merge_and_may_not_contradict():
    router = Router()
    declare(router, prefix="r")
    declare(router, tags=["t"])
    assert container_records([router]) == (
        DeclarationRecord(include=True, prefix="r", tags=("t",)),
    )
    with pytest.raises(DeclarationError):
        declare(router, prefix="s")
    declare(router, ignore=True)
    assert container_records([router])[0].exclude


def test_declare_adds_to_the_decorator_of_the_function_below_a_wrapper():
    @mcp_tool("x")
    def view(): ...

    wrapper = passing(view)
    declare(view, tags=["t"])
    declare(view, search_terms=["s"])
    assert read_record(wrapper) == DeclarationRecord(
        include=True, name="x", tags=("t",), search_terms=("s",)
    )


def test_declare_on_a_bound_method_speaks_about_its_function():
    class View:
        def get(self): ...

    declare(View().get, name="x")
    gc.collect()
    assert read_record(View().get) == DeclarationRecord(include=True, name="x")


def test_declare_keeps_no_object_alive():
    router = Router()
    declare(router, prefix="r")
    gone = weakref.ref(router)
    del router
    gc.collect()
    assert gone() is None
    assert not any(isinstance(target, Router) for target in declared_objects())


def test_an_object_without_weak_references_carries_its_record_itself():
    class Plain:
        __slots__ = (ATTRIBUTE,)

    plain = Plain()
    declare(plain, prefix="p")
    declare(plain, tags=["t"])
    assert container_records([plain]) == (DeclarationRecord(include=True, prefix="p", tags=("t",)),)


def test_objects_are_told_apart_by_identity_not_equality():
    class Alike:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None

    one, two = Alike(), Alike()
    declare(one, prefix="p")
    assert (len(container_records([one])), container_records([two])) == (1, ())


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "keywords",
    [
        {"name": 1},
        {"prefix": ["a"]},
        {"description": b"x"},
        {"tags": "billing"},
        {"tags": {"billing"}},
        {"tags": [1]},
        {"search_terms": "billing"},
        {"files": "photo"},
        {"read_only": 1},
        {"destructive": "yes"},
        {"idempotent": 0},
        {"arguments": ["a"]},
        {"arguments": {1: Arg()}},
        {"arguments": {"a": "b"}},
        {"arguments": {"a": Arg(hidden=1)}},
        {"arguments": {"a": Arg(1)}},
        {"responses": int},
        {"responses": {1.5: int}},
        {"responses": {True: int}},
        {"consumes": ["text/csv"]},
        {"tag": ["a"]},
    ],
    ids=str,
)
def test_wrong_types_and_unknown_keywords_are_type_errors(keywords):
    with pytest.raises(TypeError):
        mcp_tool(**keywords)
    with pytest.raises(TypeError):
        declare(lambda: None, **keywords)


@pytest.mark.parametrize(
    "keywords",
    [
        {"query": "grouped"},
        {"responses": {99: int}},
        {"responses": {"6XX": int}},
        {"consumes": "csv"},
        {"consumes": "text/csv, text/plain"},
        {"arguments": {"a": Arg("a.b")}},
        {"arguments": {"a": Arg("")}},
        {"arguments": {"a": Arg(description=" ")}},
    ],
    ids=str,
)
def test_unusable_values_are_value_errors(keywords):
    with pytest.raises(ValueError, match=r"expected|agent name"):
        mcp_tool(**keywords)


@pytest.mark.parametrize("keyword", ["name", "description", "body", "query", "responses", "files"])
def test_what_speaks_about_one_operation_is_refused_on_classes_and_routers(keyword):
    values = {"responses": {200: int}, "files": ["a"], "query": "flat"}
    keywords = {keyword: values.get(keyword, "x")}
    with pytest.raises(TypeError, match=keyword):
        mcp_tool(**keywords)(type("View", (), {}))
    with pytest.raises(TypeError, match=keyword):
        declare(Router(), **keywords)


@pytest.mark.parametrize(
    "decorator",
    [mcp_variant("a", description="A."), mcp_family("a", source="b")],
)
def test_variants_and_families_are_refused_on_classes(decorator):
    with pytest.raises(TypeError, match="function"):
        decorator(type("View", (), {}))


@pytest.mark.parametrize("target", [Router(), SimpleNamespace(url_map=1), 3, None, Slotted()])
def test_decorators_take_functions_and_classes_only(target):
    for decorator in (mcp_tool(), mcp_ignore, mcp_variant("a", description="A.")):
        with pytest.raises(TypeError, match=r"takes a function|takes no|got"):
            decorator(target)


@pytest.mark.parametrize("target", [3, None, "app.orders", Slotted(), []])
def test_declare_refuses_what_nothing_can_be_kept_beside(target):
    with pytest.raises(TypeError, match="declare"):
        declare(target, prefix="p")


def test_a_callable_that_takes_nothing_cannot_be_decorated():
    class Bare:
        __slots__ = ()

        def __call__(self): ...

    with pytest.raises(TypeError, match="cannot carry"):
        mcp_tool("x")(Bare())


def test_ignoring_stands_alone():
    with pytest.raises(TypeError, match="tags"):
        declare(Router(), ignore=True, tags=["a"])


def test_incomplete_variants_and_families_are_refused():
    with pytest.raises(TypeError):
        mcp_variant("a")
    with pytest.raises(TypeError):
        mcp_variant(1, description="A.")
    with pytest.raises(ValueError, match="description"):
        mcp_variant("a", description="")
    with pytest.raises(TypeError, match="either"):
        mcp_family("a")
    with pytest.raises(TypeError, match="either"):
        mcp_family("a", members=[], source="x")
    with pytest.raises(TypeError, match="Member"):
        mcp_family("a", members=[{"key": 1}])


def test_fills_of_every_kind_are_accepted():
    arguments = {
        "a": Arg(hidden=Provider("tenant")),
        "b": Arg(hidden=Constant(None)),
        "c": Arg(hidden=OMIT),
    }
    view = mcp_tool(arguments=arguments)(lambda: None)
    assert read_record(view) == DeclarationRecord(include=True, arguments=arguments)
