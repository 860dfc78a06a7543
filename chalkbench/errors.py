"""The one exception that a user can mend: the command line prints it as a line and exits with 1."""


class ChalkbenchError(Exception):
    """What was wrong, where, and what to do, in one sentence or two."""
