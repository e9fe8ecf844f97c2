"""The SQL: tables in a schema of their own, the one query that ranks, and what upkeep writes.

Names are quoted identifiers, everything else is a parameter; nothing of a query becomes SQL.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, LiteralString

from psycopg import sql

# Rows of the edition that is asked: those that came with it or before, and were not gone by then.
_FOUND_ALIVE: Final = sql.SQL(
    "found.born <= %(edition)s AND (found.died IS NULL OR found.died > %(edition)s)"
)

_TABLES: Final[tuple[LiteralString, ...]] = (
    "CREATE SCHEMA IF NOT EXISTS {schema}",
    """
    CREATE TABLE IF NOT EXISTS {editions} (
        number integer PRIMARY KEY,
        digest bytea NOT NULL,
        version text NOT NULL,
        model text NOT NULL,
        dimensions integer,
        tools integer NOT NULL,
        made timestamptz NOT NULL DEFAULT now()
    )
    """,
    # A row is never rewritten but once, when it dies: an edition is an interval of numbers.
    """
    CREATE TABLE IF NOT EXISTS {tools} (
        id bigint PRIMARY KEY,
        digest bytea NOT NULL,
        name text COLLATE "C" NOT NULL,
        terms tsvector NOT NULL,
        named smallint NOT NULL,
        born integer NOT NULL,
        died integer
    ) WITH (fillfactor = 95)
    """,
    """
    CREATE TABLE IF NOT EXISTS {terms} (
        term text COLLATE "C" PRIMARY KEY,
        form text COLLATE "C",
        tools integer NOT NULL
    )
    """,
    "CREATE INDEX IF NOT EXISTS terms_form ON {terms} (form)",
)

# Vectors stand apart, so that the rows that words are looked up in stay small.
_VECTORS: Final[tuple[LiteralString, ...]] = (
    "CREATE EXTENSION IF NOT EXISTS vector",
    """
    CREATE TABLE IF NOT EXISTS {vectors} (
        id bigint PRIMARY KEY REFERENCES {tools} ON DELETE CASCADE,
        vector vector NOT NULL
    )
    """,
)

# Without `fastupdate` no search pays for what an upkeep left pending.
_TERMS_INDEX: Final[LiteralString] = (
    "CREATE INDEX tools_terms ON {tools} USING gin (terms) WITH (fastupdate = off)"
)
# One index for each number of dimensions, so that a new model may come while the old is served.
_VECTOR_INDEX: Final[LiteralString] = """
    CREATE INDEX {index} ON {vectors}
    USING hnsw ((vector::vector({dimensions})) vector_cosine_ops)
    WHERE vector_dims(vector) = {dimensions}
"""

# A sum written out: rows of terms to join with would cost four times as much.
_WORDS: Final[LiteralString] = """
    words AS (
        SELECT name, row_number() OVER (ORDER BY score DESC, name) AS place
        FROM (
            SELECT found.name,
                ({scores}) * (1 + ({in_name})::float8 / found.named) AS score
            FROM {tools} AS found
            WHERE found.terms @@ %(candidates)s::tsquery AND {found_alive}
            LIMIT %(most)s
        ) AS scored
    )
"""
_SCORE: Final[LiteralString] = (
    "{weight}::float8 * ts_rank(%(labels)s::real[], found.terms, {term}::tsquery)"
)
_IN_NAME: Final[LiteralString] = "(found.terms @@ {named}::tsquery)::integer"
_MEANING: Final[LiteralString] = """
    meaning AS (
        SELECT name, row_number() OVER (ORDER BY distance, name) AS place
        FROM (
            SELECT found.name,
                near.vector::vector({dimensions}) <=> %(vector)s::vector({dimensions}) AS distance
            FROM {vectors} AS near JOIN {tools} AS found USING (id)
            WHERE vector_dims(near.vector) = {dimensions} AND {found_alive}
            ORDER BY near.vector::vector({dimensions}) <=> %(vector)s::vector({dimensions})
            LIMIT %(near)s
        ) AS nearest
        WHERE distance <= %(furthest)s
    )
"""
# Within an edition a name is one tool.
_FUSED: Final[LiteralString] = """
    SELECT array_agg(name ORDER BY score DESC, name)
    FROM (
        SELECT name, sum(1.0::float8 / (%(k)s + place)) AS score
        FROM ({lists}) AS lists
        GROUP BY name
    ) AS fused
