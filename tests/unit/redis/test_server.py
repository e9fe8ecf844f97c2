"""What may be said about a server, and what is never said."""

from typing import Any

import pytest
import redis

from sezzlee_py.errors import OptionsError
from sezzlee_redis import RedisBus, RedisStore
from sezzlee_redis.server import Server

SECRET = "s3cret-w0rd"


@pytest.mark.parametrize(
    ("url", "named"),
    [
        (f"redis://ada:{SECRET}@cache.internal:6380/4", "redis://cache.internal:6380/4"),
        (f"rediss://:{SECRET}@cache.internal", "redis://cache.internal:6379/0"),
        (f"unix:///run/redis.sock?password={SECRET}", "unix:///run/redis.sock"),
        ("redis://", "redis://localhost:6379/0"),
    ],
)
def test_a_server_is_named_without_its_password(url: str, named: str) -> None:
    said = [
        str(Server(url, {})),
        repr(RedisStore(url, prefix="shop")),
        repr(RedisBus(url, prefix="shop")),
    ]
    assert said == [
        named,
        f"RedisStore('{named}', prefix='shop')",
        f"RedisBus('{named}', prefix='shop')",
    ]


@pytest.mark.parametrize(
    "url",
    [
        f"http://:{SECRET}@localhost",
        f"redis://:pass:{SECRET}@localhost:{SECRET}",
        f"redis://localhost/0?db={SECRET}",
        f"redis://:{SECRET}@[::1",
        "",
        None,
    ],
)
def test_a_url_that_cannot_be_read_is_refused_without_its_text(url: str) -> None:
    with pytest.raises(OptionsError) as refused:
        RedisStore(url, prefix="shop")
    assert SECRET not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize("prefix", ["", "  ", None, "shop\ud800"])
@pytest.mark.parametrize("kind", [RedisStore, RedisBus])
def test_a_prefix_is_wanted(kind: type[RedisStore | RedisBus], prefix: str) -> None:
    with pytest.raises(OptionsError, match="prefix: expected a name of this application's own"):
        kind("redis://localhost", prefix=prefix)


def test_a_fault_is_told_without_secrets_keys_or_values() -> None:
    server = Server(f"redis://ada:{SECRET}@localhost", {})
    oom = redis.exceptions.ResponseError(
        "Command # 1 (HSET shop:caller:0f facts P|admin=A) of pipeline caused error: OOM full"
    )
    assert server.told(oom) == "ResponseError: OOM full"
    assert server.told(redis.ConnectionError(f"no {SECRET}")) == "ConnectionError: no ***"
    assert server.told(TimeoutError()) == "TimeoutError"


def test_what_a_server_writes_stays_one_line_of_a_log() -> None:
    fault = redis.exceptions.ResponseError("ERR no\nCRITICAL forged\x1b[31m\u2028" + "x" * 5_000)
    told = Server("redis://localhost", {}).told(fault)
    assert told.startswith("ResponseError: ERR no CRITICAL forged [31m xxx")
    assert len(told) < 400


@pytest.mark.parametrize("kind", [RedisStore, RedisBus])
@pytest.mark.parametrize(
    ("url", "keywords"),
    [
        ("redis://localhost", {"pause": SECRET}),
        ("redis://localhost", {"ssl_ca_certs": "of another scheme"}),
        ("redis://localhost", {"retry": None}),
        (f"redis://:{SECRET}@localhost?paus=1", {}),
        ("rediss://localhost", {"ssl_cert_reqs": "perhaps"}),
    ],
)
def test_a_keyword_that_no_connection_takes_is_refused_at_once(
    kind: type[RedisStore | RedisBus], url: str, keywords: dict[str, str]
) -> None:
    with pytest.raises(OptionsError, match="no connection to Redis takes such keywords") as refused:
        kind(url, prefix="shop", **keywords)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "times", [{"timeout_ms": 0}, {"timeout_ms": 0.5}, {"pause_ms": -1}, {"timeout_ms": 10**30}]
)
def test_a_time_that_cannot_be_waited_is_refused_at_once(times: dict[str, Any]) -> None:
    (name,) = times
    with pytest.raises(OptionsError, match=f"{name}: expected"):
        RedisStore("redis://localhost", prefix="shop", **times)


def test_what_is_read_is_text_whatever_the_url_says() -> None:
    server = Server(
        "redis://localhost?decode_responses=0&protocol=3", {"encoding_errors": "strict"}
    )
    client = server.client(socket_timeout=1.0)
    given = client.connection_pool.connection_kwargs
    read = {"decode_responses": True, "encoding_errors": "replace", "protocol": 2}
    assert {name: given[name] for name in read} == read
