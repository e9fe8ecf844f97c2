"""What mapping and gating a JSON answer costs beside parsing and writing it: one ratio per body.

Run `python benchmarks/mapping.py`. The floor is `json.loads` and `json.dumps` of the same bytes in
the wire form; the product does both, and everything the spec asks for in between.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable

from sezzlee_py.invoke.budget import gate
from sezzlee_py.invoke.field_names import FieldNames
from sezzlee_py.invoke.mapping import map_response
from sezzlee_py.model import BackendResponse

LIMIT = 1_048_576
ROUNDS = 200


def orders() -> bytes:
    chance = random.Random(7)
    rows = [
        {
            "id": number,
            "customer": f"Customer {number}",
            "price": round(chance.random() * 100, 2),
            "tags": ["books", "gift"],
            "shipping": {"street": "Long Road 4", "paid": True, "note": None},
        }
        for number in range(1_360)
    ]
    return json.dumps(rows).encode()


def measurements() -> bytes:
    chance = random.Random(7)
    return json.dumps([chance.random() for _ in range(9_800)]).encode()


def words() -> bytes:
    return json.dumps({"text": "größer als ein Wort " * 9_500}, ensure_ascii=False).encode()


def cyrillic() -> bytes:
    return json.dumps({"text": "больше слова и меньше " * 5_000}, ensure_ascii=False).encode()


def ideographs() -> bytes:
    rows = [{"id": number, "name": "注文の状態を確認する"} for number in range(3_700)]
    return json.dumps(rows, ensure_ascii=False).encode()


def quoted() -> bytes:
    return json.dumps({"text": 'She said "yes";\n' * 11_000}).encode()


def escaped() -> bytes:
    rows = [{"id": number, "mood": "fine 😀", "path": "C:\\x"} for number in range(3_300)]
    return json.dumps(rows).encode()


def best(*runs: Callable[[], object]) -> list[float]:
    """Return the fastest of many rounds of each, the one least disturbed by the machine.

    The runs take turns, so that a busy minute costs all of them.
    """
    fastest = [float("inf")] * len(runs)
    for _ in range(ROUNDS):
        for at, run in enumerate(runs):
            start = time.perf_counter()
            run()
            fastest[at] = min(fastest[at], time.perf_counter() - start)
    return fastest


def main() -> None:
    names = FieldNames()
    for make in (orders, measurements, words, cyrillic, ideographs, quoted, escaped):
        body = make()
        response = BackendResponse(
            status=200, headers=(("content-type", "application/json"),), body=body
        )

        def floor(body: bytes = body) -> str:
            return json.dumps(
                json.loads(body), ensure_ascii=False, separators=(",", ":"), allow_nan=False
            )

        def product(response: BackendResponse = response) -> str:
            return gate(map_response(response, names), limit=LIMIT).text

        slow, fast = best(product, floor)
        print(
            f"{make.__name__:14}{len(body):>8} bytes  floor {fast * 1e3:6.2f} ms"
            f"  mapped {slow * 1e3:6.2f} ms  ratio {slow / fast:.2f}"
        )


if __name__ == "__main__":
    main()
