"""The long form: every fault in runs of tests/tiny.yaml, at random times, and a table of the outcomes.

python tests/faults/run.py --kills 50 --tries 5 --trainings 10 --seed 0
"""

import argparse
import random
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import monotonic

sys.path.insert(0, str(Path(__file__).parents[1]))
from faults.faults import FAULTS, ON_A_DISK_OF_ITS_OWN, Run, mount, recover, strike, unmount  # noqa: E402

TINY = ["--configfile", "tests/tiny.yaml"]
VECTORS = [f"results/transformers/wikiseealso/{name}.npy" for name in ("sbert/documents", "colbert/tokens")]
TRANSFORMERS = [*VECTORS, "--configfile", "tests/transformers.yaml"]
STRIKES = 10  # on average, until a run finishes


def suite(work: Path, arguments: list[str], faults: list[str], rng: random.Random) -> Counter:
    """Strike a run with ``faults``, one after the other; (fault, outcome) -> how often."""
    undisturbed, start = Run(work / "undisturbed", *arguments), monotonic()
    undisturbed.finish("--cores", "1")
    files, seconds = undisturbed.files(), monotonic() - start
    print(f"undisturbed, on one core: {len(files)} files in {seconds:.0f} s", flush=True)
    run, outcomes = Run(work / "disturbed", *arguments), Counter()
    try:
        mount(run, "rw")
    except OSError as error:
        print(f"no disk of its own can be mounted: {error}")
        outcomes = Counter((fault, "not tried") for fault in faults if fault in ON_A_DISK_OF_ITS_OWN)
        faults = [fault for fault in faults if fault not in ON_A_DISK_OF_ITS_OWN]
    for n, fault in enumerate(faults, 1):
        try:
            strike(run, fault, files, rng, seconds / STRIKES)
            if n == len(faults):
                recover(run, files)
            outcome = "nothing half-written, same bytes in the end"
        except AssertionError as error:
            outcome = "FAILED"
            (work / f"failed.{n}.txt").write_text(str(error), encoding="utf-8")
            run.wipe()
        outcomes[fault, outcome] += 1
        print(f"{n} of {len(faults)}: {fault}: {outcome}; {run.ends} times at the end", flush=True)
    unmount(run)
    return outcomes


def main() -> int:
    # With nohup or & this process ignores SIGINT, and so would the runs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50, help="kill -9 of everything, at this many random times")
    parser.add_argument("--tries", type=int, default=5, help="of each other fault")
    parser.add_argument("--trainings", type=int, default=10, help="kill -9 in the training of transformers")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--config", nargs="+", default=[], help="for Snakemake, to make the run smaller")
    parser.add_argument("--work", type=Path, help="folder for the runs, kept; the undisturbed one is not made again")
    given = parser.parse_args()
    rng, work = random.Random(given.seed), given.work or Path(tempfile.mkdtemp())
    tries = {fault: given.tries for fault in FAULTS}
    tries |= {"kill -9 of everything": given.kills, "kill -9 in training": 0}
    faults = [fault for fault in tries for _ in range(tries[fault])]
    rng.shuffle(faults)
    outcomes = Counter()
    if faults:
        outcomes += suite(work / "tiny", TINY + ["--config", *given.config] * bool(given.config), faults, rng)
    if given.trainings:
        outcomes += suite(work / "transformers", TRANSFORMERS, ["kill -9 in training"] * given.trainings, rng)
    print("\n| fault | tries | outcome |\n| --- | ---: | --- |")
    for (fault, outcome), n in sorted(outcomes.items()):
        print(f"| {fault} | {n} | {outcome} |")
    return any(outcome == "FAILED" for _, outcome in outcomes)


if __name__ == "__main__":
    sys.exit(main())
