"""sezzlee_py."""
