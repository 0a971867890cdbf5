"""A client for Obscura that knows nothing but the wire page (Shared/MessageSchema/Wire.md) and pyzmq.

    client = Client(runtime)
    cameras = client.request("cameras.list")["cameras"]
    photo = client.request("camera.photo", {"settings": {"camera": cameras[0]["id"]}}, deadline=60_000)
    data = b"".join(item.attachments[0] for item in client.stream("library.read", {"url": photo["asset"]["url"]}))

A client belongs to one thread, as its sockets do.
"""

import itertools
import json
import os
import time
from collections import namedtuple

import zmq

PROTOCOL = b"OBS1"
CHUNK = 1 << 20  # bytes in one item of an upload, at most
LIFE = 1.0  # seconds after which an open stream must hear of us
SILENCE = 5.0  # seconds without a word after which a service is taken for gone

# Which service answers the requests whose names begin so.
SERVICES = {
    "services": "coordinator",
    "permissions": "coordinator",
    "consent": "coordinator",
    "audit": "coordinator",
    "sources": "probe",
    "cameras": "probe",
    "camera": "capture",
    "library": "library",
    "export": "exporter",
}

Message = namedtuple("Message", "header body attachments")


class ObscuraError(Exception):
    """An error from a service: `code` and `parameters` are the contract, the texts are for people."""

    def __init__(self, body):
        self.code = body.get("code")
        self.domain = body.get("domain")
        self.number = body.get("number")
        self.cause = body.get("cause")
        self.reason = body.get("reason")
        self.recovery_suggestion = body.get("recoverySuggestion")
        self.retry_after = body.get("retryAfter")
        self.parameters = body.get("parameters", {})
        super().__init__(f"{self.code} ({self.number}): {body.get('description')}; {self.reason}")


class Client:
    """Connections to the services of one machine, one DEALER socket each."""

    def __init__(self, runtime):
        self.runtime = runtime
        self.context = zmq.Context()
        self.sockets = {}
        self.ids = itertools.count(1)

    def close(self):
        self.context.destroy(linger=0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # What programs use.

    def request(self, name, body=None, **options):
        """Asks and returns the body of the answer. Options: service, deadline (ms), and any field of the header."""
        exchange = Exchange(self, name, body, options)
        return exchange.receive(("reply",), exchange.deadline + 2.0).body

    def stream(self, name, body=None, credit=4, **options):
        """Asks for a stream; what comes back can be iterated, and has the `summary` afterwards."""
        return Stream(Exchange(self, name, body, {**options, "credit": credit}))

    def upload(self, name, body, chunks, **options):
        """Sends bytes as the service allows and returns the body of its answer."""
        exchange = Exchange(self, name, body, options)
        allowed, seq = 0, 0
        for chunk in chunks:
            while allowed == 0:
                message = exchange.receive(("credit", "reply"), exchange.deadline + 2.0)
                if message.header["kind"] == "reply":
                    return message.body
                allowed += message.header["credit"]
            exchange.send({"kind": "item", "seq": seq}, attachments=[chunk])
            allowed, seq = allowed - 1, seq + 1
        exchange.send({"kind": "end"})
        while True:
            message = exchange.receive(("reply", "credit"), exchange.deadline + 2.0)
            if message.header["kind"] == "reply":
                return message.body

    # What they need.

    def socket(self, service):
        if service not in self.sockets:
            socket = self.context.socket(zmq.DEALER)
            socket.setsockopt(zmq.LINGER, 0)
            socket.setsockopt(zmq.IMMEDIATE, 1)
            socket.setsockopt(zmq.SNDTIMEO, 3000)
            socket.connect(f"ipc://{os.path.join(self.runtime, service)}.sock")
            self.sockets[service] = socket
        return self.sockets[service]


class Exchange:
    """One request and what belongs to it."""

    def __init__(self, client, name, body, options):
        service = options.pop("service", None) or SERVICES[name.split(".")[0]]
        self.socket = client.socket(service)
        self.id = str(next(client.ids))
        self.deadline = options.setdefault("deadline", 10_000) / 1000
        self.spoke = time.monotonic()
        self.send({"kind": "request", "name": name, "version": 1, **options}, body)

    def send(self, header, body=None, attachments=()):
        header = json.dumps({**header, "id": self.id}).encode()
        try:
            self.socket.send_multipart([PROTOCOL, header, json.dumps(body or {}).encode(), *attachments])
        except zmq.Again:
            raise ObscuraError({"code": "unavailable", "description": "the service does not listen"}) from None
        self.spoke = time.monotonic()

    def receive(self, kinds, patience, keep_alive=True):
        """The next message of this exchange that is of one of the kinds; an error is raised."""
        end = time.monotonic() + patience
        while True:
            if keep_alive and time.monotonic() - self.spoke >= LIFE:
                self.send({"kind": "ping"})
            left = end - time.monotonic()
            if left <= 0:
                raise ObscuraError({"code": "silence", "description": "the service did not answer in time"})
            if not self.socket.poll(min(left, LIFE) * 1000):
                continue
            frames = self.socket.recv_multipart()
            if len(frames) < 3 or frames[0] != PROTOCOL:
                continue
            header = json.loads(frames[1])
            if header.get("id") != self.id:
                continue  # late news of an exchange that is over
            message = Message(header, json.loads(frames[2] or b"{}"), frames[3:])
            if header["kind"] == "error":
                raise ObscuraError(message.body)
            if header["kind"] in kinds:
                return message


class Stream:
    """The items of a stream, asked for as they are used. Read on within three seconds, or `cancel`."""

    def __init__(self, exchange):
        self.exchange = exchange
        self.summary = None
        self.count = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.summary is not None:
            raise StopIteration
        # The service says `ping` at least every second: silence means that it is gone.
        while True:
            message = self.exchange.receive(("item", "end", "ping"), SILENCE)
            kind = message.header["kind"]
            if kind == "item":
                if message.header["seq"] != self.count:
                    raise ObscuraError({"code": "gap", "description": f"item {self.count} is missing"})
                self.count += 1
                self.exchange.send({"kind": "credit", "credit": 1})
                return message
            if kind == "end":
                self.summary = message.body
                raise StopIteration

    def cancel(self):
        self.exchange.send({"kind": "cancel"})
        self.summary = {}
