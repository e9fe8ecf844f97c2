"""Recursive models, clashing names and body shapes, from the tool to FastAPI's handler."""

from typing import Annotated, Any, Literal, Optional

import pytest
from fastapi import Body, FastAPI, Header, Path, Query
from pydantic import BaseModel, Field

from sezzlee_fastapi import mount_mcp
from sezzlee_py import Options
from sezzlee_py.testing import AgentClient
from tests.unit.schema.reading import check_published


class Tree(BaseModel):
    value: int
    kids: list["Tree"] = []


class Left(BaseModel):
    right: Optional["Right"] = None


class Right(BaseModel):
    left: Left | None = None


Left.model_rebuild()


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]
    pals: list[Annotated["Cat | Dog", Field(discriminator="kind")]] = []


class Part(BaseModel):
    id: int = 0
    name: str = "x"


class Empty(BaseModel):
    pass


app = FastAPI()
UNSET: Any = "unset"


@app.post("/tree")
def tree(tree: Tree) -> Tree:
    return tree


@app.post("/mutual")
def mutual(left: Left, right: Right) -> Any:
    return [left, right]


@app.post("/pet")
def pet(pet: Annotated[Cat | Dog, Field(discriminator="kind")]) -> Any:
    return pet


@app.put("/clash/{id}")
def clash(
    id: Annotated[int, Path()],
    part: Part,
    q: str = "",
    header_q: Annotated[str, Header(alias="q")] = "",
) -> Any:
    return [id, part, q, header_q]


@app.get("/both/{key}")
def both(key: Annotated[str, Path(alias="key")], other: Annotated[int, Query(alias="key")]) -> Any:
    return [key, other]


@app.post("/meta")
def meta(name: Annotated[str, Body()], arguments: Annotated[int, Body()]) -> Any:
    return [name, arguments]


@app.post("/listed")
def listed(parts: list[Part]) -> Any:
    return parts


@app.post("/scalar")
def scalar(n: Annotated[int, Body()]) -> Any:
    return n


@app.post("/nullable")
def nullable(part: Annotated[Part | None, Body()]) -> Any:
    return part


@app.post("/embedded")
def embedded(part: Annotated[Part, Body(embed=True)]) -> Any:
    return part


@app.post("/several")
def several(part: Part, tree: Tree, n: Annotated[int, Body()] = 5) -> Any:
    return [part, tree, n]


@app.post("/empty")
def empty(body: Empty) -> Any:
    return body


@app.delete("/gone")
def gone(part: Part) -> Any:
    return part


@app.post("/optional")
def optional(part: Part | None = None) -> Any:
    return part


@app.post("/opened")
def opened(value: Annotated[dict[str, Any], Body()]) -> Any:
    return value


mount_mcp(
    app,
    options=Options(selection={"default": "include"}, naming={"prefix_mode": "on_collision"}),
)


@pytest.fixture(scope="module")
def agent() -> Any:
    with AgentClient(app) as client:
        yield client


NEST = {"value": 1, "kids": [{"value": 2, "kids": []}]}
PART = {"id": 3, "name": "n"}


@pytest.mark.parametrize(
    ("name", "arguments", "received"),
    [
        ("tree", NEST, NEST),
        (
            "mutual",
            {"left": {"right": {"left": {}}}, "right": {}},
            [{"right": {"left": {"right": None}}}, {"left": None}],
        ),
        (
            "pet",
            {"body": {"kind": "dog", "pals": [{"kind": "cat"}]}},
            {"kind": "dog", "pals": [{"kind": "cat"}]},
        ),
        ("clash", {"id": 1, "q": "a", "q_header": "b", "body": PART}, [1, PART, "a", "b"]),
        ("both", {"key": "k", "key_query": 4}, ["k", 4]),
        ("meta", {"name": "n", "arguments": 1}, ["n", 1]),
        ("listed", {"body": [PART]}, [PART]),
        ("listed", {"body": []}, []),
        ("scalar", {"body": 7}, 7),
        ("nullable", PART, PART),
        ("embedded", {"part": PART}, PART),
        ("several", {"part": PART, "tree": NEST}, [PART, NEST, 5]),
        ("empty", {}, {}),
        ("gone", PART, PART),
        ("optional", {}, None),
        ("optional", {"body": {}}, {"id": 0, "name": "x"}),
        ("optional", {"body": PART}, PART),
        ("opened", {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
        ("opened", {}, {}),
    ],
)
def test_arguments_reach_the_handler_as_a_client_would_send_them(
    agent: AgentClient, name: str, arguments: Any, received: Any
) -> None:
    answer = agent.invoke(name, arguments)
    assert (answer.get("status"), answer.get("body")) == (200, received), answer


def test_every_published_schema_is_sound(agent: AgentClient) -> None:
    found = agent.search("", limit=50)
    assert found["total"] == 15
    for card in found["results"]:
        tool = agent.load(card["name"])
        check_published(tool["inputSchema"])
        check_published(tool.get("outputSchema") or {})
        required = tool["inputSchema"]["required"]
        assert len(set(required)) == len(required)


@pytest.mark.parametrize("name", ["optional", "listed", "scalar"])
def test_null_is_no_body(agent: AgentClient, name: str) -> None:
    assert agent.invoke(name, {"body": None})["error"] == "null_not_allowed"
