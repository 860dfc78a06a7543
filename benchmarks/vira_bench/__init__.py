"""VIRA-Bench: short clips of one-to-one online tutoring, and what follows on what in them."""
