"""``mvg COMMAND``: the command line. Without a command it lists them."""

import argparse
import os
import signal
import sys

from .commands import modules
from .job import mendable


def main(arguments: list[str] | None = None) -> int:
    parser = _Parser(prog="mvg", description="The Multi-View Geometric Index: what a log adds to an encoder.")
    commands = parser.add_subparsers(metavar="COMMAND")
    for name, module in modules().items():
        command = commands.add_parser(name, help=module.HELP, description=module.__doc__.splitlines()[0])
        module.add_arguments(command)
        command.set_defaults(run=module.run, error=command.error)
    options = parser.parse_args(arguments)
    if "run" not in options:
        parser.print_help()
        return 0
    try:
        return options.run(options) or 0
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read the answer has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if (line := mendable(error)) is None:
            raise
        print(f"error: {line}", file=sys.stderr)
        return 1


class _Parser(argparse.ArgumentParser):
    def error(self, message: str):
        self.exit(2, f"error: {message} ({self.prog} --help)\n")


def script() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that temporary files go
    sys.exit(main())


if __name__ == "__main__":
    script()
