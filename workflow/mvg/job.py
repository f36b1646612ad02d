"""What every script of the workflow does around its work: a log, progress, one line on an error."""

import errno
import logging
import re
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from .io.errors import DataError, one_line

MINUTE = 60.0

AGAIN = "then run the same command again"
REMEDIES = {
    errno.ENOSPC: f"make room on that disk, {AGAIN}",
    errno.EDQUOT: f"make room on that disk, {AGAIN}",
    errno.EROFS: f"make that folder writable, {AGAIN}",
    errno.EACCES: f"let this user read and write there, {AGAIN}",
}


@contextmanager
def job(log_file, will_retry=False):
    """Provide a :class:`Log`; turn an error that a user can fix into one ``error:`` line and exit code 1.

    will_retry: Snakemake tries the job again if it fails, so the line does not say ``error:`` yet
    """
    logging.raiseExceptions = False  # on a full disk the log is cut, without a traceback for each line
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)  # until there is a file
    started = time.monotonic()
    try:
        Path(log_file).parent.mkdir(parents=True, exist_ok=True)
        logging.basicConfig(
            filename=log_file,
            filemode="w",
            encoding="utf-8",
            level=logging.INFO,
            format="%(asctime)s %(message)s",
            force=True,
        )
        yield Log()
    except KeyboardInterrupt:
        logging.info("stopped by the user")
        sys.exit(130)
    except BaseException as error:
        if (line := mendable(error)) is None:
            logging.exception("stopped")
            raise
        line = f"trying again: {line}" if will_retry else f"error: {line}"
        logging.error(line)
        print(line, file=sys.stderr, flush=True)
        sys.exit(1)
    logging.info("done in %.1f s", time.monotonic() - started)


def mendable(error: BaseException) -> str | None:
    """One line about what a user can fix (wrong data, files, disk, memory); None for any other error."""
    # torch reports a lack of memory as a RuntimeError.
    if isinstance(error, MemoryError) or re.search("(allocate|out of) memory", str(error)):
        return one_line(f"not enough memory: {str(error) or 'none left'}: free some, or use a larger machine, {AGAIN}")
    if isinstance(error, OSError) and error.errno in REMEDIES:
        return one_line(f"{error.filename or 'a file'}: {error.strerror}: {REMEDIES[error.errno]}")
    if isinstance(error, (DataError, OSError)):
        return one_line(str(error))
    return None


class Log:
    """Messages and progress, in the log and on the terminal if there is one."""

    def __init__(self):
        self._bar, self._last = None, time.monotonic()

    def __call__(self, message: str) -> None:
        logging.info(message)

    def progress(self, items, label: str):
        """Iterate over ``items`` (which have a length): a bar on a terminal, a line a minute in the log."""
        if sys.stderr.isatty():
            from tqdm import tqdm

            items = tqdm(items, desc=label, leave=False)
        last = time.monotonic()
        for done, item in enumerate(items):
            yield item
            if time.monotonic() - last > MINUTE:
                last = time.monotonic()
                logging.info("%s: %d of %d", label, done + 1, len(items))

    def bytes(self, label: str, done: int, total: int | None) -> None:
        """The same for ``done`` of ``total`` bytes; ``total`` is None if unknown."""
        if sys.stderr.isatty():
            from tqdm import tqdm

            if self._bar is None or self._bar.desc != f"{label}: ":
                self._bar = tqdm(desc=label, total=total, unit="B", unit_scale=True, leave=False)
            self._bar.update(done - self._bar.n)
        if time.monotonic() - self._last > MINUTE:
            self._last = time.monotonic()
            logging.info("%s: %d of %s bytes", label, done, total or "?")
