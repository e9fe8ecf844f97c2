"""Who is calling: carriers, projection, and the key that tells callers apart."""

import hashlib
from typing import Any

import pytest

from sezzlee_py.callers.identity import McpCaller, Projection, digest_input, identify
from sezzlee_py.errors import InvocationError
from sezzlee_py.invoke.settle import settle_on_loop
from sezzlee_py.model import OuterRequest

CARRIERS = ("authorization", "cookie", "x-api-key")


def outer(*headers: tuple[str, str]) -> OuterRequest:
    return OuterRequest(headers=headers, client=("192.0.2.7", 4711))


async def caller(
    *headers: tuple[str, str], project: Any = None, carriers: tuple[str, ...] = CARRIERS
) -> McpCaller:
    return await identify(outer(*headers), carriers, project, settle_on_loop)


async def test_only_carriers_are_read_and_cookies_become_one() -> None:
    found = await caller(
        ("x-api-key", "k1"),
        ("cookie", "a=1"),
        ("x-user", "root"),
        ("x-api-key", "k2"),
        ("cookie", "b=2"),
    )
    assert found.fields == (("x-api-key", "k1"), ("x-api-key", "k2"), ("cookie", "a=1; b=2"))
    assert found.headers == {"x-api-key": "k1, k2", "cookie": "a=1; b=2"}
    assert found.client == ("192.0.2.7", 4711)


def test_the_digest_s_text_has_a_line_per_carrier_in_order() -> None:
    request = outer(("x-api-key", "k1"), ("x-api-key", "k2"), ("authorization", "Bearer t"))
    assert digest_input(request, ("X-Api-Key", "Authorization", "Cookie")) == (
        "authorization=Bearer t\ncookie=\nx-api-key=k1,k2\n"
    )
    assert digest_input(outer()) == "authorization=\n"


async def test_the_scope_key_is_the_digest_of_that_text() -> None:
    found = await caller(("authorization", "Bearer t"))
    text = digest_input(outer(("authorization", "Bearer t")), CARRIERS)
    assert found.scope_key == hashlib.sha256(text.encode()).hexdigest()


async def test_what_is_no_carrier_changes_no_key() -> None:
    one = await caller(("authorization", "t"), ("user-agent", "a"))
    two = await caller(("authorization", "t"), ("user-agent", "b"))
    other = await caller(("authorization", "T"))
    assert one.scope_key == two.scope_key != other.scope_key


@pytest.mark.parametrize("project", [None, lambda _: {}])
async def test_what_travels_of_the_environ_keeps_callers_apart(project: Any) -> None:
    async def key(*names: str, **environ: Any) -> str:
        request = OuterRequest(native={"PATH_INFO": "/mcp", **environ})
        found = await identify(request, CARRIERS, project, settle_on_loop, environ=names)
        assert found.environ == environ
        return found.scope_key

    names = ("REMOTE_USER", "SSL_CLIENT_CERT")
    keys = [
        await key(*names),
        await key(*names, REMOTE_USER="ada"),
        await key(*names, REMOTE_USER="grace"),
        await key(*names, SSL_CLIENT_CERT="ada"),
        await key(*names, SSL_CLIENT_CERT="c", REMOTE_USER="ada"),
        await key(*names, SSL_CLIENT_CERT="c\nREMOTE_USER='ada'"),
    ]
    assert len(set(keys)) == len(keys)
    assert await key(*reversed(names), REMOTE_USER="ada") == keys[1]
    # Nothing that does not travel tells callers apart.
    assert keys[0] == await key() == (await caller()).scope_key


async def test_a_projection_that_reads_more_than_carriers_keeps_callers_apart() -> None:
    def by_tenant(request: OuterRequest) -> dict[str, str | None]:
        return {"x-api-key": request.header("x-tenant")}

    keys = {
        (await caller(("authorization", "t"), ("x-tenant", tenant), project=by_tenant)).scope_key
        for tenant in ("a", "b")
    }
    assert len(keys) == 2


async def test_a_projection_that_removes_every_credential_keeps_callers_apart() -> None:
    def hide(request: OuterRequest) -> Projection:
        return Projection({"authorization": None}, {"token": request.header("authorization")})

    callers = [await caller(("authorization", token), project=hide) for token in ("a", "b")]
    assert [found.fields for found in callers] == [(), ()]
    assert callers[0].scope_key != callers[1].scope_key
    assert [found.attributes["token"] for found in callers] == ["a", "b"]


async def test_an_async_projection_replaces_and_leaves_the_rest() -> None:
    async def internal(request: OuterRequest) -> dict[str, str | None]:
        return {"X-Api-Key": "internal"}

    found = await caller(("x-api-key", "k1"), ("cookie", "a=1"), project=internal)
    assert found.fields == (("cookie", "a=1"), ("x-api-key", "internal"))


async def test_a_projection_that_says_nothing_changes_nothing() -> None:
    plain = await caller(("cookie", "a=1"))
    found = await caller(("cookie", "a=1"), project=lambda _: None)
    assert (found.fields, found.scope_key) == (plain.fields, plain.scope_key)


@pytest.mark.parametrize("value", ["a\r\nx-admin: 1", "a\0", "snow\u2603man", "\u0100", 7])
async def test_a_projected_value_that_no_header_can_carry_is_removed(
    value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    found = await caller(("x-api-key", "k"), project=lambda _: {"x-api-key": value})
    assert found.fields == ()
    # The log tells whose value it was and never the value.
    (record,) = caplog.records
    assert "'x-api-key'" in record.getMessage()
    assert repr(value) not in record.getMessage()


@pytest.mark.parametrize(
    "answer", [{"x-admin": "1"}, ["x-api-key"], {1: "a"}, Projection({"host": "evil"})]
)
async def test_a_projection_beyond_the_carriers_is_refused(answer: Any) -> None:
    with pytest.raises(InvocationError) as refused:
        await caller(project=lambda _: answer)
    assert refused.value.code == "internal_error"


@pytest.mark.parametrize("fault", [RuntimeError("token s3cret"), SystemExit("token s3cret")])
async def test_a_projection_that_raises_is_refused_without_its_words(fault: BaseException) -> None:
    def broken(_: OuterRequest) -> None:
        raise fault

    with pytest.raises(InvocationError) as refused:
        await caller(project=broken)
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    ("headers", "is_bare"),
    [((), True), ((("authorization", " "),), True), ((("cookie", "a=1"),), False)],
)
async def test_a_caller_without_a_value_is_bare(headers: Any, is_bare: bool) -> None:
    assert (await caller(*headers)).is_bare is is_bare