"""


class Statements:
    """The statements for one namespace."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace
        self._names = {
            "schema": sql.Identifier(namespace),
            **{
                table: sql.Identifier(namespace, table)
                for table in ("editions", "tools", "terms", "vectors")
            },
        }
        self.newest = self._made(
            "SELECT number, digest, model, dimensions, tools FROM {editions}"
            " ORDER BY number DESC LIMIT 1"
        )
        self.edition = self._made(
            "SELECT number, digest, model, dimensions, tools FROM {editions}"
            " WHERE digest = %(digest)s ORDER BY number DESC LIMIT 1"
        )
        # The first row tells that the edition has not been pruned.
        self.known = self._made(
            "SELECT NULL, NULL, number FROM {editions} WHERE number = %(edition)s"
            " UNION ALL SELECT term, coalesce(form, ''), tools FROM {terms}"
            " WHERE term = ANY(%(terms)s) OR form = ANY(%(forms)s)"
        )
        self.beginnings = self._made(
            "SELECT term, (SELECT sum(tools) FROM {terms} AS other"
            ' WHERE other.term >= asked.term COLLATE "C"'
            ' AND other.term < asked.term || chr(1114111) COLLATE "C")'
            " FROM unnest(%(beginnings)s::text[]) AS asked (term)"
        )
        self.living = self._made("SELECT digest, id, born FROM {tools} WHERE died IS NULL")
        self.dimensions = self._made(
            "SELECT vector_dims(vector) FROM {vectors} JOIN {tools} USING (id)"
            " WHERE digest = ANY(%(digests)s) AND died IS NULL"
        )
        self.last_id = self._made("SELECT coalesce(max(id), 0) FROM {tools}")
        self.write_tools = self._made(
            "COPY {tools} (id, digest, name, terms, named, born) FROM STDIN"
        )
        self.write_vectors = self._made("COPY {vectors} (id, vector) FROM STDIN")
        self.bury = self._made("UPDATE {tools} SET died = %(edition)s WHERE id = ANY(%(ids)s)")
        self.discard = self._made("DELETE FROM {tools} WHERE id = ANY(%(ids)s)")
        self.add_edition = self._made(
            "INSERT INTO {editions} (number, digest, version, model, dimensions, tools)"
            " VALUES (%(number)s, %(digest)s, %(version)s, %(model)s, %(dimensions)s, %(tools)s)"
        )
        self.forget_editions = self._made("DELETE FROM {editions} WHERE number < %(oldest)s")
        self.forget_tools = self._made("DELETE FROM {tools} WHERE died <= %(oldest)s")
        self.count_terms = self._made(
            "CREATE TEMPORARY TABLE counted (term text, form text, tools integer) ON COMMIT DROP"
        )
        self.write_counted = sql.SQL("COPY counted (term, form, tools) FROM STDIN")
        self.add_counted = self._made(
            "INSERT INTO {terms} AS terms SELECT term, form, tools FROM counted"
            " ON CONFLICT (term) DO UPDATE SET tools = terms.tools + excluded.tools"
        )
        self.drop_uncounted = self._made(
            "DELETE FROM {terms} AS terms USING counted"
            " WHERE terms.term = counted.term AND terms.tools <= 0"
        )
        self.refresh = tuple(self._made(f"ANALYZE {{{table}}}") for table in ("tools", "terms"))

    def tables(self, *, vectors: bool) -> tuple[sql.Composed, ...]:
        """Return what makes the tables that are not there."""
        return tuple(map(self._made, (*_TABLES, *(_VECTORS if vectors else ()))))

    def are_there(self, *, vectors: bool) -> tuple[sql.Composed, dict[str, str]]:
        """Return a query, and its parameters, that tells whether there is nothing to make."""
        names = ("editions", "tools", "terms", *(("vectors",) if vectors else ()))
        wanted = {name: self._names[name].as_string(None) for name in names}
        exist = sql.SQL(" AND ").join(
            sql.SQL("to_regclass({}) IS NOT NULL").format(sql.Placeholder(n)) for n in names
        )
        return sql.SQL("SELECT {}").format(exist), wanted

    def indexes(self, dimensions: int | None) -> dict[str, sql.Composed]:
        """Return what makes the indexes, by their names; quickest once the rows are there."""
        made = {self._index("tools_terms"): self._made(_TERMS_INDEX)}
        if dimensions is not None:
            name = f"vectors_{dimensions}"
            made[self._index(name)] = self._made(
                _VECTOR_INDEX, index=sql.Identifier(name), dimensions=sql.Literal(dimensions)
            )
        return made

    def _index(self, name: str) -> str:
        return sql.Identifier(self._namespace, name).as_string(None)

    def count_of(self, *, born: int | None = None, died_by: int | None = None) -> sql.Composed:
        """Return what counts the terms of the rows that came or went with an edition."""
        which = (
            sql.SQL("born = {}").format(sql.Literal(born))
            if born is not None
            else sql.SQL("died <= {}").format(sql.Literal(died_by))
        )
        inner = sql.SQL("SELECT terms FROM {} WHERE {}").format(self._names["tools"], which)
        return sql.SQL("SELECT word, ndoc FROM ts_stat({})").format(
            sql.Literal(inner.as_string(None))
        )

    def rank(self, *, terms: int, dimensions: int | None) -> sql.Composed:
        """Return the query that ranks by words, by meaning or by both, and fuses the places.

        Args:
            terms: how many terms score; their parameters are those of `term_parameters`.
            dimensions: of the vectors; `None` leaves meaning out.
        """
        parts = {}
        if terms:
            parts["words"] = self._words(terms)
        if dimensions is not None:
            parts["meaning"] = self._made(_MEANING, dimensions=sql.Literal(dimensions))
        lists = sql.SQL(" UNION ALL ").join(
            sql.SQL("SELECT name, place FROM {}").format(sql.Identifier(name)) for name in parts
        )
        return sql.SQL("WITH {} {}").format(
            sql.SQL(", ").join(parts.values()), self._made(_FUSED, lists=lists)
        )

    def _words(self, terms: int) -> sql.Composed:
        scores = [
            sql.SQL(_SCORE).format(
                weight=sql.Placeholder(f"weight{n}"), term=sql.Placeholder(f"term{n}")
            )
            for n in range(terms)
        ]
        in_name = [
            sql.SQL(_IN_NAME).format(named=sql.Placeholder(f"named{n}")) for n in range(terms)
        ]
        plus = sql.SQL(" + ")
        return self._made(_WORDS, scores=plus.join(scores), in_name=plus.join(in_name))

    def _made(self, text: LiteralString, **more: sql.Composable) -> sql.Composed:
        return sql.SQL(text).format(**self._names, **more, found_alive=_FOUND_ALIVE)


def term_parameters(asked: Iterable[tuple[str, str, float]]) -> dict[str, Any]:
    """Return the parameters of the terms of `Statements.rank`: tsquery, one for names, weight."""
    given: dict[str, Any] = {}
    for n, (term, named, weight) in enumerate(asked):
        given |= {f"term{n}": term, f"named{n}": named, f"weight{n}": weight}
    return given
