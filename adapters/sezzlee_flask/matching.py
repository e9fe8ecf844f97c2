"""Which operation a request reaches, asked of the application's own router."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from flask import Flask
from werkzeug.routing import MapAdapter, Rule

from sezzlee_flask.cut import cut_views
from sezzlee_flask.mounted import Mount
from sezzlee_flask.rules import converter_of, sample_domain, sample_paths
from sezzlee_py.catalog.adapter import DiscoveredOperation
from sezzlee_py.catalog.cuts import CutKey
from sezzlee_py.catalog.handlers import Identity

# Clients choose their host header; past this many the bound routers are made anew.
_MAX_HOSTS = 64

# A rule, and what its converters made of the values in the path.
_Matched: TypeAlias = tuple[Rule, Mapping[str, Any]]


class Matcher:
    """Finds the handler of a request; any number of threads may ask.

    Args:
        app: the application whose rules are asked, as they are at the time.
        operations: those that a request can reach.
    """

    def __init__(self, app: Flask, operations: Iterable[tuple[Rule, DiscoveredOperation]]) -> None:
        self._app = app
        # Rules compare by content and have no hash; they are held, so an id names one of them.
        self._rules: dict[int, Rule] = {}
        self._keys: dict[tuple[int, str], Hashable] = {}
        for rule, operation in operations:
            descriptor = operation.descriptor
            self._rules[id(rule)] = rule
            self._keys[id(rule), descriptor.method] = descriptor.endpoint_key
        self._mounts: list[tuple[Mount, Matcher | None]] = []
        self._plain = None if self._looks_at_host() else app.url_map.bind("localhost")
        self._by_host: dict[str, MapAdapter] = {}

    def add_mount(self, mount: Mount, matcher: Matcher | None) -> None:
        """Let an application below a prefix answer first, the longest prefix before others."""
        self._mounts.append((mount, matcher))

    def find(self, method: str, path: str, host: str | None) -> Hashable | None:
        """Return the endpoint key of what a request reaches, `None` where nothing matches.

        What is no operation, such as a static file, has a key of its own.
        """
        for mount, matcher in self._mounts:
            if mount.covers(path):
                return _below(mount, matcher, method, path, host)
        # Converters are the host's code, a redirect and a malformed host are exceptions; none of
        # them is a match.
        try:
            matched = self._matched(method, path, host)
        except Exception:
            return None
        if matched is None:
            return None
        rule, _ = matched
        return self._keys.get((id(rule), method), Identity(rule))

    def reads(self, method: str, path: str, written: Mapping[str, str], host: str | None) -> bool:
        """Whether the values of a path are read as they were written into it."""
        for mount, matcher in self._mounts:
            if mount.covers(path):
                return matcher is None or matcher.reads(method, mount.below(path), written, host)
        # As in `find`: what raises is no match.
        try:
            matched = self._matched(method, path, host)
        except Exception:
            return True
        if matched is None:
            return True
        rule, values = matched
        return all(_is_read(rule, values, name, text) for name, text in written.items())

    def cut(self, within: tuple[Flask, ...] = ()) -> frozenset[CutKey]:
        """Cut every view; the operations for which that is proven to be the last step.

        Args:
            within: the applications above, whose dispatchers lead here.
        """
        operations = [
            (self._rules[rule].endpoint, (_moved(key, within), method))
            for (rule, method), key in self._keys.items()
        ]
        proven = cut_views(self._app, operations)
        for mount, matcher in self._mounts:
            if matcher is not None and mount.app is not None:
                proven |= matcher.cut((mount.app, *within))
        return proven

    def _looks_at_host(self) -> bool:
        return self._app.url_map.host_matching or self._app.subdomain_matching

    def _matched(self, method: str, path: str, host: str | None) -> _Matched | None:
        if self._plain is None and host is None:
            return next(self._matched_anywhere(method, path), None)
        router = self._plain or self._bound(host or "")
        return router.match(path, method, return_rule=True)

    def _matched_anywhere(self, method: str, path: str) -> Iterator[_Matched]:
        for rule in self._rules.values():
            with suppress(Exception):
                yield _bound_like(rule).match(path, method, return_rule=True)

    def _bound(self, host: str) -> MapAdapter:
        router = self._by_host.get(host)
        if router is None:
            if len(self._by_host) >= _MAX_HOSTS:
                self._by_host.clear()
            router = self._by_host[host] = self._bind(host)
        return router

    def _bind(self, host: str) -> MapAdapter:
        url_map = self._app.url_map
        environ = {"wsgi.url_scheme": "http", "HTTP_HOST": host, "REQUEST_METHOD": "GET"}
        server = None if url_map.host_matching else self._app.config["SERVER_NAME"]
        return url_map.bind_to_environ(environ, server_name=server)


def _is_read(rule: Rule, values: Mapping[str, Any], name: str, text: str) -> bool:
    """Whether what the router read for a variable is what `text` means to its converter."""
    if name not in values:
        return False
    value, converter = values[name], converter_of(rule, name)
    if converter is None or (value == text and isinstance(value, str)):
        return bool(value == text)
    # Converters are the host's code, and what they make need not compare.
    with suppress(Exception):
        meant = converter.to_python(text)
        return bool(meant == value or converter.to_url(meant) == converter.to_url(value))
    return False


def _moved(key: Hashable, within: Iterable[Flask]) -> Hashable:
    for app in within:
        key = (key, Identity(app))
    return key


def picked(rules: Sequence[Rule], method: str) -> Rule:
    """Return which of several rules for the same paths the router picks.

    The map lists rules by endpoint, so their order there does not tell. Where the router cannot be
    asked, the first one listed counts.
    """
    router = _bound_like(rules[0])
    for path in sample_paths(rules[0]):
        # Converters are the host's code, and may need what is only there in a request.
        with suppress(Exception):
            found, _ = router.match(path, method, return_rule=True)
            if any(found is rule for rule in rules):
                return found
    return rules[0]


def _bound_like(rule: Rule) -> MapAdapter:
    domain = sample_domain(rule)
    if rule.map.host_matching:
        return rule.map.bind(domain)
    return rule.map.bind("localhost", subdomain=domain)


def _below(
    mount: Mount, matcher: Matcher | None, method: str, path: str, host: str | None
) -> Hashable | None:
    if matcher is None or mount.app is None:
        return Identity(mount)
    found = matcher.find(method, mount.below(path), host)
    return None if found is None else _moved(found, (mount.app,))
