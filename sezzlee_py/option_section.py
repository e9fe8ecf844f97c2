"""Sections of the option tree: a check and a default for each option, applied when one is set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from typing_extensions import dataclass_transform

from sezzlee_py.errors import OptionsError
from sezzlee_py.option_checks import Check, near_name

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class _Option:
    check: Check
    make: Callable[[], Any]


def option(check: Check, *, default: Any = None, factory: Callable[[], Any] | None = None) -> Any:
    """Declare one option of a section: its check and its default."""
    return _Option(check, factory or (lambda: default))


@dataclass_transform(kw_only_default=True, field_specifiers=(option,))
class Section:
    """A group of options; an unknown name or a wrong value raises `OptionsError` at once."""

    _options: ClassVar[Mapping[str, _Option]]
    _place: ClassVar[str] = "options"

    def __init_subclass__(cls, *, place: str) -> None:
        cls._place = place
        cls._options = MappingProxyType(
            {name: value for name, value in vars(cls).items() if isinstance(value, _Option)}
        )

    def __init__(self, *unnamed: Any, **values: Any) -> None:
        if unnamed:
            raise TypeError(_unnamed_message(type(self).__name__, unnamed[0]))
        for name, known in self._options.items():
            self.__dict__[name] = known.make()
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        known = self._options.get(name)
        if known is None:
            raise OptionsError(
                f"{self._place}.{name}: no such option{near_name(name, self._options)}"
            )
        try:
            self.__dict__[name] = known.check(value)
        except OptionsError:
            raise
        except ValueError as fault:
            raise OptionsError(f"{self._place}.{name}: {fault}, got {value!r}") from None

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._options)
        return f"{type(self).__name__}({values})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # sections are mutable, like dict

    def checked(self) -> Self:
        """Check every value again, those of lists and mappings changed in place included."""
        for name in self._options:
            value = getattr(self, name)
            if isinstance(value, Section):
                value.checked()
            setattr(self, name, value)
        return self


def _unnamed_message(section: str, given: object) -> str:
    way_out = f"; write {section}(**settings)" if isinstance(given, Mapping) else ""
    return f"{section}(...) takes its options by name, got a {type(given).__name__}{way_out}"


if TYPE_CHECKING:

    class Nested(Generic[S]):
        """A section, which a mapping of its options may stand for where it is given."""

        def __get__(self, owner: Any, kind: Any = None) -> S: ...
        def __set__(self, owner: Any, value: S | Mapping[str, Any]) -> None: ...


def section_of(kind: type[Section]) -> Check:
    """Return a check for a section: an instance, or a mapping of its options."""

    def check(value: Any) -> Section:
        if isinstance(value, kind):
            return value
        if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
            return kind(**value)
        raise ValueError(f"expected {kind.__name__} or a mapping of its options")

    return check
