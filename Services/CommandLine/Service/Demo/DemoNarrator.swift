private import Synchronization

/// Tells the demo's story: sentences for a person, lines of JSON for a program.
struct DemoNarrator: Sendable {
    let terminal: Terminal
    let asJSON: Bool

    /// Begins a part of the story.
    func chapter(_ number: Int, _ title: String) {
        if asJSON { return terminal.writeJSON(Line(type: "progress", chapter: number, text: title)) }
        terminal.writeLine("")
        terminal.writeLine("\(number). \(title)", .bold)
    }

    /// Says what happened.
    func say(_ text: String) {
        if asJSON { return terminal.writeJSON(Line(type: "progress", chapter: nil, text: text)) }
        terminal.writeLine("   \(text)")
    }

    /// Closes with the result.
    func result(_ result: DemoResult) {
        if asJSON { return terminal.writeJSON(result) }
        terminal.writeLine("")
        terminal.writeLine("What it made is in \(result.destination)", .green)
    }

    private struct Line: Encodable {
        let type: String
        let chapter: Int?
        let text: String
    }
}

/// The demo's last line; its fields are those of an export.
struct DemoResult: Encodable, Sendable {
    let type = "result"
    let job: String
    let destination: String
    let files: Int
    let bytes: Int64
    let copied: Int
    let skipped: Int
    let failed: Int
    let verified: Int

    private enum CodingKeys: String, CodingKey {
        case type, job, destination, files, bytes, copied, skipped, failed, verified
    }
}
