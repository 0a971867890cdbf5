private import FoundationEssentials

/// The settings of one process, resolved.
package struct Settings: Sendable {
    /// Where a value came from.
    package enum Origin: String, Sendable {
        case fallback, file, environment, flag
    }

    private var values: [String: (value: String, origin: Origin)] = [:]

    /// Resolves every declared setting.
    ///
    /// - Parameters:
    ///   - declared: All settings there are; anything else is refused.
    ///   - arguments: Without the program's name: `--name value` or `--name=value`.
    ///   - environment: Names that begin with `OBSCURA_` count.
    ///   - readFile: Gives the bytes of the configuration file that `config` names; throws what the user should read.
    /// - Throws: ``SettingsError`` for what is unknown, has no value, or can not be read.
    package init(
        _ declared: [Setting],
        arguments: [String],
        environment: [String: String],
        readFile: (String) throws -> [UInt8]
    ) throws {
        let flags = try Self.flags(in: arguments, declared: declared)
        for setting in declared {
            if let fallback = setting.fallback { values[setting.name] = (fallback, .fallback) }
        }
        if let path = flags["config"] ?? environment["OBSCURA_CONFIG"] {
            for (name, value) in try Self.entries(of: readFile(path), path: path, declared: declared) {
                values[name] = (value, .file)
            }
        }
        for setting in declared {
            if let value = environment[setting.variable] { values[setting.name] = (value, .environment) }
        }
        for (name, value) in flags { values[name] = (value, .flag) }
    }

    /// The value of a setting, if it has one.
    package subscript(name: String) -> String? { values[name]?.value }

    /// Where the value of a setting came from.
    package func origin(of name: String) -> Origin? { values[name]?.origin }

    /// The value as a number.
    ///
    /// - Throws: ``SettingsError/Code/badValue`` if it is none, or out of `range`; `badFile` where it stands in the file.
    package func number(_ name: String, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw SettingsError(
                origin(of: name) == .file ? .badFile : .badValue,
                "\(spoken(name)) \(text) is not a number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    /// What a value that is refused was given by: the flag, or the name in the configuration file.
    private func spoken(_ name: String) -> String {
        origin(of: name) == .file ? "\"\(name)\" in the configuration file:" : "--\(name)"
    }

    private static func flags(in arguments: [String], declared: [Setting]) throws(SettingsError) -> [String: String] {
        var flags: [String: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                throw SettingsError(.unknown, "\(argument) is not expected here")
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard declared.contains(where: { $0.name == name }) else {
                throw SettingsError(.unknown, "--\(name) is not known")
            }
            guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                throw SettingsError(.badValue, "--\(name) needs a value")
            }
            flags[name] = value
        }
        return flags
    }

    private static func entries(
        of bytes: [UInt8],
        path: String,
        declared: [Setting]
    ) throws(SettingsError) -> [String: String] {
        let entries: [String: ConfigurationValue]
        do {
            entries = try JSONDecoder().decode([String: ConfigurationValue].self, from: Data(bytes))
        } catch {
            throw SettingsError(
                .badFile,
                "\(path) is not one JSON object of texts, numbers, booleans and lists of texts"
            )
        }
        let names = Set(declared.map(\.name))
        for name in entries.keys.sorted() where !names.contains(name) && !Setting.everywhere.contains(name) {
            throw SettingsError(.badFile, "\(path): \"\(name)\" is not known")
        }
        return entries.filter { names.contains($0.key) }.mapValues(\.text)
    }
}

/// Why settings could not be resolved.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case unknown, badValue
        /// The configuration file can not be understood, or says what can not be.
        case badFile
    }

    package let code: Code
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

/// A value in the configuration file; lists are joined by colons, as the flags have them.
private struct ConfigurationValue: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {  // another kind of value follows
            text = flag ? "true" : "false"
        } else if let number = try? container.decode(Int.self) {  // another kind of value follows
            text = String(number)
        } else if let list = try? container.decode([String].self) {  // another kind of value follows
            text = list.joined(separator: ":")
        } else {
            text = try container.decode(String.self)
        }
    }
}
