"""Faults in a run of the workflow, and what must hold after each.

At any moment a result either has the bytes of the undisturbed run or does not exist. A run that ends early says why,
without a traceback. The same command again ends with exactly the files of the undisturbed run, byte for byte.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from workflow.conftest import ROOT, copy_of_project, lasting

DAY = 86_400  # seconds
PATIENCE = 60  # seconds, after a SIGTERM
TIMES = (
    "index.html",
    "offline_ab.csv",
    "complexity.html",
    "click_log.html",
    "complexity.md",
    "complexity.tex",
    "click_log.md",
    "click_log.tex",
    "verdicts.md",
    "provenance.json",
)
MEMORY_LIMIT = """import resource
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size, size))
"""


class Run:
    """A run in its own folder, started again and again."""

    def __init__(self, folder: Path, *arguments: str):
        self.folder, self.results, self.arguments = folder, folder / "results", arguments
        self.ends, self.started = 0, []  # how often it finished; its processes
        if not folder.exists():
            folder.mkdir(parents=True)
            copy_of_project(folder)
            shutil.copy(ROOT / "tests/transformers.yaml", folder / "tests")
        self.results.mkdir(exist_ok=True)

    def start(self, *more: str, output="output.txt") -> subprocess.Popen:
        """Start the run's command in a session of its own, as in its own terminal."""
        command = [sys.executable, "-m", "snakemake", *self.arguments, *more]
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with open(self.folder / output, "w", encoding="utf-8") as file:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                stdout=file,
                stderr=file,
                env=environment,
                start_new_session=True,
                # If a shell runs the tests in the background, they and their children ignore Ctrl-C.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )
        self.started.append(process)
        return process

    def output(self, name="output.txt") -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def finish(self, *more: str) -> str:
        """Run to the end; return the output."""
        assert self.start(*more).wait() == 0, self.output()
        return self.output()

    def is_locked(self) -> bool:
        return any((self.folder / ".snakemake/locks").glob("*"))

    def wipe(self) -> None:
        """Remove everything that was made."""
        for process in self.started:
            kill_session(process)
        for left in [*self.results.iterdir(), self.folder / ".snakemake"]:
            shutil.rmtree(left, ignore_errors=True)

    def files(self) -> dict[str, bytes]:
        """All results, without measured times."""
        files = sorted(file for file in self.results.rglob("*") if file.is_file())
        names = [file.relative_to(self.results) for file in files]
        measured = {"logs", "benchmarks", *TIMES}
        return {str(name): b"" if measured & set(name.parts) else lasting(file) for name, file in zip(names, files)}


# Processes


