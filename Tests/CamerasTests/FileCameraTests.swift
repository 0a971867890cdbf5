import Cameras
import Foundation
import Imaging
import Media
import MessageSchema
import Movies
import Testing
import Timekeeping
import Video4Linux

@Suite(.timeLimit(.minutes(1)))
struct FileCameraTests {
    private static let film = WantedFormat(h264: .fallback)

    private static func camera(_ path: String, rate: Double? = nil) throws -> Camera {
        let camera = try #require(FileCameras(rate.map { "\(path)@\($0)" } ?? path).cameras.first)
        #expect(camera.availability.state == .available)
        return camera
    }

    private static func make(_ path: String, _ clock: ManualClock) throws -> FileCamera<ManualClock> {
        FileCamera(try camera(path), path: path, framesPerSecond: 10, clock: clock) { 50_000_000 }
    }

    /// The next frame, after the clock was moved to a time since it was made.
    private static func next(
        _ camera: FileCamera<ManualClock>,
        _ clock: ManualClock,
        at milliseconds: Int64
    ) async throws -> CapturedFrame {
        async let frame = camera.nextFrame()
        await clock.nextTimerScheduled()
        clock.advance(by: .milliseconds(milliseconds) - clock.now.offset)
        return try await frame
    }

    @Test(arguments: [Footage.film, .h264])
    func `a film is replayed with the times of its frames, over and over`(footage: Footage) async throws {
        try await footage.with { path in
            let clock = ManualClock()
            let camera = try Self.make(path, clock)
            let format = try await camera.open(Self.film)
            #expect(format.width == 64 && format.height == 48)
            #expect(format.pixelFormat == (footage == .film ? .motionJPEG : .h264))
            for round in 0..<2 as Range<Int64> {
                for start in Footage.starts {
                    // The first frame comes when it would have been exposed.
                    let due = round * Footage.length + start + 100
                    let frame = try await Self.next(camera, clock, at: due)
                    #expect(frame.stamp.microseconds == 50_000_000 + due * 1_000)
                    #expect(frame.stamp.lostBefore == 0 && frame.stamp.isDriverTime)
                }
            }
            await camera.close()
        }
    }

    @Test func `pictures come in the order of their names, at their rate`() async throws {
        try await Footage.pictures.with { path in
            let clock = ManualClock()
            let camera = try Self.make(path, clock)
            _ = try await camera.open(WantedFormat())
            let pictures = try Footage.jpegs()
            for index in 0..<8 {
                let frame = try await Self.next(camera, clock, at: Int64(index + 1) * 100)
                #expect(frame.bytes == pictures[index % Footage.count])
                #expect(frame.stamp.microseconds == 50_000_000 + Int64(index + 1) * 100_000)
            }
        }
    }

    @Test func `JPEG frames that nobody took are lost, as with a sensor`() async throws {
        try await Footage.film.with { path in
            let clock = ManualClock()
            let camera = try Self.make(path, clock)
            _ = try await camera.open(Self.film)
            _ = try await Self.next(camera, clock, at: 100)
            clock.advance(by: .milliseconds(550))
            // 650 ms after the opening: the frame of 500 is due at 600 and gone, that of 600 at 700.
            let frame = try await Self.next(camera, clock, at: 700)
            #expect(frame.stamp.microseconds == 50_700_000)
            #expect(frame.stamp.lostBefore == 3)
        }
    }

    @Test func `frames of H.264 come late rather than without those they need, and a film goes on at a key`()
        async throws
    {
        try await Footage.h264.with { path in
            let clock = ManualClock()
            let camera = try Self.make(path, clock)
            _ = try await camera.open(Self.film)
            // Keys are the first and the fourth of six; due at 100 and 600.
            let first = try await Self.next(camera, clock, at: 100)
            #expect(H264AccessUnit(annexB: first.bytes)?.configuration != nil)
            clock.advance(by: .milliseconds(250))
            let late = try await camera.nextFrame()
            #expect(late.stamp.microseconds == 50_200_000 && late.stamp.lostBefore == 0)
            clock.advance(by: .milliseconds(400))
            let key = try await camera.nextFrame()
            #expect(H264AccessUnit(annexB: key.bytes)?.isKey == true)
            #expect(key.stamp.microseconds == 50_600_000 && key.stamp.lostBefore == 1)
        }
    }

    @Test func `a film of H.264 gives no single pictures`() async throws {
        try await Footage.h264.with { path in
            let camera = try Self.camera(path)
            #expect(camera.mediaTypes == [.movie])
            let device = FileCamera(camera, path: path, clock: ManualClock())
            await #expect(throws: CameraError.self) { try await device.open(WantedFormat()) }
        }
    }

    @Test func `pictures that go, or have another size, are frames that were lost`() async throws {
        try await Footage.pictures.with { path in
            let clock = ManualClock()
            let camera = try Self.make(path, clock)
            _ = try await camera.open(WantedFormat())
            _ = try await Self.next(camera, clock, at: 100)
            try FileManager.default.removeItem(atPath: path + "/1.jpg")
            let small = PictureShape(layout: .grey, width: 32, height: 32)
            let other = try JPEGEncoder().encode([UInt8](repeating: 9, count: 1024), shape: small, quality: 90)
            try Data(other).write(to: URL(filePath: path + "/2.jpg"))
            async let frame = camera.nextFrame()
            for _ in 0..<3 {
                await clock.nextTimerScheduled()
                clock.advance(by: .milliseconds(100))
            }
            #expect(try await frame.stamp.lostBefore == 2)
            #expect(try await frame.bytes == Footage.jpegs()[3])
        }
    }

