"""What a neighbour on the machine can do to a service's process and its sockets; prints each try that succeeded.

usage: neighbour.py RUNTIME DATA PID…
"""

import ctypes
import os
import signal
import socket
import sys
import tempfile

runtime, data, pids = sys.argv[1], sys.argv[2], [int(pid) for pid in sys.argv[3:]]
libc = ctypes.CDLL(None, use_errno=True)
tries = 0


def attempt(what, action):
    global tries
    tries += 1
    try:
        action()
    except OSError:
        return
    print("succeeded:", what)


def trace(pid):
    if libc.ptrace(16, pid, 0, 0) != 0:  # PTRACE_ATTACH
        raise OSError(ctypes.get_errno(), "ptrace")


def bind(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.bind(path)


def connect(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.connect(path)


for pid in pids:
    for number in (0, signal.SIGSTOP, signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
        attempt(f"signal {number} to {pid}", lambda: os.kill(pid, number))
    attempt(f"ptrace of {pid}", lambda: trace(pid))
    for name in ("environ", "mem", "maps", "fd/3"):
        attempt(f"/proc/{pid}/{name}", lambda: open(f"/proc/{pid}/{name}", "rb").read(1))
    for name in ("fd", "root/", "cwd/"):
        attempt(f"/proc/{pid}/{name}", lambda: os.listdir(f"/proc/{pid}/{name}"))

replacement = tempfile.mkstemp()[1]
for name in sorted(os.listdir(runtime)) + ["new.sock"]:
    path = os.path.join(runtime, name)
    attempt(f"unlink {name}", lambda: os.unlink(path))
    attempt(f"rename {name}", lambda: os.rename(path, path + ".old"))
    attempt(f"replace {name}", lambda: os.rename(replacement, path))
    attempt(f"bind {name}", lambda: bind(path))
    attempt(f"link {name}", lambda: os.symlink("/tmp", path + ".link"))
    attempt(f"chmod {name}", lambda: os.chmod(path, 0o777))
    if name.endswith(".roles.sock"):
        attempt(f"connect {name}", lambda: connect(path))
    if name.endswith(".lock"):
        attempt(f"write {name}", lambda: open(path, "r+").close())
for name in ("keys", "notify"):
    attempt(f"list {name}", lambda: os.listdir(os.path.join(runtime, name)))
attempt("rename the runtime directory", lambda: os.rename(runtime, runtime + ".old"))
attempt("list the data", lambda: os.listdir(data))
attempt("enter the data", lambda: os.chdir(data))
for name in (
    "coordinator.sqlite", "exporter.sqlite", "library/library.sqlite", "library/store/.obscura-media", "log/library.log",
    "capture/spool", "exports",
):
    attempt(f"open {name}", lambda: open(os.path.join(data, name), "rb").close())
    attempt(f"stat {name}", lambda: os.stat(os.path.join(data, name)))
os.unlink(replacement)
print(f"tried {tries}")