def session(leader: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            dead = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
            if os.getsid(pid) == leader and not dead:
                found.append(pid)
        except OSError:  # it has ended meanwhile
            continue
    return found


def jobs(leader: int, script="") -> list[int]:
    """The Python processes of a session that run a script of the workflow."""
    found = []
    for pid in session(leader):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        except OSError:
            continue
        if len(words) > 1 and ".snakemake/scripts/" in words[1] and words[1].endswith(f"{script}.py"):
            found.append(pid)
    return found


def kill(pids: list[int], number=signal.SIGKILL) -> int:
    """Send a signal; return how many of them were still there."""
    hit = 0
    for pid in pids:
        try:
            os.kill(pid, number)
            hit += 1
        except ProcessLookupError:
            continue
    return hit


def kill_session(process: subprocess.Popen) -> None:
    """kill -9 of a whole session, unless it has ended."""
    while process.poll() is None and (left := session(process.pid)):
        os.kill(process.pid, signal.SIGSTOP)  # the leader dies last; stopped, it starts no more
        kill([pid for pid in left if pid != process.pid] or [process.pid])
    process.wait()


def ends_within(process: subprocess.Popen, seconds: float) -> bool:
    try:
        process.wait(seconds)
        return True
    except subprocess.TimeoutExpired:
        return False


# Faults. Each starts the run, strikes after a random time of ``seconds`` on average, and returns when the run
# has ended: False if the run finished before that.


def kill_all(run: Run, random: random.Random, seconds: float) -> bool:
    """kill -9 of Snakemake and all its jobs."""
    process = run.start()
    ends_within(process, random.uniform(0, 2 * seconds))
    return killed(run, process)


def kill_job(run: Run, random: random.Random, seconds: float, script="") -> bool:
    """kill -9 of one job, as by the kernel when memory runs out."""
    process = at_work(run, random.uniform(0, 2 * seconds))
    while process.poll() is None and not kill(random.sample(found := jobs(process.pid, script), min(1, len(found)))):
        time.sleep(0.01)
    return refused(run, process, r"Error in rule \w+")


def interrupt(run: Run, random: random.Random, seconds: float) -> bool:
    """Ctrl-C: SIGINT to all of the terminal's foreground."""
    return interrupted(run, at_work(run, random.uniform(0, 2 * seconds)))


def terminate(run: Run, random: random.Random, seconds: float) -> bool:
    """SIGTERM to Snakemake, as from a system that shuts down."""
    process = at_work(run, random.uniform(0, 2 * seconds))
    process.terminate()
    # It can hit Snakemake at a point where it then waits forever.
    return stopped(run, process) if ends_within(process, PATIENCE) else killed(run, process)


def fill_disk(run: Run, random: random.Random, seconds: float) -> bool:
    """A disk with too little room, which gets more later."""
    mount(run, f"size={shutil.disk_usage(run.results).used + random.randrange(ROOM)}")
    try:
        return refused(run, run.start(), "No space left on device")
    finally:
        mount(run, f"size={SIZE}")


def make_read_only(run: Run, random: random.Random, seconds: float) -> bool:
    """Results on a read-only disk, which is made writable later."""
    mount(run, "ro")
    try:
        return refused(run, run.start(), "error: results.*: not writable: make it so|Write-protected output files")
    finally:
        mount(run, "rw")


def limit_memory(run: Run, random: random.Random, seconds: float) -> bool:
    """A job that gets no more memory than its imports need."""
    script = run.folder / "workflow/scripts/evaluate.py"
    text, status = script.read_text(encoding="utf-8"), script.stat()
    script.write_text(text.replace("\nwith job(", f"\n{MEMORY_LIMIT}with job("), encoding="utf-8")
    try:
        return refused(run, run.start(), "error: not enough memory")
    finally:
        script.write_text(text, encoding="utf-8")
        os.utime(script, ns=(status.st_atime_ns, status.st_mtime_ns))


def move_clock(run: Run, random: random.Random, seconds: float) -> bool:
    """A clock that goes wrong and is put right: some files seem a day older or newer than they are."""
    if not interrupted(run, at_work(run, random.uniform(0, 2 * seconds))):
        return False
    for file in run.results.rglob("*"):
        if random.random() < 0.5:
            os.utime(file, (time.time() + random.choice((-DAY, DAY)),) * 2)
    refused(run, run.start(), "older modification time .* than input .* clock skew")
    # The remedy that the message asks for: find results -newermt now -exec touch {} +
    for file in run.results.rglob("*"):
        if file.stat().st_mtime > time.time():
            os.utime(file)
    return True


def start_twice(run: Run, random: random.Random, seconds: float) -> bool:
    """The same command a second time, while the first is running."""
    first = at_work(run, 0)
    second = run.start(output="second.txt")
    second.wait()
    if second.returncode or run.is_locked():  # otherwise neither had anything to do
        words = run.output("second.txt")
        assert second.returncode and "Directory cannot be locked" in words and "Traceback" not in words, words
    return interrupted(run, first)


def kill_training(run: Run, random: random.Random, seconds: float) -> bool:
    """kill -9 of everything during the training of a transformer."""
    process = run.start()
    while process.poll() is None and not jobs(process.pid, "train_sbert") + jobs(process.pid, "train_colbert"):
        time.sleep(0.1)
    ends_within(process, random.uniform(0, 2 * seconds))
    return killed(run, process)


FAULTS = {
    "kill -9 of everything": kill_all,
    "kill -9 of one job": kill_job,
    "Ctrl-C": interrupt,
    "SIGTERM": terminate,
    "disk full": fill_disk,
    "read-only results": make_read_only,
    "memory limit": limit_memory,
    "clock jump": move_clock,
    "two runs at once": start_twice,
    "kill -9 in training": kill_training,
}
ON_A_DISK_OF_ITS_OWN = ("disk full", "read-only results")
SIZE = 2**30  # bytes of that disk
ROOM = 2**18  # most free bytes on a disk that is to become full


def mount(run: Run, option: str) -> None:
    """Give the results their own disk, or change it. Raises OSError if that is not allowed."""
    remount = "remount," * os.path.ismount(run.results)
    command = ["mount", "-t", "tmpfs", "-o", remount + option, "tmpfs", str(run.results)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise OSError(done.stderr.strip())


def unmount(run: Run) -> None:
    if os.path.ismount(run.results):
        subprocess.run(["umount", str(run.results)], check=True)


def at_work(run: Run, seconds: float) -> subprocess.Popen:
    """Start the run; return ``seconds`` after its first job could start, or when it has ended."""
    process = run.start()
    while process.poll() is None and not run.is_locked():
        time.sleep(0.01)
    ends_within(process, seconds)
    return process


def refused(run: Run, process: subprocess.Popen, pattern: str) -> bool:
    """Whether the run failed. Asserts that it then said why, in one line."""
    if process.wait() == 0:
        return False
    output = run.output()
    assert re.search(pattern, output) and "Traceback" not in output, output
    return True


def killed(run: Run, process: subprocess.Popen) -> bool:
    """kill -9 of a whole run, then follow Snakemake's advice. Returns whether it was still running."""
    if process.poll() is not None:
        assert process.returncode == 0, run.output()
        return False
    kill_session(process)
    if run.is_locked():
        assert run.start().wait() != 0 and "--unlock" in run.output(), run.output()
        run.finish("--unlock")
    return True


def interrupted(run: Run, process: subprocess.Popen) -> bool:
    """The same after Ctrl-C."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    return stopped(run, process)


def stopped(run: Run, process: subprocess.Popen) -> bool:
    """Whether the run was stopped before its end. Asserts that no process and no lock of it is left."""
    process.wait()
    assert not session(process.pid) and not run.is_locked(), run.output()
    return process.returncode != 0


# What must hold


def strike(run: Run, fault: str, undisturbed: dict[str, bytes], random: random.Random, seconds: float) -> None:
    """Strike the run with ``fault``, starting afresh if it finishes first; assert that nothing is half-written."""
    for _ in range(10):
        if FAULTS[fault](run, random, seconds):
            break
        recover(run, undisturbed)
        run.wipe()
    else:
        raise AssertionError(f"{fault}: the run finished as if nothing had been")
    for name, content in run.files().items():
        assert undisturbed.get(name, content) == content, f"{fault}: {name} is not whole"


def recover(run: Run, undisturbed: dict[str, bytes]) -> None:
    """The same command again ends with the undisturbed run's files, and then has nothing left to do.

    Tables and figures are targets, so it makes those without being asked.
    """
    run.finish()
    # Snakemake makes files that nothing needs any more, such as the model of existing vectors, only on request.
    if unneeded := undisturbed.keys() - run.files().keys():
        run.finish("--", *(f"results/{name}" for name in sorted(unneeded)))
    files = run.files()
    assert sorted(files) == sorted(undisturbed), f"left or lost: {sorted(files.keys() ^ undisturbed.keys())}"
    different = [name for name in files if files[name] != undisturbed[name]]
    assert not different, f"other bytes: {different}"
    assert "Nothing to be done" in run.finish()
    run.ends += 1
