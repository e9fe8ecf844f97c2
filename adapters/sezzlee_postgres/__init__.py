"""Tool retrieval on PostgreSQL: full text and pgvector in one query."""

from sezzlee_postgres.ranker import PostgresRanker

__all__ = ["PostgresRanker"]
