"""Plays frames into a v4l2loopback node for ever, each with exactly the bytes of its file.

usage: writer.py NODE WIDTH HEIGHT BUFFER RATE FILE…   (in the guest; says "ready" when a reader can open the node)
"""

import fcntl
import os
import struct
import sys
import time

VIDIOC_S_FMT = 0xC0D05605  # _IOWR('V', 5, struct v4l2_format), 208 bytes
V4L2_BUF_TYPE_VIDEO_OUTPUT = 2
V4L2_FIELD_NONE = 1
V4L2_COLORSPACE_JPEG = 7


def main():
    node, width, height, buffer, rate = sys.argv[1], *map(int, sys.argv[2:6])
    frames = [open(path, "rb").read() for path in sys.argv[6:]]
    file = os.open(node, os.O_RDWR)
    pixels = struct.pack(
        "=II4sIIIII", width, height, b"MJPG", V4L2_FIELD_NONE, 0, buffer, V4L2_COLORSPACE_JPEG, 0
    )
    # The union behind the type is aligned to eight bytes.
    wanted = struct.pack("=II", V4L2_BUF_TYPE_VIDEO_OUTPUT, 0) + pixels
    granted = fcntl.ioctl(file, VIDIOC_S_FMT, wanted.ljust(208, b"\0"))
    size = struct.unpack_from("=I", granted, 8 + 20)[0]
    if size < buffer:
        sys.exit(f"{node} has buffers of {size} bytes, not {buffer}")
    number = 0
    while True:
        os.write(file, frames[number % len(frames)])
        if number == 0:
            print("ready", size, flush=True)
        number += 1
        time.sleep(1 / rate)


main()
