"""What was declared about a function, class or router, and where that is kept."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType
from typing import Any, Final

from sezzlee_py.errors import DeclarationError
from sezzlee_py.model.curation import AnnotationHints, Arg
from sezzlee_py.model.descriptor import Variant

ATTRIBUTE: Final = "__sezzlee__"
# A chain longer than this is an accident.
_MAX_LAYERS: Final = 64
_HINTS: Final = ("read_only", "destructive", "idempotent")
_KEYWORDS: Final = (
    *("name", "prefix", "description", "tags", "search_terms", "arguments"),
    *("body", "query", "responses", "consumes", "files", "family"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One tool of a family: the dispatch parameter's `key` and what that key means.

    `body` is a type or a JSON Schema; without one the operation's own body stands. Members that
    come from host data are checked when the catalog is built, so that a bad one is left out alone.
    """

    key: str | int | float | bool
    name: str
    description: str
    arguments: Mapping[str, Arg] | None = None
    body: Any = None
    body_required: bool = True
    body_description: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyDeclaration:
    """A dispatch parameter with members written in code, or with the name of their source."""

    parameter: str
    members: tuple[Member, ...] | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclarationRecord:
    """Everything declared about one object.

    `None` means not declared, so that the next level speaks; an empty tuple is a declaration.
    `include` and `exclude` can both be present: selection reports that. `responses` has its
    statuses as text. `places` tells where each keyword and marker was written, as
    `module:line`.
    """

    include: bool = False
    exclude: bool = False
    name: str | None = None
    prefix: str | None = None
    description: str | None = None
    tags: tuple[str, ...] | None = None
    search_terms: tuple[str, ...] | None = None
    hints: AnnotationHints = AnnotationHints()
    arguments: Mapping[str, Arg] | None = None
    body: Any = None
    query: Any = None
    responses: Mapping[str, Any] | None = None
    consumes: str | None = None
    files: tuple[str, ...] | None = None
    variants: tuple[Variant, ...] = ()
    family: FamilyDeclaration | None = None
    places: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}), compare=False, repr=False
    )

    def value(self, keyword: str) -> Any:
        """Return what `keyword` was given, or `None`."""
        return getattr(self.hints if keyword in _HINTS else self, keyword)

    def at(self, place: str) -> DeclarationRecord:
        """Return the record with `place` noted for everything it declares, markers included."""
        markers = [name for name in ("include", "exclude") if getattr(self, name)]
        noted = dict.fromkeys((*markers, *declared_keywords(self)), place)
        return replace(self, places=MappingProxyType(noted))


def declared_keywords(record: DeclarationRecord) -> tuple[str, ...]:
    """Return the keywords that `record` declares."""
    return tuple(k for k in (*_KEYWORDS, *_HINTS) if record.value(k) is not None)


def merge(
    first: DeclarationRecord, second: DeclarationRecord, subject: object
) -> DeclarationRecord:
    """Return both declarations of `subject` as one.

    Raises:
        DeclarationError: one keyword has two different values.
    """
    values: dict[str, Any] = {}
    for keyword in (*_KEYWORDS, *_HINTS):
        old, new = first.value(keyword), second.value(keyword)
        if old is not None and new is not None and old is not new and old != new:
            raise DeclarationError(_contradiction(keyword, first, second, subject))
        values[keyword] = old if new is None else new
    return replace(
        first,
        include=first.include or second.include,
        exclude=first.exclude or second.exclude,
        hints=AnnotationHints(**{keyword: values.pop(keyword) for keyword in _HINTS}),
        # From top to bottom: a decorator that runs later stands above.
        variants=second.variants + first.variants,
        places=MappingProxyType({**second.places, **first.places}),
        **values,
    )


def attach(target: Any, record: DeclarationRecord) -> None:
    """Add `record` to what is declared on `target` and on everything it wraps."""
    merged = merge(own_record(target) or DeclarationRecord(), record, target)
    if isinstance(target, type):
        _write(target, merged)
        return
    # functools.wraps copied a reference to the record; each object gets the new one instead.
    for wrapped in _follow(target, wrapped_only=True):
        _write(wrapped, merged)


def store(target: Any, record: DeclarationRecord) -> None:
    """Add `record` to what is declared on `target`, leaving the object as it is.

    Raises:
        TypeError: the object takes neither a weak reference nor an attribute.
    """
    # The whole declaration of the target must agree, whichever way its parts were given.
    whole = merge(own_record(target) or DeclarationRecord(), record, target)
    target = _lasting(target)
    beside = merge(_store.get(target) or DeclarationRecord(), record, target)
    if not _store.set(target, beside):
        _set_attribute(target, whole)


def own_record(target: object) -> DeclarationRecord | None:
    """Return what is declared on `target` itself: a class, or a callable and what it wraps."""
    if isinstance(target, type):
        return _joined_record(vars(target).get(ATTRIBUTE), _store.get(target), target)
    chain = [_lasting(found) for found in (*_follow(target), *_call_method(target))]
    written = next((r for r in map(_written, chain) if r is not None), None)
    stored = next((r for r in map(_store.get, chain) if r is not None), None)
    return _joined_record(written, stored, target)


