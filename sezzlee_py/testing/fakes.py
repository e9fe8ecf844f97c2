"""Stand-ins for what a host plugs in: rankers and resolvers of file references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from sezzlee_py.invoke.refs import FileRefusal, FileRequest, ResolvedFile
from sezzlee_py.search import RankRequest


class FakeRanker:
    """A host ranker with fixed answers that remembers what it was asked.

    Args:
        answers: names by query; a query that is not in it is answered with `default`.
        default: names for every other query.
        fault: raised instead of an answer, for tests of what a failing ranker does.

    Attributes:
        requests: every request, in order.
    """

    def __init__(
        self,
        answers: Mapping[str, Iterable[str]] = MappingProxyType({}),
        *,
        default: Iterable[str] = (),
        fault: Exception | None = None,
    ) -> None:
        self.requests: list[RankRequest] = []
        self._answers = {query: tuple(names) for query, names in answers.items()}
        self._default = tuple(default)
        self._fault = fault

    @property
    def queries(self) -> list[str]:
        """The queries it was asked, in order."""
        return [request.query for request in self.requests]

    async def rank(self, request: RankRequest) -> tuple[str, ...]:
        """Return the fixed answer to the query."""
        self.requests.append(request)
        if self._fault is not None:
            raise self._fault
        return self._answers.get(request.query, self._default)


class FakeFileResolver:
    """A resolver of file references over a mapping, for `options.files.resolver`.

    Args:
        files: content by reference: bytes, a text, a `ResolvedFile`, or the `FileRefusal` to
            answer with; every other reference is not found.

    Attributes:
        requests: every request, in order.
    """

    def __init__(
        self, files: Mapping[str, bytes | str | ResolvedFile | FileRefusal] = MappingProxyType({})
    ) -> None:
        self.requests: list[FileRequest] = []
        self._files = dict(files)

    @property
    def refs(self) -> list[str]:
        """The references it was asked for, in order."""
        return [request.ref for request in self.requests]

    def __call__(self, request: FileRequest) -> ResolvedFile | FileRefusal:
        """Return the file behind the reference."""
        self.requests.append(request)
        found = self._files.get(request.ref, FileRefusal.NOT_FOUND)
        if isinstance(found, str) and not isinstance(found, FileRefusal):
            found = found.encode()
        return ResolvedFile(data=found) if isinstance(found, bytes) else found
