"""sezzlee_py for fastapi."""
