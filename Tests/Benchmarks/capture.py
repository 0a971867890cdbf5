"""Measures capture in a running cluster: what a viewer, a photo and a film of a camera's own JPEG cost.

usage: capture.py RUNTIME CAPTURE-PID FILE-CAMERA MOVIE   (an operator of the cluster; PYTHONPATH has the client; the
file camera replays MOVIE)
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

from obscura_client import Client, Exchange

RUNTIME, PID, CAMERA, MOVIE = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds():
    """What the capture service has had of the processor so far."""
    fields = open(f"/proc/{PID}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def share(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def show(what, values):
    print(f"capture          {what}: p50 {share(values, 0.5):.1f} ms   p99 {share(values, 0.99):.1f} ms   ({len(values)})")


def preview(client, camera, size=None):
    body = {"camera": camera, **({"width": size[0], "height": size[1]} if size else {})}
    return Exchange(client, "camera.preview", body, {"credit": 2, "deadline": 600_000})


def latency(camera, count, size, what):
    """From a frame's time stamp to its picture in another process."""
    with Client(RUNTIME) as client:
        viewer = preview(client, camera, size)
        times, begin, seen = [], processor_seconds(), 0
        while len(times) < count:
            message = viewer.receive(("item",), 10)
            now = time.clock_gettime(time.CLOCK_BOOTTIME) * 1000
            viewer.send({"kind": "credit", "credit": 1})
            seen += 1
            if seen > 30:  # warm
                times.append(now - message.body["captured"])
        viewer.send({"kind": "cancel"})
        show(f"frame to viewer, {what}", times)
        print(f"capture          processor of the service, the camera's frame included: {(processor_seconds() - begin) / seen * 1000:.2f} ms a picture")


def photos(camera, count):
    """From a request to the asset on the disk, of a camera that somebody looks at."""
    with Client(RUNTIME) as looking, Client(RUNTIME) as client:
        viewer = preview(looking, camera, (320, 240))
        viewer.receive(("item",), 10)
        times = []
        for _ in range(count):
            begin = time.monotonic()
            client.request("camera.photo", {"settings": {"camera": camera}})
            times.append((time.monotonic() - begin) * 1000)
            viewer.send({"kind": "credit", "credit": 1})
        viewer.send({"kind": "cancel"})
        show("photo, request to durable asset, warm camera", times)


def film(camera, seconds):
    """Passing a camera's JPEG through into a film, against ffmpeg that copies the same pictures at the same pace."""
    with Client(RUNTIME) as client:
        begin = processor_seconds()
        stream = client.stream(
            "camera.record", {"settings": {"camera": camera, "maximumDuration": seconds}}, deadline=(seconds + 60) * 1000
        )
        for _ in stream:
            pass
        frames = stream.summary["frames"]
        ours = (processor_seconds() - begin) / frames * 1e6
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-i", MOVIE, "-t", str(seconds), "-c", "copy",
             f"{folder}/film.mov"],
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        theirs = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        count = int(
            subprocess.run(
                ["ffprobe", "-v", "error", "-count_packets", "-select_streams", "v", "-show_entries",
                 "stream=nb_read_packets", "-of", "csv=p=0", f"{folder}/film.mov"],
                check=True, capture_output=True, text=True,
            ).stdout.strip()
        )
    theirs = theirs / count * 1e6
    print(
        f"capture          film of the camera's JPEG: {ours:.0f} us of processor a frame ({frames} frames), "
        f"ffmpeg -c copy {theirs:.0f} us ({count}): {ours / theirs:.2f} times"
    )


latency("pattern-back", 300, (640, 480), "encoded from raw pictures")
latency(CAMERA, 300, None, "the camera's JPEG")
photos("pattern-back", 100)
film(CAMERA, 20)
