"""Sends a message that never ends: frames of 1 MiB, each with more to come, over ZMTP 3 without a library.

usage: flood.py SOCKET MEBIBYTES

Ends when so much was sent, or when the service has closed the connection; prints how many mebibytes it took, and keeps
the connection open until its standard input ends.
"""

import socket
import sys

path, limit = sys.argv[1], int(sys.argv[2])


def received(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise ConnectionError("closed")
        data += more
    return data


def command(name, properties):
    body = bytes([len(name)]) + name
    for key, value in properties:
        body += bytes([len(key)]) + key + len(value).to_bytes(4, "big") + value
    return bytes([4, len(body)]) + body


sent = 0
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(20)
try:
    connection.connect(path)
    # ZMTP 3.1, rfc.zeromq.org/spec/37: signature, version, mechanism, as-server and filler are 64 bytes.
    connection.sendall(b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32))
    received(connection, 64)
    connection.sendall(command(b"READY", [(b"Socket-Type", b"DEALER"), (b"Identity", b"")]))
    size = received(connection, 2)[1]
    received(connection, size)
    frame = b"\x03" + (1 << 20).to_bytes(8, "big") + bytes(1 << 20)
    while sent < limit:
        connection.sendall(frame)
        sent += 1
except (OSError, ConnectionError) as error:
    print(error, file=sys.stderr)
print(sent, flush=True)
sys.stdin.read()
