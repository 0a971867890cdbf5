"""Sends requests as no command would, and prints what came of each: one line of JSON with `code`, or with `answer`.

usage: raw.py RUNTIME < requests; one a line: {"name": …, "body": …, "service": …, "stream": true, "upload": TEXT, fields of the header}
"""

import json
import sys

from obscura_client import Client, ObscuraError

with Client(sys.argv[1]) as client:
    for line in sys.stdin:
        request = json.loads(line)
        name, body = request.pop("name"), request.pop("body", {})
        stream, upload = request.pop("stream", False), request.pop("upload", None)
        request.setdefault("mayPrompt", False)
        request.setdefault("deadline", 5_000)
        try:
            if stream:
                items = client.stream(name, body, **request)
                answer = [next(items).body]  # the first item is leak enough, and some streams have no end
            elif upload is not None:
                answer = client.upload(name, body, [upload.encode()], **request)
            else:
                answer = client.request(name, body, **request)
            outcome = {"name": name, "code": "", "answer": json.dumps(answer)}
        except StopIteration:
            outcome = {"name": name, "code": "", "answer": "[]"}
        except ObscuraError as error:
            outcome = {"name": name, "code": error.code, "cause": error.cause, "answer": str(error)}
        print(json.dumps(outcome), flush=True)
