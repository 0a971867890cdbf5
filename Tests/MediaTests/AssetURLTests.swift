import Testing

@testable import Media

@Suite("Asset and group URLs", .timeLimit(.minutes(1)))
struct AssetURLTests {
    private static let id = "0A1B2C3D-0000-4000-8000-00000000ABCD"

    @Test(arguments: [
        "assets-library://asset/asset.MOV?id=\(id)&ext=MOV",
        "ASSETS-LIBRARY://ASSET/asset.mov?ext=mov&id=\(id.lowercased())",
    ])
    func `case and order do not matter`(text: String) {
        #expect(AssetURL(text) == AssetURL(id: Self.id, fileExtension: "MOV"))
        #expect(AssetURL(text)?.description == "assets-library://asset/asset.MOV?id=\(Self.id)&ext=MOV")
    }

    @Test(arguments: [
        "", "assets-library://", "assets-library://asset/", "assets-library://asset/asset.JPG",
        "assets-library://asset/asset.JPG?id=1&ext=JPG", "assets-library://group/?id=\(id)",
        "assets-library://asset/asset.JPG?id=\(id)&id=\(id)&ext=JPG", "file:///asset?id=\(id)&ext=JPG",
        "assets-library://asset/../asset.JPG?id=\(id)&ext=JPG", "assets-library://asset/?id=\(id)&ext=",
        "assets-library://asset/asset.JPG?id=\(id)&ext=" + String(repeating: "x", count: 600),
        "assets-library://asset/asset.JPG?id=\(id)&ext=JPe\u{FFFD}t://",
        "assets-library://asset/asset.JPG?id=\(id)&ext=J/G",
        "assets-library://asset/asset.J\u{1B}[2JG?id=\(id)", "assets-library://asset/asset.JPG?id=\(id)&ext=ÄPG",
        "assets-library://asset/asset.JPG?id=\(id)&ext=" + String(repeating: "x", count: 17),
    ])
    func `another form is malformed`(text: String) { #expect(AssetURL(text) == nil) }

    @Test func `a group has its persistent identifier`() {
        let text = "assets-library://group/?id=\(Self.id)"
        #expect(GroupURL(text)?.description == text)
        #expect(GroupURL("assets-library://asset/asset.JPG?id=\(Self.id)&ext=JPG") == nil)
    }
}
