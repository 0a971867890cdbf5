import FoundationEssentials
import MessageSchema
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `The message schema` {
    @Test func `lists every message of the source once`() throws {
        let names = try GoldenMessage.all().map(\.typeName)
        #expect(Set(names).count == names.count)
        #expect(Set(names) == (try Self.messagesInTheSource()))
        let wireNames = try GoldenMessage.all().map(\.name)
        #expect(Set(wireNames).count == wireNames.count)
    }

    @Test func `tells the service that answers, for every message but the one that all answer`() throws {
        for message in try GoldenMessage.all() where message.name != ServiceHealth.name {
            #expect(ServiceName(answering: message.name) != nil, "\(message.name)")
        }
        #expect(ServiceName(answering: "nobody.home") == nil)
    }

    @Test func `has a golden file for every message, and none for others`() throws {
        let expected = Set(try GoldenMessage.all().map { "\($0.name).json" })
        let found = try FileManager.default.contentsOfDirectory(atPath: GoldenFile.folder)
        #expect(Set(found) == expected)
    }

    @Test func `has golden files that are understood, and written again as they were`() throws {
        for message in try GoldenMessage.all() {
            let file = GoldenFile(of: message.name)
            if ProcessInfo.processInfo.environment["OBSCURA_WRITE_GOLDEN"] != nil {
                let old = try? file.read()
                try file.write(
                    try message.parts.reduce(into: [:]) { parts, part in
                        let sample = try part.sample()
                        parts[part.name] = old?[part.name]?.completed(by: sample) ?? sample
                    }
                )
            }
            let golden = try file.read()
            for part in message.parts {
                let value = try #require(golden[part.name], "\(message.name) has no \(part.name)")
                #expect(try part.replay(value) == value, "\(message.name) \(part.name)")
            }
        }
    }

    @Test func `has schemas that the golden files obey, with every field of the schema in them`() throws {
        let document = try JSONValue(encoding: try SchemaDocument())
        let validator = SchemaValidator(document: document)
        for message in try GoldenMessage.all() {
            let golden = try GoldenFile(of: message.name).read()
            for part in message.parts {
                let schema = try #require(document["messages"]?[message.name]?[part.name], "\(message.name)")
                let value = try #require(golden[part.name])
                #expect(try validator.problems(of: value, against: schema) == [], "\(message.name) \(part.name)")
                let sample = try part.sample()
                #expect(try validator.problems(of: sample, against: schema) == [], "\(message.name)")
                // `OBSCURA_WRITE_GOLDEN=1` adds what is missing, to be made a good example by hand.
                #expect(value.completed(by: sample) == value, "\(message.name) \(part.name) lacks a field")
            }
        }
    }

    @Test func `has schemas that refuse what the decoder refuses`() throws {
        let document = try JSONValue(encoding: try SchemaDocument())
        let validator = SchemaValidator(document: document)
        func problems(_ message: String, _ json: String) throws -> Int {
            let schema = try #require(document["messages"]?[message]?["request"])
            let value = try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
            return try validator.problems(of: value, against: schema).count
        }
        let url = "assets-library://asset/asset.JPG?id=00000000-0000-4000-8000-000000000001&ext=JPG"
        #expect(try problems("library.read", #"{"url":"\#(url)","offset":3}"#) == 0)
        #expect(try problems("library.read", #"{"url":"nonsense"}"#) == 1)
        #expect(try problems("library.read", #"{"url":"\#(url)","offset":"3"}"#) == 1)
        #expect(try problems("library.read", "{}") == 1)
        #expect(try problems("permissions.status", #"{"needs":[{"resource":"library","access":"look"}]}"#) == 1)
        #expect(try problems("camera.photo", #"{"settings":{"camera":"back","flash":"on"}}"#) == 0)
        #expect(try problems("camera.photo", #"{"settings":{"camera":"back","flash":true}}"#) > 0)
    }

    @Test func `knows optional fields, enumerations, numbers, arrays and dictionaries`() throws {
        let document = try SchemaDocument()
        guard case .object(let fields, let required)? = document.definitions["Asset"] else {
            Issue.record("Asset is not defined")
            return
        }
        #expect(required.isSuperset(of: ["url", "kind", "bytes", "representations"]))
        #expect(required.isDisjoint(with: ["duration", "location", "date", "sha256"]))
        #expect(fields["kind"] == .words(["photo", "video", "unknown"]))
        #expect(fields["orientation"] == .numbers([1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(fields["bytes"] == .integer)
        #expect(fields["duration"] == .number)
        #expect(fields["representations"] == .array(of: .reference("Representation")))
        guard case .object(let error, _)? = document.definitions["ErrorReply"] else {
            Issue.record("ErrorReply is not defined")
            return
        }
        #expect(error["parameters"] == .map(of: .string(pattern: nil)))
    }

    /// The names of the types that declare to be messages.
    private static func messagesInTheSource() throws -> Set<String> {
        let folder = String(#filePath.dropLast("Tests/ContractTests/SchemaTests.swift".count)) + "Shared/MessageSchema"
        var found: Set<String> = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where file.hasSuffix(".swift") {
            let data = try Data(contentsOf: URL(filePath: "\(folder)/\(file)"))
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.count >= 4, words[0] == "package", words[1] == "struct",
                    ["Request", "StreamRequest", "UploadRequest"].contains(where: {
                        words[3] == $0 || words[3] == $0 + ","
                    })
                else { continue }
                found.insert(String(words[2].dropLast()))
            }
        }
        return found
    }
}
