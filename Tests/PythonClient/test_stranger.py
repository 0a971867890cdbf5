"""A stranger's program against real services: everything it knows is the wire page.

Run with Debian's Python: OBSCURA_BIN=DIRECTORY /usr/bin/python3 Tests/PythonClient/test_stranger.py
"""

import hashlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import zmq

from obscura_client import CHUNK, Client, Exchange, ObscuraError

HERE = os.path.dirname(os.path.abspath(__file__))
BINARIES = os.environ.get("OBSCURA_BIN") or os.path.join(HERE, "..", "..", ".build", "debug")
PATIENCE = 60_000  # ms; a hang guard, not a promise


class Cluster:
    """`obscura up` in folders of its own."""

    def __init__(self):
        # Short, because the path of a socket can have 107 bytes only.
        self.folder = tempfile.mkdtemp(prefix="obs")
        self.runtime = os.path.join(self.folder, "run")
        self.log = open(os.path.join(self.folder, "log"), "w+b")
        ready, tell = os.pipe()
        self.process = subprocess.Popen(
            [
                os.path.join(BINARIES, "obscura"), "up", "--runtime", self.runtime,
                "--data", os.path.join(self.folder, "data"), "--ready-fd", str(tell),
            ],
            pass_fds=[tell], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True,
        )
        os.close(tell)
        with os.fdopen(ready, "rb") as pipe:
            self.said = pipe.readline()
        if not self.said:
            self.stop()
            raise RuntimeError("the cluster did not become ready")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.log.seek(0)
        self.words = self.log.read().decode(errors="replace")
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Person(threading.Thread):
    """The person at the prompts, who says the same to all of them; in personal mode we may speak for them."""

    def __init__(self, runtime, answer):
        super().__init__(daemon=True)
        self.runtime, self.answer, self.asked, self.following = runtime, answer, [], threading.Event()
        self.done = threading.Event()
        self.failure = None

    def run(self):
        try:
            with Client(self.runtime) as client:
                stream = client.stream("permissions.prompts.follow")
                self.following.set()
                for item in stream:
                    if item.body["kind"] == "opened":
                        prompt = item.body["prompt"]
                        self.asked.append(prompt)
                        with Client(self.runtime) as other:
                            other.request(
                                "permissions.answer",
                                {"prompt": prompt["prompt"], "answer": self.answer, "lifespan": "forever"},
                            )
                        if self.done.is_set():
                            break
        except Exception as failure:  # told to the test, which is on another thread
            self.failure = failure


def read_all(client, url, **more):
    stream = client.stream("library.read", {"url": url, **more})
    data = b"".join(item.attachments[0] for item in stream)
    return data, stream.summary


def chunks(data, size=CHUNK):
    return (data[i:i + size] for i in range(0, len(data), size))


class StrangerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.client = Client(cls.cluster.runtime)
        cls.person = Person(cls.cluster.runtime, "allow")
        cls.person.start()
        cls.person.following.wait(10)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.cluster.stop()
        if not cls.person.asked or cls.person.failure and not isinstance(cls.person.failure, ObscuraError):
            sys.stderr.write(f"the person at the prompts: {cls.person.failure!r}\n{cls.cluster.words}\n")

    def camera(self):
        return self.client.request("cameras.list")["cameras"][0]["id"]

    def photo(self, **options):
        return self.client.request(
            "camera.photo", {"settings": {"camera": self.camera()}}, deadline=PATIENCE, purpose="a test", **options
        )

    def test_01_cameras_are_listed_without_asking_anybody(self):
        cameras = self.client.request("cameras.list", mayPrompt=False)["cameras"]
        self.assertGreater(len(cameras), 0)
        for camera in cameras:
            self.assertIn(camera["position"], ("front", "back", "external"))
            self.assertIn("state", camera["availability"])
        sources = {s["source"] for s in self.client.request("sources.list")["sources"]}
        self.assertEqual(sources, {"camera", "photoLibrary", "savedPhotosAlbum"})

    def test_02_permission_is_asked_for_and_given(self):
        needs = {"needs": [{"resource": f"camera/{self.camera()}", "access": "use"}]}
        before = self.client.request("permissions.status", needs)["permissions"]
        self.assertEqual([p["status"] for p in before], ["notDetermined"])
        answer = self.client.request("permissions.request", needs, deadline=PATIENCE, purpose="to see\x07 you")
        self.assertEqual([p["status"] for p in answer["permissions"]], ["authorized"])
        prompt = self.person.asked[-1]
        self.assertNotIn("\x07", prompt["purpose"])
        self.assertEqual(prompt["principal"], f"uid:{os.getuid()}")

    def test_03_a_photo_is_taken(self):
        taken = self.photo()
        asset = taken["asset"]
        self.assertTrue(asset["url"].startswith("assets-library://asset/asset.JPG?id="), asset["url"])
        self.assertEqual(asset["kind"], "photo")

    def test_04_the_same_key_takes_one_photo(self):
        first = self.photo(idempotencyKey="stranger-1")
        again = self.photo(idempotencyKey="stranger-1")
        self.assertEqual(first["asset"]["url"], again["asset"]["url"])

    def test_05_assets_are_enumerated(self):
        url = self.photo()["asset"]["url"]
        self.client.request(
            "permissions.request", {"needs": [{"resource": "library", "access": "read"}]}, deadline=PATIENCE
        )
        # One item at a time, so that the stream has to wait for us.
        stream = self.client.stream("library.assets", {"query": {}}, credit=1, deadline=PATIENCE)
        assets = [asset for item in stream for asset in item.body["assets"]]
        self.assertIn(url, [asset["url"] for asset in assets])
        self.assertEqual(stream.summary["count"], len(assets))
        videos = self.client.stream("library.assets", {"query": {"kind": "video"}}, deadline=PATIENCE)
        self.assertEqual([asset for item in videos for asset in item.body["assets"]], [])

    def test_06_a_photo_is_read_by_range(self):
        asset = self.photo()["asset"]
        url, size = asset["url"], asset["bytes"]
        whole, summary = read_all(self.client, url, chunk=8192)
        self.assertEqual(len(whole), size)
        self.assertEqual(summary["bytes"], size)
        self.assertEqual(hashlib.sha256(whole).hexdigest(), asset["sha256"])
        self.assertEqual(summary["sha256"], asset["sha256"])
        parts = []
        for offset in range(0, size, size // 3 + 1):
            part, _ = read_all(self.client, url, offset=offset, length=size // 3 + 1)
            parts.append(part)
        self.assertEqual(b"".join(parts), whole)
        self.assertEqual(read_all(self.client, url, offset=size)[0], b"")
        self.assertTrue(whole.startswith(b"\xff\xd8"))

    def test_07_a_photo_is_uploaded_and_events_tell_of_it(self):
        data, _ = read_all(self.client, self.photo()["asset"]["url"])
        self.client.request(
            "permissions.request", {"needs": [{"resource": "library", "access": "read"}]}, deadline=PATIENCE
        )
        told, ready, stop = queue.Queue(), threading.Event(), threading.Event()

        def follow():
            with Client(self.cluster.runtime) as follower:
                events = follower.stream("library.events", credit=8, deadline=PATIENCE)
                ready.set()
                for event in events:
                    told.put(event.body)
                    if stop.is_set():
                        events.cancel()
                        return

        threading.Thread(target=follow, daemon=True).start()
        ready.wait(10)
        # Nothing says when the stream is on: what is saved before that is told to nobody.
        for _ in range(20):
            saved = self.client.upload(
                "library.save", {"mediaType": "public.image", "filename": "again.jpg"}, chunks(data, 10_000),
                deadline=PATIENCE,
            )
            self.assertEqual(saved["sha256"], hashlib.sha256(data).hexdigest())
            try:
                event = told.get(timeout=2)
                while event["url"] != saved["url"]:
                    event = told.get(timeout=2)
                self.assertEqual(event["kind"], "inserted")
                break
            except queue.Empty:
                continue
        else:
            self.fail("no event told of the upload")
        stop.set()
        back, _ = read_all(self.client, saved["url"])
        self.assertEqual(back, data)

    def test_08_errors_have_types(self):
        with self.assertRaises(ObscuraError) as caught:
            self.client.upload(
                "library.save", {"mediaType": "public.image", "filename": "no.jpg"}, [b"this is no picture"],
                deadline=PATIENCE,
            )
        self.assertEqual((caught.exception.code, caught.exception.number), ("invalidData", -3302))
        self.assertEqual(caught.exception.domain, "ALAssetsLibraryErrorDomain")
        with self.assertRaises(ObscuraError) as caught:
            self.client.request("library.levitate", {})
        self.assertEqual(caught.exception.code, "unknownRequest")
        with self.assertRaises(ObscuraError) as caught:
            self.client.request("services.register", {})
        self.assertEqual(caught.exception.code, "roleRequired")
        unknown = "assets-library://asset/asset.JPG?id=00000000-0000-4000-8000-000000000000&ext=JPG"
        self.assertIsNone(self.client.request("library.asset", {"url": unknown}).get("asset"))

    def test_09_an_expired_request_has_no_effect(self):
        with self.assertRaises(ObscuraError) as caught:
            self.client.request("camera.photo", {"settings": {"camera": self.camera()}}, expiresAt=1)
        self.assertEqual(caught.exception.code, "deadlineExceeded")

    def test_10_garbage_harms_nobody(self):
        socket = self.client.context.socket(zmq.DEALER)
        socket.setsockopt(zmq.LINGER, 0)
        socket.connect(f"ipc://{self.cluster.runtime}/library.sock")
        deep = b"[" * 100_000
        for frames in (
            [b""], [b"OBS1"], [b"OBS1", b"{}"], [b"OBS2", b"{}", b"{}"], [b"OBS1", b"\xff\xfe", b"{}"],
            [b"OBS1", deep, b"{}"], [b"OBS1", b'{"kind":"request","id":"x","name":"library.groups"}', deep],
            [b"OBS1", b'{"kind":"item","id":"nobody","seq":7}', b"{}"], [b"x"] * 300,
            [b"OBS1", b'{"kind":"reply","id":"1"}', b"{}"], [b"OBS1", b'{"kind":1,"id":[],"name":{}}', b"3"],
        ):
            socket.send_multipart(frames)
        socket.close()
        self.assertEqual(self.client.request("service.health", service="library")["name"], "library")

    def test_11_a_no_is_sticky_and_says_how_to_change_it(self):
        me = f"uid:{os.getuid()}"
        camera = f"camera/{self.camera()}"
        change = {"change": {"principal": me, "resource": camera, "access": "use"}}
        self.client.request("permissions.deny", change)
        asked = len(self.person.asked)
        for _ in range(2):
            with self.assertRaises(ObscuraError) as caught:
                self.photo()
            self.assertEqual((caught.exception.code, caught.exception.number), ("accessDenied", None))
            self.assertIn("obscura permissions", caught.exception.recovery_suggestion)
        self.assertEqual(len(self.person.asked), asked, "a no was asked again")
        self.client.request("permissions.reset", change)
        self.photo()
        self.assertEqual(len(self.person.asked), asked + 1, "after a reset the person is asked")

    def test_12_a_camera_is_shared_and_looked_at(self):
        camera, me = self.camera(), f"uid:{os.getuid()}"
        self.photo()  # so that nobody has to be asked any more
        with self.assertRaises(ObscuraError) as caught:
            self.client.request("camera.controls.set", {"camera": camera, "values": {"brightness": 10}})
        self.assertEqual(caught.exception.code, "notHeld")
        with Client(self.cluster.runtime) as other:
            film = other.stream(
                "camera.record", {"settings": {"camera": camera, "quality": "low"}}, credit=1, deadline=PATIENCE
            )
            next(film)
            preview = self.client.stream("camera.preview", {"camera": camera, "width": 160}, credit=1)
            numbers = []
            for picture in preview:
                self.assertEqual((picture.body["width"], picture.body["height"]), (160, 120))
                self.assertTrue(picture.attachments[0].startswith(b"\xff\xd8"))
                numbers.append(picture.body["number"])
                if len(numbers) == 3:
                    break
            self.assertEqual(sorted(set(numbers)), numbers)
            with self.assertRaises(ObscuraError) as caught:
                self.client.request("camera.photo", {"settings": {"camera": camera, "width": 1920, "height": 1080}})
            self.assertEqual(caught.exception.code, "inUse")
            self.assertEqual(caught.exception.parameters["holder"], me)
            self.assertEqual(caught.exception.parameters["use"], "film")
            set_to = self.client.request("camera.controls.set", {"camera": camera, "values": {"brightness": 10}})
            self.assertEqual({c["name"]: c.get("value") for c in set_to["controls"]}["brightness"], 10)
            with self.assertRaises(ObscuraError) as caught:
                self.client.request("camera.controls.set", {"camera": camera, "values": {"color_effects": 2}})
            self.assertEqual(caught.exception.code, "invalidArgument")
            self.assertEqual(caught.exception.parameters["parameter"], "values.color_effects")
            preview.cancel()
            film.cancel()

    def test_13_a_preview_sends_nothing_beyond_credit(self):
        self.photo()
        exchange = Exchange(self.client, "camera.preview", {"camera": self.camera(), "width": 320}, {"credit": 0})
        with self.assertRaises(ObscuraError) as caught:
            exchange.receive(("item",), 1.5)
        self.assertEqual(caught.exception.code, "silence")
        for number in range(3):
            exchange.send({"kind": "credit", "credit": 1})
            self.assertEqual(exchange.receive(("item",), 10).header["seq"], number)
        exchange.send({"kind": "cancel"})


if __name__ == "__main__":
    unittest.main(verbosity=2)
