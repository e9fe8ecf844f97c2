"""sezzlee_py for flask."""
