"""Runnable examples; the documentation shows them and the tests drive them."""
