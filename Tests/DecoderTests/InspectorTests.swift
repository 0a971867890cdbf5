import Containers
import DecoderService
import Imaging
import Media
import TestSupport
import Testing

private func inspect(_ bytes: [UInt8], headersOnly: Bool = false) -> InspectionReport {
    Inspector(headersOnly: headersOnly).inspect(RandomAccessBytes(bytes))
}

@Suite(.enabled(if: Tool.isInstalled("ffmpeg")), .timeLimit(.minutes(2)))
struct `The inspector` {
    @Test(arguments: [
        ("a.png", "public.png"), ("a.bmp", "com.microsoft.bmp"), ("a.tiff", "public.tiff"),
        ("a.gif", "com.compuserve.gif"), ("a.webp", "org.webmproject.webp"), ("a.jpg", "public.jpeg"),
        ("a.avif", "public.avif"),
    ])
    func `sees that a picture can be viewed`(name: String, uti: String) throws {
        let found = inspect(try Tool.pattern(name, ["-frames:v", "1"]))
        #expect(found.uti == uti)
        #expect(found.kind == .photo && found.isUsable && found.state == .ok, "\(found.reason ?? "")")
        #expect(found.width == 64 && found.height == 48)
    }

    @Test(arguments: [
        ("a.mov", ["-c:v", "mjpeg"], "com.apple.quicktime-movie", "mjpeg"),
        ("a.mp4", ["-c:v", "libx264"], "public.mpeg-4", "h264"),
        ("a.avi", ["-c:v", "mjpeg"], "public.avi", "mjpeg"),
        ("a.mkv", ["-c:v", "libx264"], "org.matroska.mkv", "h264"),
        ("a.ts", ["-c:v", "libx264"], "public.mpeg-2-transport-stream", "h264"),
        ("a.mpg", ["-c:v", "mpeg2video", "-r", "25"], "public.mpeg", "mpeg2video"),
    ])
    func `sees that a film can be played`(name: String, arguments: [String], uti: String, codec: String) throws {
        let found = inspect(try Tool.pattern(name, arguments))
        #expect(found.uti == uti)
        #expect(found.kind == .video && found.isUsable && found.state == .ok, "\(found.reason ?? "")")
        #expect(found.width == 64 && found.height == 48)
        #expect(found.codec == codec)
        #expect(abs((found.duration ?? 0) - 1) < 0.5)
        #expect(abs((found.frameRate ?? 0) - (name == "a.mpg" ? 25 : 10)) < 0.5)
    }

    @Test func `plays a film in fragments`() throws {
        let film = try Tool.pattern("a.mp4", ["-c:v", "libx264", "-movflags", "frag_keyframe+empty_moov"])
        let found = inspect(film)
        #expect(found.isUsable && found.state == .ok)
        #expect(abs((found.duration ?? 0) - 1) < 0.2)
    }

    @Test func `sees a film whose end is missing as damaged, though it begins to play`() throws {
        let film = try Tool.pattern("a.mp4", ["-c:v", "mjpeg", "-movflags", "faststart"])
        let found = inspect(Array(film.dropLast(film.count / 3)))
        #expect(found.state == .damaged && found.isUsable)
        #expect(found.reason != nil)
    }

    @Test func `refuses a film without an index`() throws {
        let film = try Tool.pattern("a.mp4", ["-c:v", "mjpeg"])
        let found = inspect(Array(film.prefix(film.count / 2)))
        #expect(found.kind == .video)
        #expect(found.state == .unplayable && !found.isUsable)
    }

    @Test func `keeps a truncated picture as damaged and refuses one that ends before its scan`() throws {
        let jpeg = try Tool.pattern("a.jpg", ["-frames:v", "1"], size: "640x480")
        let half = inspect(Array(jpeg.prefix(jpeg.count / 2)))
        #expect(half.state == .damaged && half.isUsable && half.width == 640)
        let head = inspect(Array(jpeg.prefix(200)))
        #expect(head.state == .unplayable && !head.isUsable)
        #expect(head.uti == "public.jpeg")
    }

    @Test func `takes the padding of a webcam for none, between restart intervals too, and a lost interval for damage`()
        throws
    {
        let arguments = ["-frames:v", "1", "-threads", "4", "-slices", "4"]
        let jpeg = try Tool.pattern("a.jpg", arguments, size: "320x240")
        let restart = try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xD1 })
        let before = try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xD0 })
        let padded = Array(jpeg[..<restart]) + [0, 0] + jpeg[restart...]
        #expect(inspect(padded).state == .ok)
        #expect(inspect(Array(jpeg.dropLast(2)) + [0, 0, 0, 0, 0xFF, 0xD9]).state == .ok)
        #expect(inspect(Array(jpeg.dropLast(2))).state == .ok)
        #expect(inspect(Array(padded.dropLast(200))).state == .damaged)
        #expect(inspect(Array(jpeg[..<before]) + jpeg[restart...]).state == .damaged)
        #expect(inspect(Array(padded[..<before]) + padded[restart...]).state == .damaged)
    }

    @Test func `goes by content and not by anything else`() {
        #expect(inspect(Array("just a text".utf8)).uti == "public.data")
        #expect(inspect([]).reason == "the file is empty")
        #expect(inspect([0xFF, 0xD8, 0xFF]).state == .unplayable)
    }

    @Test func `refuses a picture that claims too many pixels, by its header alone`() throws {
        var png = try Tool.pattern("a.png", ["-frames:v", "1"])
        png.replaceSubrange(16..<24, with: [0, 1, 0, 0, 0, 1, 0, 0])
        for headersOnly in [true, false] {
            let found = inspect(png, headersOnly: headersOnly)
            #expect(found.state == .unplayable)
            #expect(found.width == 65_536)
        }
    }

    @Test func `does not follow a playlist or an external reference`() {
        let playlist = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n".utf8)
        #expect(inspect(playlist).uti == "public.data")
        #expect(inspect(playlist).isUsable == false)
    }

    @Test func `finds sound without pictures to be neither`() throws {
        let sound = try Tool.pattern("a.m4a", ["-f", "lavfi", "-i", "sine=duration=1", "-map", "1:a"])
        let found = inspect(sound)
        #expect(found.kind == .unknown)
        #expect(found.isUsable == false)
    }
}
