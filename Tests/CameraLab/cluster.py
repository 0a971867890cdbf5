"""Drives a whole cluster in the emulated machine and compares what it says with v4l2-ctl, exiftool and ffprobe.

usage: cluster.py BIN OUT   (in the guest; BIN holds the executables, OUT keeps the photo and the film)
"""

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from fractions import Fraction

from lab import BIN, OUT, Cluster, expect, obscura, report, run, wait_until
from sound import check_sound, check_sound_losses


def capture_nodes():
    """Nodes of which v4l2-ctl says that they capture video, by their own capabilities."""
    found = []
    for name in sorted(os.listdir("/dev")):
        if not re.fullmatch(r"video\d+", name):
            continue
        said = run("v4l2-ctl", "-d", f"/dev/{name}", "--info")
        own = said.split("Device Caps")[1] if "Device Caps" in said else said
        if re.search(r"^\s+Video Capture( Multiplanar)?$", own, re.M):
            found.append(f"/dev/{name}")
    return found


def listed_formats(node):
    """What v4l2-ctl lists: for each format its sizes, and for each size its intervals in seconds as it prints them, sorted."""
    found, sizes, intervals = {}, {}, []
    for line in run("v4l2-ctl", "-d", node, "--list-formats-ext").splitlines():
        line = line.strip()
        if head := re.match(r"\[\d+\]: '(.{4})'", line):
            sizes = found.setdefault(head[1], {})
        elif size := re.match(r"Size: Discrete (\d+)x(\d+)", line):
            intervals = sizes[int(size[1]), int(size[2])] = []
        elif step := re.match(r"Interval: Discrete ([\d.]+)s", line):
            intervals.append(step[1])
    return {name: {size: sorted(each) for size, each in sizes.items()} for name, sizes in found.items()}


def shown_formats(camera):
    """The same of what we list; the same format twice, in two numbers of planes, is one."""
    seconds = lambda text: f"{Fraction(text).numerator / Fraction(text).denominator:.3f}"
    found = {}
    for shape in camera["formats"]:
        sizes = found.setdefault(shape["pixelFormat"], {})
        for size in shape["sizes"]:
            is_one = (size["minimumWidth"], size["minimumHeight"]) == (size["maximumWidth"], size["maximumHeight"])
            if not is_one or size.get("intervalsAreRange"):
                raise ValueError(f"a range where there is none: {size}")
            sizes[size["minimumWidth"], size["minimumHeight"]] = sorted(map(seconds, size["intervals"]))
    return found


def check_cameras():
    cameras = obscura("cameras", "list")
    expect("nodes of cameras", sorted(c["node"] for c in cameras), capture_nodes())
    for camera in cameras:
        info = run("v4l2-ctl", "-d", camera["node"], "--info")
        field = lambda name: re.search(rf"^\s*{name}\s*: (.*)$", info, re.M)[1].strip()
        expect("driver", camera["driver"], field("Driver name"))
        expect("name", camera["name"], field("Card type"))
        expect("identity", camera["id"], field("Bus info").replace(":", "-"))
        expect("availability", camera["availability"]["state"], "available")
        said, shown = listed_formats(camera["node"]), shown_formats(camera)
        differ = sorted(name for name in {*said, *shown} if said.get(name) != shown.get(name))
        count = sum(len(intervals) for sizes in said.values() for intervals in sizes.values())
        expect(f"{len(said)} formats with {count} intervals of their sizes", differ, [])
    return cameras


TYPES = {
    "int": "integer", "bool": "boolean", "menu": "menu", "intmenu": "integerMenu", "button": "button",
    "int64": "integer64", "str": "string", "bitmask": "bitmask",
}


def listed_controls(node):
    """What v4l2-ctl lists: by name the fields that it prints, as `cameras show` has them."""
    found, current = {}, None
    for line in run("v4l2-ctl", "-d", node, "--list-ctrls-menus").splitlines():
        item = re.match(r"\t+(-?\d+): (.*)$", line)
        if item:
            number = re.match(r"(-?\d+) \(0x", item[2])
            current["menu"].append((int(item[1]), number[1] if number else item[2].rstrip()))
            continue
        head = re.match(r"\s*(\S+) (0x[0-9a-f]{8}) \((\w+)\)\s*:(.*)$", line)
        if not head:
            continue
        rest = head[4]
        current = {"id": int(head[2], 16), "type": TYPES.get(head[3], "compound")}
        dimensions = [int(n) for n in re.findall(r"\[(\d+)\]", rest)]
        if dimensions:
            current.update(type="compound", dimensions=dimensions)
        if "menu" in head[3]:
            current["menu"] = []
        current["flags"] = []
        flags = re.search(r" flags=(.*)$", rest)
        if flags:
            rest = rest[: flags.start()]
            # A flag that is newer than v4l2-ctl is a number.
            words = [word.strip().replace("0x00000800", "dynamic-array") for word in flags[1].split(",")]
            current["flags"] = sorted(re.sub(r"-(\w)", lambda m: m[1].upper(), word) for word in words)
        text = re.search(r" value='(.*)'$", rest)
        if text:
            current["value"] = text[1]
        for key, value in re.findall(r"(min|max|step|default|value)=(-?0x[0-9a-f]+|-?\d+)(?=\s|$)", rest):
            name = {"min": "minimum", "max": "maximum"}.get(key, key)
            if current["type"] != "compound" or name != "value":
                current[name] = int(value, 0)
        found[head[1]] = current
    return found


