import datetime
import decimal
import enum
import ipaddress
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, Literal, NotRequired, Optional, Required, TypeVar

import pytest
from annotated_types import Gt
from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasPath,
    AnyUrl,
    Base64Bytes,
    Base64UrlBytes,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
)
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic_core import core_schema
from typing_extensions import TypedDict

from sezzlee_py.catalog.schema.binding import Binding
from sezzlee_py.catalog.schema.types import bind_type
from tests.unit.schema.reading import check_published

OPEN = {"type": "object", "additionalProperties": True}


class Opaque:
    pass


class Word(enum.Enum):
    A = "a"
    B = "b"


class Mixed(enum.Enum):
    ONE = 1
    B = "b"


class Flags(enum.IntFlag):
    READ = 1
    WRITE = 2


class Secret(enum.Enum):
    X = object()


def bound(source: Any, mode: Literal["validation", "serialization"] = "validation") -> Any:
    result = bind_type(source, mode=mode)
    check_published(result.schema)
    return result.schema


def found(source: Any, **kwargs: Any) -> list[str]:
    return [d.code for d in bind_type(source, mode="validation", **kwargs).diagnostics]


def steady(value: object) -> str:
    """A test id without an address: workers must collect the same tests."""
    return re.sub(r" at 0x\w+", "", str(value))


