import Testing
import Video4Linux

@Suite(.timeLimit(.minutes(1)))
struct AreaJointTests {
    private static func joined(_ joint: AreaJoint, _ areas: [[UInt8]]) -> [UInt8] {
        var picture: [UInt8] = []
        for (index, area) in areas.enumerated() { unsafe joint.append(area.span.bytes, of: index, to: &picture) }
        return picture
    }

    @Test func `two areas become luma and chroma under each other`() throws {
        let joint = try #require(AreaJoint("NM12", width: 4, height: 3, bytesPerRow: [4, 4]))
        #expect(joint.pixelFormat == .nv12)
        #expect((0..<2).map(joint.leastByteCount) == [12, 8])
        let luma = [UInt8](0..<12)
        let chroma = [UInt8](100..<108)
        // What lies beyond the rows is no part of the picture.
        #expect(Self.joined(joint, [luma + [255], chroma + [255, 255]]) == luma + chroma)
        #expect(joint.byteCount == 20)
    }

    @Test func `chroma rows of another length are laid under those of luma`() throws {
        let wide = try #require(AreaJoint("NM12", width: 4, height: 2, bytesPerRow: [4, 6]))
        #expect(
            Self.joined(wide, [[0, 1, 2, 3, 4, 5, 6, 7], [10, 11, 12, 13, 255, 255]]) == [
                0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13,
            ]
        )
        let padded = try #require(AreaJoint("NM12", width: 2, height: 2, bytesPerRow: [4, 2]))
        #expect(Self.joined(padded, [[0, 1, 9, 9, 2, 3, 9, 9], [10, 11]]) == [0, 1, 9, 9, 2, 3, 9, 9, 10, 11, 0, 0])
    }

    @Test func `three areas become three planes, with chroma rows half as long`() throws {
        let joint = try #require(AreaJoint("YM12", width: 4, height: 2, bytesPerRow: [6, 4, 3]))
        #expect(joint.pixelFormat == .yuv420)
        let luma: [UInt8] = [0, 1, 2, 3, 9, 9, 4, 5, 6, 7, 9, 9]
        #expect(Self.joined(joint, [luma, [10, 11, 99, 99], [20, 21, 99]]) == luma + [10, 11, 99, 20, 21, 99])
        #expect(joint.byteCount == 18)
    }

    @Test func `numbers that can be no picture's, and formats that are not joined, have no joint`() {
        #expect(AreaJoint("NM12", width: 4, height: 2, bytesPerRow: [3, 4]) == nil)
        #expect(AreaJoint("NM12", width: 4, height: 2, bytesPerRow: [4, 3]) == nil)
        #expect(AreaJoint("NM12", width: 4, height: 2, bytesPerRow: [4]) == nil)
        #expect(AreaJoint("YM12", width: 4, height: 2, bytesPerRow: [4, 2]) == nil)
        #expect(AreaJoint("NM12", width: 0, height: 2, bytesPerRow: [4, 4]) == nil)
        #expect(AreaJoint("NM12", width: 4, height: 2, bytesPerRow: [1 << 25, 4]) == nil)
        #expect(AreaJoint("NM16", width: 4, height: 2, bytesPerRow: [4, 4]) == nil)
        #expect(AreaJoint(.nv12, width: 4, height: 2, bytesPerRow: [4]) == nil)
    }
}
