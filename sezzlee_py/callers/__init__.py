"""callers."""
