"""Caller facts and change events shared by many replicas, on Redis."""
