"""One module per kind: `check(input, expected)` asserts that they agree."""
