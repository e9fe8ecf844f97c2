"""Kind `visibility`: the pure decision."""

from typing import Any

from sezzlee_py.callers.visibility import CallerFacts, Decision, Identity, decide
from sezzlee_py.model import Anonymous, Auth, Carrier, ParameterLocation


def check(case: dict[str, Any], expected: dict[str, Any]) -> None:
    auth, caller = case["auth"], case["caller"]
    decision = decide(
        Auth(
            anonymous=Anonymous(auth["anonymous"]),
            policies=tuple(auth["policies"]),
            imperative=auth["imperative"],
            carriers=tuple(
                Carrier(location=ParameterLocation(slot["in"]), name=slot["name"])
                for slot in auth.get("carriers", [])
            ),
        ),
        CallerFacts(
            identity=Identity(caller["identity"]),
            policy_results={
                name: Decision(result) for name, result in caller.get("policy_results", {}).items()
            },
        ),
    )
    assert {"decision": str(decision)} == expected
