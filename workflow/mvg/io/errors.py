"""The one error that a user's input can cause."""


class DataError(ValueError):
    """Wrong input: the file, the place in it, and what was expected.

    ``where`` is a line, an id or a member of an archive; it may be empty.
    The message is always one line, whatever the data contains.
    """

    def __init__(self, file, where, expected):
        self.file, self.where, self.expected = file, where, expected
        place = f"{file}: {where}" if where else f"{file}"
        super().__init__(one_line(f"{place}: {expected}"))

    def __reduce__(self):  # so that it can be pickled between processes
        return type(self), (self.file, self.where, self.expected)


def one_line(text: str, limit: int = 500) -> str:
    """``text`` without line breaks or control characters, cut to ``limit`` characters."""
    visible = "".join(
        c if c.isprintable() else " " if c.isspace() else c.encode("unicode_escape").decode() for c in text
    )
    return visible if len(visible) <= limit else visible[: limit - 1] + "…"
