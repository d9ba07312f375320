"""What goes wrong when data are built."""


class DataError(Exception):
    """A data set cannot be built; the message is one line for the user."""
