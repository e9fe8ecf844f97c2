"""A host's own ranker, bound in each framework and asked through the real endpoint."""
