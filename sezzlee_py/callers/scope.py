"""Under which key facts about a caller are kept, and how they are spelled (spec: visibility 7)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final
from urllib.parse import unquote

from sezzlee_py.callers.visibility import CallerFacts, Decision, Identity

_PREFIX: Final = "sezzlee:v1"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_TAG: Final = re.compile(r"[^\s:]+:\S+")
# A percent sign is encoded too, or a name that looks encoded would come back as another.
_RESERVED: Final = re.compile(r"[%|;=]")

_IDENTITIES: Final = MappingProxyType(
    {"P": Identity.PRESENT, "A": Identity.ABSENT, "U": Identity.UNKNOWN}
)
_DECISIONS: Final = MappingProxyType(
    {"A": Decision.ALLOW, "D": Decision.DENY, "U": Decision.UNKNOWN}
)
_IDENTITY_LETTERS: Final = {value: letter for letter, value in _IDENTITIES.items()}
_DECISION_LETTERS: Final = {value: letter for letter, value in _DECISIONS.items()}


@dataclass(frozen=True, slots=True)
class CallerScope:
    """Whose facts an entry holds: what `cache.scope_resolver` returns.

    Args:
        key: tells callers apart, such as `McpCaller.scope_key`. What is no digest is digested, so
            that a user's name never becomes part of an entry's name.
        tags: `kind:value` labels, such as `user:42`, that `invalidate_tag` takes.

    Raises:
        ValueError: the key is empty, or a tag is not of that form.
    """

    key: str
    tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", scope_key(self.key))
        object.__setattr__(self, "tags", tuple(self.tags))
        for tag in self.tags:
            if not isinstance(tag, str) or not _TAG.fullmatch(tag):
                raise ValueError(f"a tag is 'kind:value' without white space, not {tag!r}")


def scope_key(key: str) -> str:
    """Return `key` as scopes are compared: itself when it is a digest, else its digest."""
    if not isinstance(key, str) or not key:
        raise ValueError(f"a scope's key is a text that is not empty, not {key!r}")
    if _DIGEST.fullmatch(key):
        return key
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def entry_name(scope: str, kind: str) -> str:
    """Return the name of an entry; `kind` is `facts` or `probe:<tool>`."""
    return f"{_PREFIX}:{scope}:{kind}"


def write_facts(facts: CallerFacts) -> str:
    """Return facts as a store keeps them: `P|OrdersRead=A;Owner=U`."""
    results = ";".join(
        f"{_RESERVED.sub(_escaped, name)}={_DECISION_LETTERS[result]}"
        for name, result in sorted(facts.policy_results.items())
    )
    return f"{_IDENTITY_LETTERS[facts.identity]}|{results}"


def _escaped(match: re.Match[str]) -> str:
    return f"%{ord(match[0]):02X}"


def read_facts(text: object) -> CallerFacts | None:
    """Return the facts that `text` spells, `None` for anything else a store may hold."""
    if not isinstance(text, str):
        return None
    letter, _, rest = text.partition("|")
    identity = _IDENTITIES.get(letter)
    results = _results(rest)
    if identity is None or results is None:
        return None
    return CallerFacts(identity=identity, policy_results=MappingProxyType(results))


def _results(text: str) -> Mapping[str, Decision] | None:
    results: dict[str, Decision] = {}
    for pair in text.split(";") if text else ():
        name, equals, letter = pair.partition("=")
        if not equals or letter not in _DECISIONS:
            return None
        results[unquote(name)] = _DECISIONS[letter]
    return results


def write_verdict(verdict: Decision) -> str:
    """Return a probe's verdict as a store keeps it: `A` or `D`."""
    return _DECISION_LETTERS[verdict]


def read_verdict(text: object) -> Decision | None:
    """Return the verdict that `text` spells; only certain ones are ever kept."""
    return {"A": Decision.ALLOW, "D": Decision.DENY}.get(text) if isinstance(text, str) else None
