"""What no finding about one operation can say: nothing offered, rules and credentials that miss."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sezzlee_py.catalog.credentials import carriers_line, credentials_left, sounds_like_credential
from sezzlee_py.catalog.curation import curates
from sezzlee_py.catalog.selection import selects
from sezzlee_py.catalog.snapshot import Catalog
from sezzlee_py.model import EndpointDescriptor, ParameterLocation
from sezzlee_py.model.counts import counted
from sezzlee_py.option_checks import near_name
from sezzlee_py.options import CurationRule, Options, SelectionRule
from sezzlee_py.telemetry import Event, log_event


@dataclass(frozen=True, slots=True, kw_only=True)
class Oversight:
    """One thing that a developer likely did not mean; `about` is stable, `text` is for people."""

    about: str
    text: str


def oversights(
    catalog: Catalog,
    options: Options,
    walked: Sequence[EndpointDescriptor],
    paths: Iterable[str] = (),
) -> tuple[Oversight, ...]:
    """Return what was likely not meant.

    Args:
        catalog: as it is served.
        options: the host's.
        walked: every operation that was found, offered or not.
        paths: where the endpoint is.
    """
    carriers = options.identity.carriers
    return (
        *_nothing_offered(catalog),
        *_shared_paths(paths, walked),
        *_idle_rules("SelectionRule", options.selection.rules, selects, walked),
        *_idle_rules("CurationRule", options.curation.rules, curates, walked),
        *_credentials_left(catalog, carriers),
        *_credential_arguments(catalog, carriers),
    )


def log_oversights(found: Iterable[Oversight]) -> None:
    """Warn of each."""
    for oversight in found:
        log_event(
            Event.OVERSIGHT, "%s", oversight.text, level=logging.WARNING, about=oversight.about
        )


def _nothing_offered(catalog: Catalog) -> Iterator[Oversight]:
    if catalog.discovered and not catalog.selected:
        yield Oversight(
            about="nothing_offered",
            text=f"{_none_of(catalog.discovered)} is offered to agents: put @mcp_tool on "
            "handlers, or set options.selection",
        )


def _shared_paths(
    paths: Iterable[str], walked: Sequence[EndpointDescriptor]
) -> Iterator[Oversight]:
    routes = {descriptor.route for descriptor in walked}
    for path in paths:
        if path in routes:
            yield Oversight(
                about="shared_path",
                text=f"{path!r} is the endpoint's path and a route of the application's own, and "
                "one of the two is never reached where both answer a method: choose another by "
                "mount_mcp(app, path=...)",
            )


def _none_of(count: int) -> str:
    return "no operation" if count == 1 else f"none of {count} operations"


def _idle_rules(
    kind: str,
    rules: Sequence[SelectionRule] | Sequence[CurationRule],
    fits: Callable[..., bool],
    walked: Sequence[EndpointDescriptor],
) -> Iterator[Oversight]:
    for rule in rules:
        if not any(fits(rule, descriptor) for descriptor in walked):
            yield Oversight(
                about="idle_rule",
                text=f"{kind}({_matched(rule)}) fits {_none_of(len(walked))}{_meant(rule, walked)}",
            )


def _matched(rule: SelectionRule | CurationRule) -> str:
    fields = ((name, getattr(rule, name, None)) for name in ("route", "method", "container"))
    return ", ".join(f"{name}={value!r}" for name, value in fields if value is not None)


def _meant(rule: SelectionRule | CurationRule, walked: Sequence[EndpointDescriptor]) -> str:
    """Return a hint at the nearest route or container, where the rule's own is nobody's."""
    container = getattr(rule, "container", None)
    containers = {one.container for one in walked if one.container}
    if container is not None and container not in containers:
        return near_name(container, sorted(containers))
    return near_name(rule.route or "", sorted({one.route for one in walked}))


def _credentials_left(catalog: Catalog, carriers: Sequence[str]) -> Iterator[Oversight]:
    for _, text in credentials_left(catalog, carriers):
        yield Oversight(about="credential_stays", text=text)


def _credential_arguments(catalog: Catalog, carriers: Sequence[str]) -> Iterator[Oversight]:
    """Tell of headers that sound like a credential and that agents are asked for."""
    asked: Counter[str] = Counter()
    for tool in catalog:
        # One that was given another name was looked at.
        asked.update(
            slot.name.lower()
            for slot in tool.slots
            if slot.location == ParameterLocation.HEADER and slot.argument == slot.name
        )
    for name, count in sorted(asked.items()):
        if sounds_like_credential(name):
            yield Oversight(
                about="credential_argument",
                text=f"{counted(count, 'tool')} would have agents give the header {name!r}: where "
                f"it is the caller's credential, name it in {carriers_line(carriers, [name])} and "
                "it travels instead; where an agent may choose it, give it another name: "
                f"Arg({name.replace('-', '_') + '_'!r})",
            )