    @Test func `a folder that is emptied stalls, and a film that is cut is removed`() async throws {
        try await Footage.pictures.with { path in
            let clock = ManualClock()
            let camera = try Self.make(path, clock)
            _ = try await camera.open(WantedFormat())
            for index in 0..<Footage.count { try FileManager.default.removeItem(atPath: "\(path)/\(index).jpg") }
            async let frame = camera.nextFrame()
            for _ in 0..<Footage.count {
                await clock.nextTimerScheduled()
                clock.advance(by: .milliseconds(100))
            }
            do {
                _ = try await frame
                Issue.record("A frame came out of nothing.")
            } catch {
                #expect((error as? CameraError)?.code == .stalled)
            }
        }
        try await Footage.film.with { path in
            let clock = ManualClock()
            let camera = try Self.make(path, clock)
            _ = try await camera.open(WantedFormat())
            try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: 900)
            do {
                _ = try await Self.next(camera, clock, at: 100)
                Issue.record("A frame came out of nothing.")
            } catch {
                #expect((error as? CameraError)?.code == .removed)
            }
        }
    }

    @Test func `a setting names several, each with an identity of its own, and says what is wrong with one`()
        async throws
    {
        try await Footage.pictures.with { path in
            let files = FileCameras("\(path),\(path)@5,/nowhere/My film (1).mov,/dev/null")
            let cameras = files.cameras
            #expect(cameras.map(\.id) == ["file-pictures", "file-pictures-2", "file-My-film--1-", "file-null"])
            #expect(cameras.map(\.availability.state) == [.available, .available, .absent, .unknown])
            #expect(cameras[0].mediaTypes == [.image, .movie] && cameras[2].mediaTypes.isEmpty)
            #expect(cameras[0].formats.first?.sizes.first?.intervals == ["33333/1000000"])
            #expect(cameras[1].formats.first?.sizes.first?.intervals == ["200000/1000000"])
            #expect(cameras.allSatisfy { $0.builtIn && $0.driver == "file" && $0.node == nil })
            #expect(cameras.allSatisfy { files.device(of: $0) != nil })
            #expect(files.device(of: BuiltInCameras.back) == nil)
        }
    }

    @Test(
        arguments: [
            (["-c:v", "libx264", "-bf", "2", "-b_strategy", "0"], "film.mp4", "B-frames"),
            (["-c:v", "libx264", "-bf", "0", "-movflags", "frag_keyframe+empty_moov"], "film.mp4", "fragments"),
            (["-c:v", "mpeg4"], "film.mp4", "'mp4v', and neither JPEG nor H.264"),
            (["-c:v", "mjpeg"], "film.mkv", "no QuickTime or MP4 film"),
        ]
    )
    func `a film that can not be replayed says why`(words: [String], name: String, reason: String) async throws {
        try await Footage.film.with { path in
            let file = path.replacing("film.mov", with: name)
            try Footage.ffmpeg(["-i", path] + words + ["-pix_fmt", "yuvj420p", file])
            let camera = try #require(FileCameras(file).cameras.first)
            #expect(camera.availability.state == .unknown && camera.mediaTypes.isEmpty)
            #expect(camera.availability.reason?.contains(reason) == true, "\(camera.availability)")
        }
    }

    @Test func `a folder, a pipe and a text that can not be replayed say why, and nobody waits`() async throws {
        try await Footage.pictures.with { path in
            let files = FileManager.default
            let (empty, broken, pipe, text) = (path + "/empty", path + "/broken", path + "/pipe", path + "/notes.txt")
            for folder in [empty, broken] {
                try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
            }
            try Data("no picture".utf8).write(to: URL(filePath: broken + "/1.jpg"))
            #expect(unsafe mkfifo(pipe, 0o600) == 0)
            let reasons = FileCameras([empty, broken, pipe, text, path + "@5000"].joined(separator: ",")).cameras
                .map { $0.availability.reason ?? "" }
            let parts = [
                "no picture in the folder", "is no JPEG", "neither a folder nor a file", "no QuickTime", "5000",
            ]
            #expect(zip(reasons, parts).allSatisfy { $0.contains($1) }, "\(reasons)")
        }
    }

    @Test func `file cameras stand in for the built-in ones, and can be given a position`() async throws {
        try await Footage.film.with { path in
            let scan = CameraScanner.Scan(nodes: [])
            let files = FileCameras(path)
            let auto = CameraCatalogue(scan, builtIn: .auto, positions: ["file-film": .back], files: files)
            #expect(auto.cameras.map(\.id) == ["file-film"])
            #expect(auto.standard?.position == .back)
            let always = CameraCatalogue(scan, builtIn: .always, files: files)
            #expect(always.cameras.map(\.id) == ["file-film", "pattern-back", "pattern-front"])
            let forbidden = CameraCatalogue(scan, builtIn: .always, files: files) {
                $0 == "file-film" ? "switched off" : nil
            }
            #expect(forbidden.cameras.map(\.availability.state) == [.disabled, .available, .available])
        }
    }
}
