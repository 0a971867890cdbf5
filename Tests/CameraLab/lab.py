"""What the scripts that drive a cluster in the emulated machine share.

The script's arguments are BIN, which holds the executables, and OUT, which keeps what is looked at.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

BIN, OUT = sys.argv[1], sys.argv[2]
FAILURES = []
PASSED = []


def expect(what, got, wanted):
    print(f"{'ok    ' if got == wanted else 'FAILED'} {what}: {got!r}" + ("" if got == wanted else f", not {wanted!r}"))
    (PASSED if got == wanted else FAILURES).append(what)


def run(*command):
    """Standard output of a command that has to succeed."""
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def obscura(*arguments, status=0):
    """Runs the command line; its lines of JSON, or the error's."""
    done = subprocess.run(
        [f"{BIN}/obscura", *arguments, "--json"], capture_output=True, text=True, timeout=300
    )
    expect("exit of obscura " + " ".join(arguments[:4]), done.returncode, status)
    if done.returncode != status:
        print(done.stdout + done.stderr)
    text = done.stdout if status == 0 else done.stderr
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def wait_until(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.5)
    raise TimeoutError(what)


class Cluster:
    """A cluster of the guest's own, for as long as the body runs."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        os.environ.update(
            OBSCURA_RUNTIME=f"{self.folder}/run", OBSCURA_DATA=f"{self.folder}/data", OBSCURA_LOG_LEVEL="debug"
        )
        reader, writer = os.pipe()
        self.log = open(f"{self.folder}/log", "w+")
        self.process = subprocess.Popen(
            [f"{BIN}/obscura", "up", "--ready-fd", str(writer)], pass_fds=[writer], stdout=self.log, stderr=self.log
        )
        os.close(writer)
        expect("the cluster is ready", bool(os.read(reader, 1)), True)
        os.close(reader)
        return self

    def __exit__(self, kind, error, trace):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.log.seek(0)
        if FAILURES or error:
            print(self.log.read())
            for name in sorted(os.listdir(f"{self.folder}/data/log")):
                print(f"== {name}\n" + open(f"{self.folder}/data/log/{name}").read()[-4000:])
        self.log.close()


def report():
    """Prints how many tests there were; the status to end with."""
    print(f"Ran {len(PASSED) + len(FAILURES)} tests, {len(FAILURES)} failed")
    return 1 if FAILURES else 0
