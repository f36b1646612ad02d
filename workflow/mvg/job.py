"""What every script of the workflow does around its work: log, progress, one line on an error."""

import logging
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from .data.errors import DataError, one_line

MINUTE = 60.0


@contextmanager
def job(log_file):
    """Give a :class:`Log`; turn a user's mistake into one ``error:`` line and exit code 1."""
    Path(log_file).parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=log_file,
        filemode="w",
        encoding="utf-8",
        level=logging.INFO,
        format="%(asctime)s %(message)s",
        force=True,
    )
    started = time.monotonic()
    try:
        yield Log()
    except (DataError, OSError) as error:
        line = f"error: {one_line(str(error))}"
        logging.error(line)
        print(line, file=sys.stderr, flush=True)
        sys.exit(1)
    except BaseException:
        logging.exception("stopped")
        raise
    logging.info("done in %.1f s", time.monotonic() - started)


class Log:
    """Messages and progress: into the log, and onto the terminal where there is one."""

    def __init__(self):
        self._bar, self._last = None, time.monotonic()

    def __call__(self, message: str) -> None:
        logging.info(message)

    def progress(self, items, label: str):
        """Iterate over ``items`` (with a length): a bar on a terminal, a line a minute in the log."""
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
        """The same for ``done`` of ``total`` bytes of what is called ``label``; ``total`` may be unknown."""
        if sys.stderr.isatty():
            from tqdm import tqdm

            if self._bar is None or self._bar.desc != f"{label}: ":
                self._bar = tqdm(desc=label, total=total, unit="B", unit_scale=True, leave=False)
            self._bar.update(done - self._bar.n)
        if time.monotonic() - self._last > MINUTE:
            self._last = time.monotonic()
            logging.info("%s: %d of %s bytes", label, done, total or "?")
