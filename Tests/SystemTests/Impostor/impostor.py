"""Tries what only services may do, as a program of another user: every try has to be refused.

usage: impostor.py RUNTIME
"""

import glob
import sys

import zmq

from obscura_client import Client, ObscuraError

runtime = sys.argv[1]
granted = []


def attempt(what, expected, action):
    try:
        answer = action()
    except ObscuraError as error:
        if error.code not in expected:
            granted.append(f"{what}: {error}")
        return
    granted.append(f"{what}: {answer}")


with Client(runtime) as client:
    refused = ("roleRequired",)
    victim = {"principal": "uid:0", "grant": "1"}
    attempt("register", refused, lambda: client.request("services.register", {"name": "library", "endpoints": []}))
    attempt("redeem", refused, lambda: client.request("permissions.redeem", {"grant": "1", "principal": "uid:0"}))
    attempt("replicas", refused, lambda: list(client.stream("replica.follow", {}, service="coordinator")))
    for service, name, body in (
        ("library", "library.groups", {}),
        ("library", "library.assets", {"query": {}}),
        ("capture", "camera.photo", {"settings": {"camera": "front"}}),
        ("exporter", "export.status", {}),
    ):
        attempt(
            f"{name} on behalf of another", refused,
            lambda: client.request(name, body, service=service, onBehalfOf=victim, mayPrompt=False),
        )
    # A path of ours that the services should open for us.
    attempt(
        "export to a path", ("operatorRequired", "destinationRefused", "accessDenied", "dismissed"),
        lambda: client.request(
            "export.start", {"selection": {}, "destination": "/tmp/impostor", "privacy": "none"}, mayPrompt=False
        ),
    )

# The services' own sockets: a stranger without the key is not even heard, or is told to go.
for path in glob.glob(f"{runtime}/*.roles.sock"):
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.setsockopt(zmq.LINGER, 0)
    socket.connect(f"ipc://{path}")
    socket.send_multipart([b"OBS1", b'{"kind":"request","id":"1","name":"services.register","version":1}', b"{}"])
    if socket.poll(500):
        frames = socket.recv_multipart()
        if b'"error"' not in frames[1]:
            granted.append(f"{path}: {frames}")

print("\n".join(granted) or "every try was refused")
sys.exit(1 if granted else 0)
