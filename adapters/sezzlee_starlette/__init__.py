"""sezzlee_py for starlette."""
