from dataclasses import replace
from typing import Any

import pytest

from sezzlee_py.catalog.family_members import lower_members, sift_members
from sezzlee_py.declaration_record import Member
from sezzlee_py.model import (
    OMIT,
    AnnotationHints,
    Arg,
    ArgumentCuration,
    Constant,
    RequestBody,
    Variant,
)

CLOSE = Member(
    key="close",
    name="close_month",
    description="Close a month.",
    arguments={"month": Arg("period")},
    body=dict,
    body_required=False,
    body_description="The month.",
    destructive=True,
)
READ = Member(key=7, name="read_balance", description="Read a balance.", read_only=True)


def bind(body: Any) -> dict[str, Any]:
    if body is None or isinstance(body, Exception):
        raise body or TypeError("no body")
    return {"type": "object"} if body is dict else body


def test_the_key_becomes_a_hidden_constant() -> None:
    assert lower_members("method_id", [CLOSE, READ], bind=bind) == (
        Variant(
            name="close_month",
            description="Close a month.",
            arguments=(
                ArgumentCuration(name="month", agent_name="period"),
                ArgumentCuration(name="method_id", hidden=Constant("close")),
            ),
            annotations=AnnotationHints(destructive=True),
            request_body=RequestBody(
                schema={"type": "object"}, required=False, description="The month."
            ),
        ),
        Variant(
            name="read_balance",
            description="Read a balance.",
            arguments=(ArgumentCuration(name="method_id", hidden=Constant(7)),),
            annotations=AnnotationHints(read_only=True),
        ),
    )


def test_a_member_may_curate_the_dispatch_parameter_itself() -> None:
    own = replace(READ, arguments={"method_id": Arg(hidden=OMIT)})
    (variant,) = lower_members("method_id", [own], bind=bind)
    assert variant.arguments == (ArgumentCuration(name="method_id", hidden=OMIT),)


@pytest.mark.parametrize(
    "bad",
    [
        None,
        {"name": "x"},
        replace(READ, name="Read"),
        replace(READ, name=3),
        replace(READ, name="close_month", key=8),
        replace(READ, key="close"),
        replace(READ, description=" "),
        replace(READ, description=None),
        replace(READ, key=None),
        replace(READ, key=["a"]),
        replace(READ, arguments=[]),
        replace(READ, arguments={"a": 1}),
        replace(READ, body=ValueError("no")),
        replace(READ, body=RuntimeError("no")),
        replace(READ, body={"$ref": "https://example.net/x"}),
    ],
)
def test_a_bad_member_of_host_data_is_left_out_alone(bad: Any) -> None:
    last = replace(READ, name="last", key="last")
    found = sift_members([CLOSE, bad, last], bind=bind)
    assert found.members == (CLOSE, last)
    assert [code for code, _ in found.findings] == ["family_member_rejected"]


def test_keys_are_compared_as_json() -> None:
    members = [replace(READ, name=f"m{at}", key=key) for at, key in enumerate(("1", 1, True, 1.0))]
    assert [m.name for m in sift_members(members, bind=bind).members] == ["m0", "m1", "m2"]
