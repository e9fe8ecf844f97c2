"""openapi."""
