"""What composing a request costs beside building the same one with httpx.

Run `python -m benchmarks.compose`. httpx is told the finished path and does no type gate; the
composer starts from an agent's arguments.
"""

from __future__ import annotations

import httpx

from benchmarks.measure import Figure, compare
from sezzlee_py.invoke.compose import Composer
from sezzlee_py.model import (
    BodyField,
    BodySlot,
    ParameterLocation,
    ParameterSlot,
    RequestTemplate,
    ScalarKind,
)

ROUNDS = 5000


def slot(location: ParameterLocation, name: str, kind: ScalarKind) -> ParameterSlot:
    return ParameterSlot(
        name=name,
        agent_name=name,
        location=location,
        kinds=(kind,),
        style="simple" if location is ParameterLocation.PATH else "form",
    )


def get_figure() -> Figure:
    composer = Composer(
        RequestTemplate(
            method="GET",
            route="/orders/{id}/items",
            parameters=(
                slot(ParameterLocation.PATH, "id", ScalarKind.INTEGER),
                slot(ParameterLocation.QUERY, "status", ScalarKind.STRING),
                slot(ParameterLocation.QUERY, "limit", ScalarKind.INTEGER),
                slot(ParameterLocation.HEADER, "x-trace", ScalarKind.STRING),
            ),
        )
    )
    arguments = {"id": 42, "status": "open now", "limit": 10, "x-trace": "abc"}
    return compare(
        "compose a GET of 4 arguments / httpx.Request",
        lambda: composer.compose(arguments),
        lambda: httpx.Request(
            "GET",
            "http://app/orders/42/items",
            params={"status": "open now", "limit": 10},
            headers={"x-trace": "abc"},
        ),
        target=0.5,
        rounds=ROUNDS,
    )


def post_figure() -> Figure:
    arguments = {
        f"field_{n}": [1.5, {"a": "b"}] if n % 6 == 0 else f"text {n} é" if n % 3 == 0 else n
        for n in range(20)
    }
    fields = tuple(BodyField(name=name, agent_name=name) for name in arguments)
    composer = Composer(
        RequestTemplate(method="POST", route="/orders", body=BodySlot(fields=fields))
    )
    return compare(
        "compose a POST of 20 fields / httpx.Request",
        lambda: composer.compose(arguments),
        lambda: httpx.Request("POST", "http://app/orders", json=arguments),
        target=0.75,
        rounds=ROUNDS,
    )


def main() -> None:
    for figure in (get_figure(), post_figure()):
        print(figure)


if __name__ == "__main__":
    main()
