// Runs frames through capture's own code, without sockets and disks.
//
// usage: frame-benchmark encode FILE WIDTH HEIGHT QUALITY COUNT   (FILE holds frames of YUYV; they are taken in turn)
//        frame-benchmark memory COUNT
// Prints a line of JSON.
private import Cameras
private import CaptureService
private import Files
private import Glibc
private import Video4Linux

/// Microseconds that this process has had a processor.
func processorMicroseconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return Double(now.tv_sec) * 1e6 + Double(now.tv_nsec) / 1e3
}

/// The whole of a file.
func bytes(of path: String) throws -> [UInt8] { try FileDescriptor(opening: path, .read).readAll(limit: 1 << 30) }

/// Kilobytes of this process that are in memory (proc(5), `VmRSS`).
func residentKilobytes() throws -> Int {
    let lines = String(decoding: try bytes(of: "/proc/self/status"), as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix("VmRSS:") }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
}

/// Encodes frames as photos and films do.
func encode(_ path: String, width: Int, height: Int, quality: Int, count: Int) throws -> String {
    let format = VideoFormat(
        pixelFormat: .yuyv,
        width: width,
        height: height,
        bytesPerRow: width * 2,
        imageByteCount: width * height * 2,
        interval: FrameInterval(numerator: 1, denominator: 30)
    )
    let all = try bytes(of: path)
    let size = width * height * 2
    let frames = (0..<all.count / size).map { number in
        CapturedFrame(
            bytes: Array(all[number * size..<(number + 1) * size]),
            format: format,
            stamp: FrameStamp(microseconds: Int64(number) * 33_333, isDriverTime: true, lostBefore: 0)
        )
    }
    guard !frames.isEmpty else { exit(66) }
    let encoder = try FrameEncoder(quality: quality)
    var total = 0
    let begin = processorMicroseconds()
    for number in 0..<count { total += try encoder.picture(of: frames[number % frames.count]).count }
    let took = processorMicroseconds() - begin
    return "{\"us\": \((took / Double(count) * 10).rounded() / 10), \"bytes\": \(total)}"
}

/// Takes frames of a built-in camera through the session, as fast as they come, and makes a preview's picture of each.
func memory(_ count: Int) async throws -> String {
    let session = CameraSession(device: PatternCamera(BuiltInCameras.back, clock: ContinuousClock(), rate: 2_000))
    var wanted = WantedFormat()
    (wanted.width, wanted.height) = (320, 240)
    let feed = try await session.acquire(CameraHold(.film, wanted: wanted, owners: []))
    let encoder = try PreviewEncoder()
    var (taken, early) = (0, 0)
    for await frame in feed.frames {
        _ = try await encoder.picture(of: frame, at: PreviewSize(width: 160, height: 120))
        taken += 1
        if taken == count / 10 { early = try residentKilobytes() }
        if taken == count { break }
    }
    _ = await session.release(feed)
    return "{\"frames\": \(taken), \"early_kb\": \(early), \"late_kb\": \(try residentKilobytes())}"
}

let words = CommandLine.arguments
let numbers = words.map { Int($0) ?? 0 }
if words.count == 7, words[1] == "encode" {
    unsafe puts(try encode(words[2], width: numbers[3], height: numbers[4], quality: numbers[5], count: numbers[6]))
} else if words.count == 3, words[1] == "memory" {
    unsafe puts(try await memory(numbers[2]))
} else {
    unsafe puts("usage: frame-benchmark encode FILE WIDTH HEIGHT QUALITY COUNT, or frame-benchmark memory COUNT")
    exit(64)
}
