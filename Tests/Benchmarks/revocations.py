"""Takes a camera back from a running preview, again and again, and prints how long that takes.

usage: revocations.py RUNTIME COORDINATOR-LOG COUNT   (an operator of the cluster; PYTHONPATH has the client)
"""

import json
import os
import sys
import time

from obscura_client import Client, Exchange, ObscuraError

RUNTIME, LOG, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3])


def line(what, values):
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(len(values) * share))]
    print(
        f"revocation       {what}: p50 {at(0.5):.1f} ms   p99 {at(0.99):.1f} ms   most {values[-1]:.1f} ms"
        f"   ({len(values)} tries)",
        flush=True,
    )


def milliseconds(since):
    return (time.monotonic() - since) * 1000


def looking(client, camera):
    """A preview that has shown a picture; a grant reaches the services after it was answered."""
    end = time.monotonic() + 10
    while True:
        preview = Exchange(
            client, "camera.preview", {"camera": camera, "width": 320, "height": 240},
            {"credit": 2, "mayPrompt": False},
        )
        try:
            preview.receive(("item",), 10)
            return preview
        except ObscuraError as error:
            if error.code != "accessDenied" or time.monotonic() > end:
                raise


def main():
    with Client(RUNTIME) as client:
        camera = client.request("cameras.list")["cameras"][0]["id"]
        me = f"uid:{os.getuid()}"
        change = {"principal": me, "resource": f"camera/{camera}", "access": "use"}
        returned, told, late = [], [], 0
        size = os.path.getsize(LOG)
        for _ in range(COUNT):
            client.request("permissions.grant", {"change": {**change, "lifespan": "forever"}})
            preview = looking(client, camera)
            preview.send({"kind": "credit", "credit": 1})
            begin = time.monotonic()
            revoking = Exchange(client, "permissions.revoke", {"change": change}, {})
            revoking.receive(("reply",), 10)
            returned.append(milliseconds(begin))
            # What was handed over before it was applied may still be on its way: two pictures at most.
            after = 0
            try:
                while True:
                    preview.receive(("item",), 10)
                    after += 1
            except ObscuraError as error:
                if error.code != "revoked":
                    raise
            told.append(milliseconds(begin))
            late = max(late, after)
        applied = []
        with open(LOG) as log:
            log.seek(size if os.path.getsize(LOG) >= size else 0)
            for text in log:
                if "applied everywhere" in text:
                    applied.append(took(json.loads(text)))
        line("announced to applied by every service", applied)
        line("asked to applied and stored           ", returned)
        line("asked to told to the viewer           ", told)
        print(f"revocation       pictures on their way when it was applied: {late} at most")


def took(entry):
    """Milliseconds in a line of the log, wherever its fields are."""
    for value in (entry, *[v for v in entry.values() if isinstance(v, dict)]):
        if "took.microseconds" in value:
            return value["took.microseconds"] / 1000
    raise KeyError("took.microseconds")


main()
