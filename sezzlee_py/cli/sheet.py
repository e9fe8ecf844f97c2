"""A result for people, as blocks that are written plain or rich."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of what follows."""

    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line, or several, as they are."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below column titles."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block: TypeAlias = Heading | Line | Table


@dataclass(slots=True)
class Sheet:
    """Blocks in order; text of applications stays text, whatever a terminal would make of it."""

    blocks: list[Block] = field(default_factory=list)

    def heading(self, text: str) -> None:
        """Add a title."""
        self.blocks.append(Heading(printable(text)))

    def line(self, text: str = "") -> None:
        """Add a line."""
        self.blocks.append(Line(printable(text)))

    def facts(self, facts: Mapping[str, str]) -> None:
        """Add one line per fact that says something, aligned after the names."""
        told = {name: value for name, value in facts.items() if value}
        width = max(map(len, told), default=0)
        for name, value in told.items():
            self.line(f"  {name.ljust(width)}  {_one_line(value)}")

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Add a table; one without rows is left out."""
        cells = tuple(tuple(printable(_one_line(cell)) for cell in row) for row in rows)
        if cells:
            self.blocks.append(Table(tuple(columns), cells))

    def plain(self) -> str:
        """Return the sheet as text, columns aligned and nothing cut."""
        return "".join(f"{line.rstrip()}\n" for block in self.blocks for line in _lines(block))


def printable(text: str) -> str:
    """Return `text` without what a terminal would obey; line breaks stay."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else _shown(char) for char in text)


def _shown(char: str) -> str:
    return (
        " " if char == "\t" or unicodedata.category(char) == "Zs" else "\N{REPLACEMENT CHARACTER}"
    )


def _one_line(cell: object) -> str:
    return " ".join(str(cell).split())


def _lines(block: Block) -> Iterator[str]:
    if isinstance(block, Table):
        yield from _aligned((block.columns, *block.rows))
    elif isinstance(block, Heading):
        yield ""
        yield block.text
    else:
        yield from block.text.split("\n")


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