def read_record(endpoint: object) -> DeclarationRecord | None:
    """Return what is declared on an endpoint, or `None`.

    The first record wins on the way from the endpoint down through `__wrapped__`,
    `functools.partial.func` and `__func__`.
    """
    if isinstance(endpoint, type):
        return next(iter(container_records((endpoint,))), None)
    return own_record(endpoint)


def container_records(containers: Iterable[object]) -> tuple[DeclarationRecord, ...]:
    """Return what is declared on containers, innermost first.

    A class stands for itself and its bases in method resolution order, nearest first.
    """
    found: list[DeclarationRecord] = []
    for container in containers:
        levels = container.__mro__ if isinstance(container, type) else (container,)
        found.extend(r for r in map(own_record, levels) if r is not None)
    return tuple(found)


def declared_objects() -> tuple[object, ...]:
    """Return the living targets of `declare()`, for adapters that must find a router's copies."""
    return _store.targets()


class _IdentityStore:
    """Records beside their objects, by identity, gone with the object."""

    def __init__(self) -> None:
        self._records: dict[int, tuple[weakref.ref[Any], DeclarationRecord]] = {}

    def get(self, target: object) -> DeclarationRecord | None:
        """Return the record of `target`, or `None`."""
        reference, record = self._records.get(id(target), (None, None))
        return record if reference is not None and reference() is target else None

    def set(self, target: object, record: DeclarationRecord) -> bool:
        """Keep `record` while `target` lives; `False` when it takes no weak reference."""
        key = id(target)
        try:
            reference = weakref.ref(target, lambda _: self._records.pop(key, None))
        except TypeError:
            return False
        self._records[key] = (reference, record)
        return True

    def targets(self) -> tuple[object, ...]:
        """Return the objects that are alive."""
        alive = (reference() for reference, _ in tuple(self._records.values()))
        return tuple(target for target in alive if target is not None)


_store: Final = _IdentityStore()


def _follow(target: object, *, wrapped_only: bool = False) -> Iterator[object]:
    """The target and what is below it; a chain that bites its tail ends there."""
    seen: set[int] = set()
    while id(target) not in seen and len(seen) < _MAX_LAYERS:
        seen.add(id(target))
        yield target
        below = _attribute(target, "__wrapped__")
        if below is None and not wrapped_only:
            below = _attribute(
                target, "func" if isinstance(target, functools.partial) else "__func__"
            )
        if below is None:
            return
        target = below


def _attribute(target: object, name: str) -> Any:
    # A proxy or mock may answer any name with an error of its own.
    try:
        return getattr(target, name, None)
    except Exception:
        return None


def _call_method(target: object) -> tuple[object, ...]:
    """The `__call__` of a callable object, which may be the decorated function."""
    if isinstance(target, FunctionType | MethodType | BuiltinFunctionType | functools.partial):
        return ()
    call = _attribute(type(target), "__call__")
    return (call,) if isinstance(call, FunctionType) else ()


def _lasting(target: Any) -> Any:
    """The function of a bound method: the method object itself lives for one expression."""
    return target.__func__ if isinstance(target, MethodType) else target


def _written(target: object) -> DeclarationRecord | None:
    record = _attribute(target, ATTRIBUTE)
    return record if isinstance(record, DeclarationRecord) else None


def _write(target: Any, record: DeclarationRecord) -> None:
    target = _lasting(target)
    try:
        setattr(target, ATTRIBUTE, record)
    except (AttributeError, TypeError):
        if not _store.set(target, record):
            raise TypeError(f"{target!r} cannot carry a declaration") from None


def _set_attribute(target: Any, record: DeclarationRecord) -> None:
    try:
        setattr(target, ATTRIBUTE, record)
    except (AttributeError, TypeError):
        raise TypeError(
            f"declare() cannot keep anything beside {target!r}: it takes neither a weak reference "
            "nor an attribute; declare its class, its functions, or use a selection rule"
        ) from None


def _joined_record(
    written: Any, stored: DeclarationRecord | None, subject: object
) -> DeclarationRecord | None:
    if not isinstance(written, DeclarationRecord):
        return stored
    if stored is None:
        return written
    # An object without attributes stores the very variants that its wrapper has written.
    variants = written.variants or stored.variants
    return replace(merge(stored, written, subject), variants=variants)


def _contradiction(
    keyword: str, first: DeclarationRecord, second: DeclarationRecord, subject: object
) -> str:
    name = getattr(subject, "__qualname__", None) or type(subject).__name__
    module = getattr(subject, "__module__", None)
    old, new = (
        f"{record.value(keyword)!r} at {record.places.get(keyword, 'an unknown place')}"
        for record in (first, second)
    )
    return f"{module}:{name} declares {keyword}= twice: {old} and {new}; keep one of them"
