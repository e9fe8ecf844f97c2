"""Where a walk through a schema stands, and what it found there."""

from __future__ import annotations

from sezzlee_py.catalog.schema.findings import Finding
from sezzlee_py.catalog.schema.references import pointer_to


class Trail:
    """Findings with the pointer to where they were made.

    `steps` leads from the schema's own place in its document to the node at hand.
    """

    def __init__(self, pointer: str) -> None:
        self.findings: list[Finding] = []
        self.steps: list[str | int] = []
        self._pointer = pointer

    def here(self, key: str | None = None) -> str:
        """Return the pointer to the node at hand, or to its member `key`."""
        return pointer_to(self._pointer, *self.steps, *(() if key is None else (key,)))

    def report(self, code: str, message: str, about: str = "") -> None:
        """Note a finding about the node at hand."""
        self.findings.append(Finding(code=code, message=message, about=about, pointer=self.here()))

    def invalid(self, message: str, key: str | None = None) -> Finding:
        """Return the finding that the node, or its member `key`, has not the right shape."""
        place = self.here(key)
        return Finding(code="openapi_document_invalid", message=message, about=place, pointer=place)

    def report_invalid(self, message: str, key: str | None = None) -> None:
        """Note that the node, or its member `key`, has not the right shape."""
        self.findings.append(self.invalid(message, key))
