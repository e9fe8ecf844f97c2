"""Tool retrieval on PostgreSQL: full text and pgvector in one query."""
