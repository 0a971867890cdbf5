"""Films with sound while the emulated machine sleeps.

usage: sleep.py BIN OUT   (in the guest)

The guest's files are shares of the host's (9p), which do not outlive a sleep: the kernel's driver does not put them to sleep
in order. So the programs, their libraries and this script are copied into memory first, and run from there.
"""

import os
import re
import shutil
import subprocess
import sys

AWAKE = "/awake"


def libraries(programs):
    """Programs, and the libraries that they need."""
    found = set(programs)
    for program in programs:
        said = subprocess.run(["ldd", program], check=True, capture_output=True, text=True, timeout=60).stdout
        found |= set(re.findall(r"(/\S+) \(0x", said))
    return sorted(found)


def copy(path):
    """A file or folder at the same place in memory; one that is a link is what it names, under both names."""
    for name in {path, os.path.realpath(path)}:
        target = AWAKE + name
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(name):
            shutil.copytree(name, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("test", "__pycache__", "dist-packages"))
        elif not os.path.exists(target):
            shutil.copy2(name, target)


def into_memory(executables):
    """Copies what is needed, and goes on in the copy."""
    import _ctypes

    os.mkdir(AWAKE)
    mount("-t", "tmpfs", "-o", "size=2000m", "tmpfs", AWAKE)
    programs = [sys.executable, _ctypes.__file__, "/usr/bin/ffmpeg", "/usr/bin/ffprobe"]
    programs += [os.path.join(executables, name) for name in os.listdir(executables) if re.fullmatch(r"obscura(-[a-z]+)?", name)]
    for path in libraries(programs):
        copy(path)
    # What ctypes opens by name is found as the linker finds it.
    for path in (os.path.dirname(os.__file__), "/usr/share/alsa", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/ld.so.cache"):
        copy(path)
    copy(os.path.dirname(os.path.abspath(__file__)))
    for name in ("dev", "proc", "sys", "run", "tmp", "lab"):
        os.makedirs(f"{AWAKE}/{name}", exist_ok=True)
    for name in ("dev", "proc", "sys", "dev/shm", "sys/fs/cgroup"):
        mount("--bind", f"/{name}", f"{AWAKE}/{name}")
    os.chroot(AWAKE)
    os.chdir("/")


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True, timeout=60)


def main():
    if sys.argv[3:] != ["awake"]:
        executables = os.path.realpath(sys.argv[1])
        into_memory(executables)
        os.execv(sys.executable, [sys.executable, "-u", "-B", os.path.abspath(__file__), executables, "/lab", "awake"])
    from lab import Cluster, obscura, report
    from sound import check_asleep, write

    with Cluster():
        camera = obscura("cameras", "list")[0]
        for resource in (["camera/*"], ["microphone/*"], ["library", "--access", "addOnly"]):
            obscura("permissions", "grant", "--resource", *resource)
        # Everything sleeps and wakes but the processors, after a second: longer than that, and permissions are not heard in time.
        write("/sys/module/suspend/parameters/pm_test_delay", "1")
        write("/sys/power/pm_test", "devices")
        check_asleep(camera, "freeze")
    return report()


sys.exit(main())