def check_controls(camera):
    """Every control that v4l2-ctl lists, with everything that it prints of it."""
    said = listed_controls(camera["node"])
    shown = {c["name"]: c for c in obscura("cameras", "show", camera["id"])[-1]["controls"]}
    expect("controls", sorted(shown), sorted(said))
    expect("there are controls of every type", {c["type"] for c in said.values()} >= set(TYPES.values()), True)
    menu = shown["menu"]
    expect("a menu has holes", len(menu["menu"]) < menu["maximum"] - menu["minimum"] + 1, True)
    differ, compared = [], 0
    for name, wanted in said.items():
        control = dict(shown[name], flags=sorted(shown[name]["flags"]))
        if "menu" in control:
            control["menu"] = [(item["index"], item["name"]) for item in control["menu"]]
        for key, value in wanted.items():
            # What the camera changes by itself is another value by now, and a button has none.
            if key == "value" and (wanted["type"] == "button" or {"volatile", "inactive"} & set(wanted["flags"])):
                continue
            if wanted["type"] == "bitmask" and key in ("maximum", "default", "value"):
                value %= 1 << 32
            compared += 1
            if control.get(key) != value:
                differ.append((name, key, control.get(key), value))
    expect(f"{compared} fields of {len(said)} controls", differ, [])


class Watcher:
    """`obscura cameras watch`, with the time at which each line came."""

    # Seconds for an event in the emulated machine.
    PATIENCE = 90

    def __init__(self):
        # Unbuffered, so that what select(2) says holds for what is read.
        self.process = subprocess.Popen(
            [f"{BIN}/obscura", "cameras", "watch", "--json"], stdout=subprocess.PIPE, bufsize=0
        )

    def until(self, kind, ids, state=None):
        """Reads until each of the cameras had an event of a kind; seconds until the last of them."""
        start, left, others = time.monotonic(), set(ids), []
        while left:
            rest = start + self.PATIENCE - time.monotonic()
            if rest <= 0 or not select.select([self.process.stdout], [], [], rest)[0]:
                raise TimeoutError(f"{kind} {state or ''} of {sorted(left)}; instead came {others}")
            event = json.loads(self.process.stdout.readline())
            if event["kind"] == kind and state in (None, event["camera"]["availability"]["state"]):
                left.discard(event["camera"]["id"])
            else:
                others.append((event["kind"], event["camera"]["id"], event["camera"]["availability"]))
        return time.monotonic() - start

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=60)


def check_hotplug(cameras):
    """Takes the driver off its device and puts it back, and hides a node; no event but the machine's own tells of it."""
    ids = sorted(c["id"] for c in cameras)
    watcher = Watcher()

    def told(kind, after, ids, state=None):
        took = watcher.until(kind, ids, state)
        expect(f"{kind} after {after}", True, True)
        print(f"figure: {kind} told {took * 1000:.0f} ms after {after} (emulated)")

    try:
        watcher.until("present", ids)
        for verb, kind in (("unbind", "removed"), ("bind", "added")):
            with open(f"/sys/bus/platform/drivers/vivid/{verb}", "w") as file:
                file.write("vivid.0")
            told(kind, f"{verb} of the driver", ids)
        node = cameras[0]["node"]
        os.rename(node, "/dev/hidden")
        told("changed", "a node was hidden", ids[:1], "absent")
        os.rename("/dev/hidden", node)
        told("changed", "the node came back", ids[:1], "available")
    finally:
        watcher.end()


def print_looks(log):
    """How long the probe's looks took, and how long after the first event they were done."""
    looks = [json.loads(line) for line in open(log) if '"looked at the cameras"' in line]
    for name in ("milliseconds", "since_event"):
        times = sorted(look[name] for look in looks if look["news"] and isinstance(look[name], float))
        if times:
            print(f"figure: look.{name} of {len(times)}: {times[0]:.0f} to {times[-1]:.0f} (emulated)")


