from typing import Any

from sezzlee_py.model import OMIT, RequestBody
from tests.unit.catalog.builders import (
    STRING,
    build,
    codes,
    endpoint,
    json_body,
    path,
    query,
    record,
)


def found(name: str, description: str, *records: Any, **facts: Any) -> list[str]:
    descriptor = endpoint(
        query("tenantId"),
        query("fq"),
        query("q"),
        description=description,
        arguments=records,
        **facts,
    )
    return codes(build(descriptor, name))


def test_a_name_or_description_that_tells_a_hidden_name_is_reported() -> None:
    hidden = record("tenantId", hidden=OMIT)
    assert found("read_by_tenant_id", "Reads.", hidden) == ["curation_leaks_name"]
    assert found("read", "Reads of the Tenant-ID.", hidden) == ["curation_leaks_name"]
    assert found("read_by_tenant_id", "Of tenant id.", hidden) == ["curation_leaks_name"] * 2
    assert found("read_tenant", "The id of a tenant.", hidden) == []


def test_a_renamed_name_counts_and_a_described_one_does_not() -> None:
    assert found("find", "Takes an fq.", record("fq", "filter")) == ["curation_leaks_name"]
    assert found("find", "Takes an fq.", record("fq", text="Filter.")) == []


def test_declared_argument_descriptions_are_searched_and_inherited_ones_are_not() -> None:
    hidden = record("tenantId", hidden=OMIT)
    assert found("find", "Finds.", hidden, record("fq", text="Within the tenant id.")) == [
        "curation_leaks_name_in_argument"
    ]
    assert found("find", "Finds.", record("fq", "filter", "An fq expression.")) == [
        "curation_leaks_name_in_argument"
    ]
    assert found("find", "Finds.", record("tenantId", hidden=OMIT, text="A tenant id.")) == []
    descriptor = endpoint(
        query("fq", description="A tenant id."), query("tenantId"), arguments=(hidden,)
    )
    assert codes(build(descriptor)) == []


def test_a_name_that_another_argument_shows_is_no_leak() -> None:
    descriptor = endpoint(
        path("code"),
        query("code"),
        description="Reads by code.",
        arguments=(record("code_query", "revision"),),
    )
    assert codes(build(descriptor)) == ["argument_renamed"]


def test_a_wire_name_without_a_token_leaks_nothing() -> None:
    assert found("find_q", "Finds q.", record("q", "words")) == []


def test_hiding_a_field_of_an_open_body_is_reported() -> None:
    body = json_body({"a": STRING}, additionalProperties=True)
    hidden, renamed = record("a", hidden=OMIT), record("a", "b")
    assert found("f", "F.", hidden, request_body=body) == ["curated_open_body"]
    assert found("f", "F.", renamed, request_body=body) == []
    assert found("f", "F.", record("fq", hidden=OMIT), request_body=body) == []
    assert found("f", "F.", hidden, request_body=json_body({"a": STRING})) == []
    root = RequestBody(schema=body.schema, required=False)
    assert found("f", "F.", record("body", hidden=OMIT), request_body=root) == [
        "optional_body_argument"
    ]
