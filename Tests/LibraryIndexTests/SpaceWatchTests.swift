import LibraryIndexService
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The room on the disk` {
    @Test(arguments: [
        (Int64(1) << 40, nil), (64 << 20, nil), ((64 << 20) - 1, "63 MiB"), (5, "1 MiB"), (0, "is full"),
        (-9, "is full"),
    ])
    func `is told when hardly anything can be stored`(bytes: Int64, words: String?) {
        let remark = SpaceWatch.remark(available: bytes)
        #expect((remark == nil) == (words == nil))
        if let words { #expect(remark?.contains(words) == true && remark?.contains("free some space") == true) }
    }
}