@pytest.mark.parametrize(
    ("source", "schema"),
    [
        (str, {"type": "string"}),
        (bool, {"type": "boolean"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (datetime.time, {"type": "string"}),
        (datetime.timedelta, {"type": "string", "format": "duration"}),
        (datetime.datetime, {"type": "string", "format": "date-time"}),
        (datetime.date, {"type": "string", "format": "date"}),
        (uuid.UUID, {"type": "string", "format": "uuid"}),
        (AnyUrl, {"type": "string", "format": "uri", "minLength": 1}),
        (decimal.Decimal, {"type": "number"}),
        (Annotated[decimal.Decimal, Gt(0)], {"type": "number", "exclusiveMinimum": 0.0}),
        (decimal.Decimal | None, {"type": ["number", "null"]}),
        (float | str, {"anyOf": [{"type": "number"}, {"type": "string"}]}),
        (bytes, {"type": "string"}),
        (Base64Bytes, {"type": "string", "contentEncoding": "base64"}),
        (Base64UrlBytes, {"type": "string", "contentEncoding": "base64url"}),
        (Word, {"type": "string", "enum": ["a", "b"]}),
        (Mixed, {"enum": [1, "b"]}),
        (Flags, {"type": "integer"}),
        (Literal["a"], {"type": "string", "const": "a"}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (
            dict[int, str],
            {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "propertyNames": {"pattern": "^-?[0-9]+$"},
            },
        ),
        (
            dict[Annotated[int, Gt(0)], Any],
            {
                "type": "object",
                "additionalProperties": True,
                "propertyNames": {"pattern": "^-?[0-9]+$"},
            },
        ),
        (dict[str, Any], OPEN),
        (
            dict[Word, int],
            {
                "type": "object",
                "additionalProperties": {"type": "integer"},
                "propertyNames": {"type": "string", "enum": ["a", "b"]},
            },
        ),
        (Any, {}),
        (object, {}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (
            tuple[int, str],
            {
                "type": "array",
                "minItems": 2,
                "maxItems": 2,
                "prefixItems": [{"type": "integer"}, {"type": "string"}],
            },
        ),
        (Annotated[int, AfterValidator(lambda value: value)], {"type": "integer"}),
        ("int", {"type": "integer"}),
        (ipaddress.IPv4Address, {"type": "string", "format": "ipv4"}),
    ],
    ids=steady,
)
def test_a_type_has_its_schema_in_requests(source: Any, schema: Any) -> None:
    assert bound(source) == schema
    assert found(source) == []


def test_answers_hold_what_the_serialiser_writes() -> None:
    schema = bound(decimal.Decimal, "serialization")
    assert schema["type"] == "string"


def test_bytes_of_a_model_are_encoded_as_its_config_says() -> None:
    class Blob(BaseModel):
        model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")

        data: bytes

    assert bound(Blob)["properties"] == {"data": {"type": "string", "contentEncoding": "base64"}}
    written = bound(Blob, "serialization")["properties"]
    assert written == {"data": {"type": "string", "contentEncoding": "base64url"}}


class Node(BaseModel):
    """One node."""

    name: str = Field(default="x", description="its name", examples=["a"])
    kids: "list[Node]" = []


T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    items: list[T]
    next: Optional["Page[T]"] = None


def test_a_recursive_model_keeps_a_definition_of_itself() -> None:
    node = {
        "type": "object",
        "description": "One node.",
        "properties": {
            "name": {"type": "string", "description": "its name", "examples": ["a"]},
            "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        },
    }
    assert bound(Node) == {**node, "$defs": {"Node": node}}


def test_generics_keep_pydantics_spelling() -> None:
    schema = bound(Page[Node])
    assert list(schema["$defs"]) == ["Node", "Page_Node_"]


def test_fields_stand_base_first_under_their_wire_names() -> None:
    class Base(BaseModel):
        b: int
        a: int = 1

    class Child(Base):
        c: int = Field(alias="see", serialization_alias="written")
        d: int = Field(validation_alias=AliasChoices(AliasPath("x", 0), "dee", "other"))

    schema = bound(Child)
    assert (list(schema["properties"]), schema["required"]) == (
        ["b", "a", "see", "dee"],
        ["b", "see", "dee"],
    )
    assert list(bound(Child, "serialization")["properties"]) == ["b", "a", "written", "d"]
    assert found(Child) == []


def test_a_path_alias_is_no_name_and_is_reported() -> None:
    class Deep(BaseModel):
        x: int = Field(validation_alias=AliasPath("a", 0))

    assert list(bound(Deep)["properties"]) == ["x"]
    assert found(Deep) == ["naming_policy_unresolved"]


@dataclass
class Point:
    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)


@pydantic_dataclass
class Size:
    w: int


class Options(TypedDict, total=False):
    name: Required[str]
    size: int


@pytest.mark.parametrize(
    ("source", "names", "required"),
    [
        (Point, ["x", "y", "tags"], ["x"]),
        (Size, ["w"], ["w"]),
        (Options, ["name", "size"], ["name"]),
    ],
)
def test_other_classes_with_fields_are_read(source: Any, names: Any, required: Any) -> None:
    schema = bound(source)
    assert (list(schema["properties"]), schema["required"]) == (names, required)


@dataclass
class Holder:
    thing: Opaque
    n: int = 1


class Loose(TypedDict):
    thing: Opaque
    n: NotRequired[int]


class Lenient(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    thing: Opaque
    call: Callable[[], int] | None = None


@pytest.mark.parametrize(
    ("source", "schema"),
    [
        (Opaque, OPEN),
        (list[Opaque], {"type": "array", "items": OPEN}),
        (
            Holder,
            {
                "type": "object",
                "properties": {"thing": OPEN, "n": {"type": "integer"}},
                "required": ["thing"],
            },
        ),
        (
            Loose,
            {
                "type": "object",
                "properties": {"thing": OPEN, "n": {"type": "integer"}},
                "required": ["thing"],
            },
        ),
        ("Nowhere", OPEN),
        ({"type": object()}, OPEN),
        ({"minimum": float("nan")}, OPEN),
    ],
    ids=steady,
)
def test_what_cannot_be_read_is_any_object(source: Any, schema: Any) -> None:
    assert bound(source) == schema
    assert found(source) == ["unreadable_shape"]


def test_only_the_unreadable_field_of_a_lenient_model_is_open() -> None:
    assert bound(Lenient)["properties"]["thing"] == OPEN
    assert set(found(Lenient)) == {"unreadable_shape"}


def test_a_dictionary_whose_keys_json_cannot_write_loses_its_values_shape() -> None:
    assert bound(dict[tuple[int, int], str]) == OPEN
    assert found(dict[tuple[int, int], str]) == ["unsupported_dictionary_key"]


def test_an_enum_without_wire_form_is_told() -> None:
    assert bound(Secret) == {"anyOf": [{"type": "string", "enum": ["X"]}, {}]}
    assert found(Secret) == ["enum_format_unresolved"]


class Patch:
    """A type whose wire form is not its members."""

    hidden: int

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(cls, handler(list[dict[str, Any]]))


def test_a_custom_core_schema_binds_to_what_its_validator_reads() -> None:
    assert bound(Patch) == {"type": "array", "items": OPEN}


class Wild(BaseModel):
    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> Any:
        raise ZeroDivisionError("host code")


def test_a_hook_of_the_host_that_raises_is_a_finding() -> None:
    assert bound(Wild) == OPEN
    assert found(Wild) == ["unreadable_shape"]


def test_a_schema_of_the_host_is_copied_word_for_word() -> None:
    schema: dict[str, Any] = {"title": "T", "type": "object", "properties": {"a": {"default": 1}}}
    result = bind_type(schema, mode="validation")
    assert result.schema == schema
    result.schema["properties"]["a"]["default"] = 2
    assert schema["properties"]["a"]["default"] == 1


def test_a_type_shape_wins_over_reflection_wherever_the_type_stands() -> None:
    def shape(of_type: Any) -> dict[str, Any] | None:
        return {"type": "string", "format": "money"} if of_type in (Opaque, Point) else None

    class Order(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)

        total: Opaque
        at: Point | None = None

    result = bind_type(Order, mode="validation", type_shape=shape)
    money = {"type": "string", "format": "money"}
    assert result.schema["properties"] == {
        "total": money,
        "at": {"type": ["string", "null"], "format": "money"},
    }
    assert result.findings == ()
    assert bind_type(Opaque, mode="validation", type_shape=shape).schema == money
    assert bind_type(Holder, mode="validation", type_shape=shape).schema["properties"] == {
        "thing": money,
        "n": {"type": "integer"},
    }


def test_a_type_name_names_the_definition() -> None:
    binding = Binding(type_name=lambda of_type: "Knoten" if of_type is Node else None)
    result = binding.bind(Node, "validation")
    assert list(result.schema["$defs"]) == ["Knoten"]
    assert result.findings == ()


def test_text_annotations_are_looked_up_where_the_handler_stands() -> None:
    binding = Binding(namespace={"N": Node})
    assert binding.bind("list[N]", "validation").schema["type"] == "array"


def test_a_depth_limit_opens_what_lies_deeper() -> None:
    class Inner(BaseModel):
        deep: dict[str, list[int]]
        n: int

    class Outer(BaseModel):
        inner: Inner
        tree: Node | None = None

    result = bind_type(Outer, mode="validation", max_depth=1)
    assert result.schema["properties"]["inner"] == {
        "type": "object",
        "properties": {"deep": OPEN, "n": {"type": "integer"}},
        "required": ["deep", "n"],
    }
    assert [finding.code for finding in result.findings] == ["schema_depth_truncated"]
    check_published(result.schema)
    assert bind_type(Outer, mode="validation", max_depth=9).findings == ()
