"""Flask extensions that know more about an operation than its rule and its view do."""

from __future__ import annotations

from typing import Protocol

from flask import Flask
from werkzeug.routing import Rule

from sezzlee_py import Options
from sezzlee_py.catalog.adapter import DiscoveredOperation


class SchemaSource(Protocol):
    """What an extension left on one application, read into the facts of its operations."""

    def hides(self, rule: Rule) -> bool:
        """Whether the rule is a page of the extension: its document, its explorer."""

    def describe(
        self, operation: DiscoveredOperation, rule: Rule, view: object
    ) -> DiscoveredOperation:
        """Return the operation with what the extension tells of it, as it is where it is silent.

        `accepts` set, also to an empty tuple, says that the body is known.

        Args:
            operation: what the rule and the view tell.
            rule: the rule it was found by.
            view: the view function as registered.
        """


def schema_source_for(app: Flask, options: Options) -> SchemaSource | None:
    """Return the source of an application, `None` where no known extension has left one."""
    return None
