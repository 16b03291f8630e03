"""Policies: networks as arrays (`networks`), their copies in lanes (`lanes`), files of other programs (`files` reads, `export` writes)."""