def check_photo(camera):
    path = f"{OUT}/photo.jpg"
    photo = obscura("photo", "--camera", camera["id"], "--output", path)[-1]
    expect("camera of the photo", photo["camera"], camera["id"])
    tags = json.loads(run("exiftool", "-json", "-n", path))[0]
    expect("make", tags["Make"], camera["driver"])
    expect("model", tags["Model"], camera["name"])
    expect("width", tags["ImageWidth"], photo["granted"]["width"])
    expect("date", tags["DateTimeOriginal"][:10], time.strftime("%Y:%m:%d"))
    expect("offset", tags["OffsetTimeOriginal"], time.strftime("%z")[:3] + ":" + time.strftime("%z")[3:])
    expect("bytes", os.path.getsize(path), photo["bytes"])
    run("ffmpeg", "-v", "error", "-xerror", "-i", path, "-f", "null", "-")


def check_film(camera):
    path = f"{OUT}/film.mov"
    film = obscura("record", "--camera", camera["id"], "--duration", "3s", "--quality", "low", "--output", path)[-1]
    stream = json.loads(run("ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", path))["streams"][0]
    expect("frames", int(stream["nb_read_frames"]), film["frames"])
    expect("size", (stream["width"], stream["height"]), (film["granted"]["width"], film["granted"]["height"]))
    expect("duration", 2.5 < float(stream["duration"]) < 8, True)
    expect("there are frames", film["frames"] > 1, True)


def check_busy(camera):
    other = subprocess.Popen(
        ["v4l2-ctl", "-d", camera["node"], "--stream-mmap", "--stream-count=0"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        show = lambda: obscura("cameras", "show", camera["id"])[-1]["availability"]
        wait_until("the camera is busy", lambda: show()["state"] == "busy")
        expect("who has it", show()["reason"], f"in use by v4l2-ctl (pid {other.pid})")
        error = obscura("photo", "--camera", camera["id"], status=75)[-1]["error"]
        expect("code", error["code"], "inUse")
    finally:
        other.terminate()
        other.wait()
    wait_until("the camera is free", lambda: show()["state"] == "available")


def control(node, name):
    """What v4l2-ctl says that a control is set to."""
    return run("v4l2-ctl", "-d", node, "--get-ctrl", name).split(": ", 1)[1].strip()


def check_preview(camera):
    """Pictures and settings of a camera that is being looked at; other programs can not change it meanwhile."""
    before = {name: control(camera["node"], name) for name in ("brightness", "boolean", "integer_64_bits")}
    preview = subprocess.Popen(
        [f"{BIN}/obscura", "preview", "--camera", camera["id"], "--size", "320x180", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        pictures = [json.loads(preview.stdout.readline()) for _ in range(3)]
        expect("size of the preview", {(p["width"], p["height"]) for p in pictures}, {(320, 180)})
        numbers = [p["number"] for p in pictures]
        expect("order of the preview", numbers, sorted(set(numbers)))
        obscura("cameras", "controls", camera["id"], "--set", "brightness=77,boolean=0,integer_64_bits=-5000000000")
        for name, value in (("brightness", "77"), ("boolean", "0"), ("integer_64_bits", "-5000000000")):
            expect(f"{name} as v4l2-ctl sees it", control(camera["node"], name), value)
        error = obscura("cameras", "controls", camera["id"], "--set", "brightness=9999", status=64)[-1]["error"]
        expect("the range is named", "from 0 to 255" in error["reason"], True)
        other = subprocess.run(["v4l2-ctl", "-d", camera["node"], "-c", "brightness=1"], capture_output=True, text=True)
        expect("others can not change it", (other.returncode != 0, control(camera["node"], "brightness")), (True, "77"))
    finally:
        preview.send_signal(signal.SIGINT)
        preview.wait(timeout=60)
    put_back = lambda: {name: control(camera["node"], name) for name in before} == before
    wait_until("settings are put back", put_back)
    expect("settings are put back", put_back(), True)


def main():
    with Cluster() as cluster:
        cameras = check_cameras()
        check_controls(cameras[0])
        check_hotplug(cameras)
        obscura("permissions", "grant", "--resource", "camera/*")
        obscura("permissions", "grant", "--resource", "library", "--access", "addOnly")
        check_photo(cameras[0])
        check_film(cameras[0])
        obscura("permissions", "grant", "--resource", "microphone/*")
        check_sound(cameras[0])
        check_sound_losses(cameras[0])
        check_preview(cameras[0])
        check_busy(cameras[1])
    print_looks(f"{cluster.folder}/data/log/probe.log")
    return report()


sys.exit(main())
