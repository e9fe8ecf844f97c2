"""One API of pets, spelled with every extension."""
