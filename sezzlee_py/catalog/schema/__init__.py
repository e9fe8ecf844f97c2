"""Schemas at binding: normalised, hoisted, and made from Python types (spec: schema)."""
