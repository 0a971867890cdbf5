"""Plays tones into the loopback card for ever, each for half a second: where one is in a film tells when it was heard.

usage: player.py   (in the guest; ends when the card goes)

Everything is made before it begins, and half a second is always ahead: the emulated machine is slow.
"""

import array
import ctypes
import errno
import math
import sys

RATE = 48_000
# Samples of one wave: they divide half a second, and 25 ms.
PERIODS = (24, 30, 40, 48, 60, 75, 80, 100, 120, 150, 200, 240)
PLAYBACK, S16_LE, INTERLEAVED = 0, 2, 3


def half_second(period):
    wave = array.array("h", (round(8_000 * math.sin(2 * math.pi * (n + 0.5) / period)) for n in range(period)))
    return (wave * (RATE // 2 // period)).tobytes()


def main():
    tones = [half_second(period) for period in PERIODS]
    alsa = ctypes.CDLL("libasound.so.2")
    alsa.snd_pcm_writei.restype = ctypes.c_long
    alsa.snd_pcm_writei.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_ulong]
    pcm = ctypes.c_void_p()
    if alsa.snd_pcm_open(ctypes.byref(pcm), b"hw:Loopback,0", PLAYBACK, 0) < 0:
        sys.exit("the loopback card can not be opened")
    if alsa.snd_pcm_set_params(pcm, S16_LE, INTERLEAVED, 1, RATE, 0, 1_000_000) < 0:
        sys.exit("the loopback card can not be set")
    number = 0
    while True:
        rest = tones[number % len(tones)]
        while rest:
            written = alsa.snd_pcm_writei(pcm, rest, len(rest) // 2)
            if written in (-errno.ENODEV, -errno.EBADFD):
                return
            if written < 0 and alsa.snd_pcm_recover(pcm, written, 1) < 0:
                sys.exit(f"the loopback card fails: {written}")
            if written > 0:
                rest = rest[2 * written :]
            elif written < 0:
                print("not in step", written, flush=True)
        number += 1


main()
