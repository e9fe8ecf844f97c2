"""Threads and one event loop for a process whose server has none, made at first use."""
