"""Films with sound of the kernel's loopback card (snd-aloop): a tone, a card that goes away, an overrun, a sleep."""

import array
import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time

from lab import BIN, OUT, expect, obscura, run, wait_until

RATE = 48_000
CARD = "/proc/asound/Loopback"
DRIVER = "/sys/bus/platform/drivers/snd_aloop"
# How long one is looked at for its tone, by half its waves.
WINDOW = RATE // 40
# The tones of player.py: samples of a wave, and seconds of each.
PERIODS = (24, 30, 40, 48, 60, 75, 80, 100, 120, 150, 200, 240)
STEP = 0.5
# How the command line ends that was interrupted.
INTERRUPTED = 130


def heard(path):
    """The samples of a film's sound."""
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-f", "s16le", "-"], check=True, capture_output=True, timeout=300
    ).stdout
    return array.array("h", raw)


def frequency(samples, rate):
    """Seconds and hertz of the longest stretch that is loud, without its ends, by how often it crosses zero."""
    step = rate // 100
    longest, start = (0, 0), 0
    for index in range(0, len(samples) - step, step):
        if max(samples[index : index + step]) < 1000:
            start = index + step
        elif index + step - start > longest[1] - longest[0]:
            longest = (start, index + step)
    # Where a tone begins or ends at once, AAC has noise.
    tone = samples[longest[0] + rate // 10 : longest[1] - rate // 10]
    if not tone:
        return 0, 0
    crossings = sum((one < 0) != (other < 0) for one, other in zip(tone, tone[1:]))
    return len(tone) / rate, crossings / 2 / (len(tone) / rate)


def check_sound(camera):
    """A tone is played into one end of the kernel's loopback card, and heard in a film at the other."""
    listed = {microphone["id"]: microphone for microphone in obscura("microphones", "list")}
    expect("microphones", sorted(listed), ["Loopback-0", "Loopback-1"])
    expect("they are free", {m["availability"]["state"] for m in listed.values()}, {"available"})
    player = subprocess.Popen(
        ["ffmpeg", "-v", "error", "-re", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000"]
        + ["-c:a", "pcm_s16le", "-ac", "1", "-f", "alsa", "hw:Loopback,0"],
        stdin=subprocess.DEVNULL,
    )
    try:
        status = "/proc/asound/Loopback/pcm0p/sub0/status"
        wait_until("the tone is played", lambda: "RUNNING" in open(status).read())
        for container, codec in (("mov", "pcm_s16le"), ("mp4", "aac")):
            path = f"{OUT}/sound.{container}"
            line = ["record", "--camera", camera["id"], "--duration", "4s", "--quality", "low", "--output", path]
            line += ["--container", container, "--codec", "jpeg", "--microphone", "Loopback-1"]
            film = obscura(*line)[-1]
            expect(f"microphone of {container}", film["granted"]["microphone"], "Loopback-1")
            expect(f"sound of {container}", (film["sound"]["rate"], film["sound"].get("ended")), (48000, None))
            said = json.loads(run("ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", path))
            picture, sound = said["streams"]
            expect(f"codec of {container}", sound["codec_name"], codec)
            frame = float(picture["duration"]) / int(picture["nb_read_frames"])
            apart = abs(float(picture["duration"]) - float(sound["duration"]))
            expect(f"tracks of {container} are as long, to a frame ({apart:.4f} of {frame:.4f} s)", apart <= frame, True)
            seconds, hertz = frequency(heard(path), 48000)
            expect(f"tone of {container} ({hertz:.1f} Hz in {seconds:.2f} s)", abs(hertz - 440) < 5 and seconds > 0.5, True)
            print(f"      {film['sound']['gaps']} gaps, {film['sound']['silence']:.3f} s of silence")
    finally:
        player.terminate()
        player.wait()


@contextlib.contextmanager
def playing():
    """Tones of player.py, while the body runs."""
    player = subprocess.Popen(
        [sys.executable, "-B", os.path.join(os.path.dirname(os.path.abspath(__file__)), "player.py")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until("tones are played", lambda: is_running("pcm0p"))
        yield player
    finally:
        player.terminate()
        player.wait()


def is_running(end):
    """Whether an end of the card runs."""
    with contextlib.suppress(FileNotFoundError):
        return "RUNNING" in open(f"{CARD}/{end}/sub0/status").read()
    return False


def film(camera, path, happening=lambda: None, after=3):
    """Takes a film with sound in which something happens once it is under way, and ends it when there is enough of what came
    after, however slow the machine is; what became of the film."""
    line = [f"{BIN}/obscura", "record", "--camera", camera["id"], "--quality", "low", "--output", path]
    line += ["--codec", "jpeg", "--microphone", "Loopback-1", "--progress", "--json"]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    result, happened, is_ended = None, None, False
    for text in process.stdout:
        result = json.loads(text)
        if result.get("type") != "progress":
            continue
        duration = result["duration"]
        if happened is None and duration >= 1:
            happening()
            happened = duration
        elif happened is not None and duration >= happened + after and not is_ended:
            process.send_signal(signal.SIGINT)
            is_ended = True
    expect("the film ends well", (process.wait(timeout=60), result["type"]), (INTERRUPTED, "result"))
    return result


def tones(path):
    """Which of the player's tones is heard in each 25 ms of a film; None where it is silent, and -1 for anything else."""
    counts = {2 * WINDOW // period: number for number, period in enumerate(PERIODS)}
    found = []
    samples = heard(path)
    for index in range(0, len(samples) - WINDOW + 1, WINDOW):
        window = samples[index : index + WINDOW]
        if max(window) < 1000:
            found.append(None)
            continue
        crossings = sum((one < 0) != (other < 0) for one, other in zip(window, window[1:]))
        nearest = min(counts, key=lambda count: abs(count - crossings))
        found.append(counts[nearest] if abs(nearest - crossings) <= 1 else -1)
    return found


def offsets(heard_tones):
    """For each change of tones the film's time of it, and by how much it is later there than at the player."""
    found = []
    for index in range(1, len(heard_tones) - 1):
        before, after = heard_tones[index - 1], heard_tones[index + 1]
        if before is None or after is None or before < 0 or after != (before + 1) % len(PERIODS):
            continue
        if heard_tones[index] == before:
            time = (index + 1) * WINDOW / RATE
            found.append((time, (time - after * STEP) % (len(PERIODS) * STEP)))
    return found


def apart(one, other):
    """How far two offsets are apart, on the circle of the tones."""
    circle = len(PERIODS) * STEP
    return min((one - other) % circle, (other - one) % circle)


def expect_whole(what, path):
    """Both tracks are as long, to a frame; how long."""
    said = json.loads(run("ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", path))
    picture, sound = said["streams"]
    frame = float(picture["duration"]) / int(picture["nb_read_frames"])
    difference = abs(float(picture["duration"]) - float(sound["duration"]))
    expect(f"tracks of {what} are as long, to a frame ({difference:.4f} of {frame:.4f} s)", difference <= frame, True)
    return float(picture["duration"])


def capture_process():
    """The process that has the microphone."""
    return int(open(f"{CARD}/pcm1c/sub0/status").read().split("owner_pid")[1].split(":")[1].split()[0])


def check_in_step(what, path, result):
    """Tones before the longest silence and after it are where they belong: apart by what was cut from the film, as it says."""
    found = tones(path)
    changes = offsets(found)
    quiet = max(range(len(found)), key=lambda index: run_of_silence(found, index))
    middle = next((cut["at"] for cut in result.get("cuts", [])), quiet * WINDOW / RATE)
    before = [late for time, late in changes if time < middle]
    after = [late for time, late in changes if time > middle]
    expect(f"tones are heard before {what} and after it", bool(before and after), True)
    if before and after:
        cut = sum(each["gap"] for each in result.get("cuts", []))
        difference = apart(before[-1] - cut, after[-1])
        expect(f"sound is in step after {what} ({difference * 1000:.0f} ms, {cut:.3f} s cut)", difference <= 0.075, True)


def check_overrun(camera):
    """The capturing process does not run for twice as long as the card has room."""
    path = f"{OUT}/overrun.mov"
    held = 1.0

    def hold():
        process = capture_process()
        os.kill(process, signal.SIGSTOP)
        time.sleep(held)
        os.kill(process, signal.SIGCONT)

    with playing():
        result = film(camera, path, hold)
    sound = result["sound"]
    expect("sound goes on after an overrun", sound.get("ended"), None)
    lost = sound["silence"] + sum(cut["gap"] for cut in result.get("cuts", []))
    expect(f"an overrun is counted ({sound['gaps']} gaps)", 1 <= sound["gaps"] <= 3, True)
    expect(f"silence or a cut stands for it ({lost:.3f} s)", lost > held * 0.7, True)
    expect_whole("an overrun", path)
    check_in_step("an overrun", path, result)


def check_unplugged(camera):
    """The driver is taken off the card, which the kernel ends when nobody has it any more."""
    path = f"{OUT}/unplugged.mov"
    unbinding = threading.Thread(target=lambda: write(f"{DRIVER}/unbind", "snd_aloop.0"))
    with playing() as player:
        result = film(camera, path, unbinding.start)
        player.wait(timeout=60)
        unbinding.join(timeout=60)
    expect("the card is let go of", unbinding.is_alive(), False)
    ended = result["sound"]["ended"]
    expect("the film says that the microphone was unplugged", ended["reason"], "removed")
    duration = expect_whole("a film whose microphone was unplugged", path)
    found = tones(path)
    last = (1 + max(index for index, tone in enumerate(found) if tone is not None)) * WINDOW / RATE
    expect(f"the film goes on without it ({last:.1f} of {duration:.1f} s)", duration - last > 0.5, True)
    expect(f"it says when ({ended['at']:.2f} s)", last - 0.1 < ended["at"] < duration, True)
    expect("no microphone is listed", [m["id"] for m in obscura("microphones", "list")], [])
    write(f"{DRIVER}/bind", "snd_aloop.0")
    wait_until("the card is back", lambda: os.path.exists(CARD))
    with playing():
        result = film(camera, f"{OUT}/plugged.mov", after=0)
    expect("a film after it is back has sound to its end", result["sound"].get("ended"), None)
    expect("which is heard", any(tone is not None for tone in tones(f"{OUT}/plugged.mov")), True)


def check_asleep(camera, state):
    """The kernel puts its devices to sleep and wakes them after a second (pm_test), the card and the camera among them."""
    path = f"{OUT}/asleep.mov"
    with playing() as player:
        result = film(camera, path, lambda: write("/sys/power/state", state))
    said = player.stdout.read()
    expect("the card slept", f"not in step {-errno.ESTRPIPE}" in said, True)
    sound = result["sound"]
    expect(f"sound goes on after a sleep by {state}", sound.get("ended"), None)
    lost = sound["silence"] + sum(cut["gap"] for cut in result.get("cuts", []))
    expect(f"silence or a cut stands for it ({sound['gaps']} gaps, {lost:.3f} s)", lost > 1, True)
    expect_whole("a sleep", path)
    heard_tones = tones(path)
    # The player slept too: its tones are not in step with themselves.
    quiet = max(range(len(heard_tones)), key=lambda index: run_of_silence(heard_tones, index))
    middle = next((round(cut["at"] * RATE / WINDOW) for cut in result.get("cuts", [])), quiet)
    is_heard = [any(tone is not None for tone in part) for part in (heard_tones[:middle], heard_tones[middle:])]
    expect("tones are heard before a sleep and after it", is_heard, [True, True])


def check_sound_losses(camera):
    """What sound cards do in the middle of films."""
    check_overrun(camera)
    check_unplugged(camera)


def run_of_silence(found, start):
    """How many windows from there on are silent."""
    end = start
    while end < len(found) and found[end] is None:
        end += 1
    return end - start


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
