/// One thing that can be set: by a default, the configuration file, the environment or a flag, in rising strength.
package struct Setting: Sendable {
    /// The flag without its dashes, such as `log-level`; also the key in the configuration file.
    package let name: String
    /// What the help shows as the value, such as `DIR`.
    package let placeholder: String
    /// One line of help.
    package let help: String
    /// The value when nobody gives one.
    package let fallback: String?

    package init(_ name: String, _ placeholder: String, _ help: String, fallback: String? = nil) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.fallback = fallback
    }

    /// The environment's name for it: `OBSCURA_LOG_LEVEL` for `log-level`.
    package var variable: String {
        "OBSCURA_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}

extension Setting {
    /// What every service can be told.
    package static let common: [Setting] = [
        Setting("config", "FILE", "read settings from this JSON file: one object, its keys are flags of services"),
        Setting("data", "DIR", "what must last"),
        Setting("runtime", "DIR", "sockets and locks"),
        Setting("deployment", "personal|system", "who is kept apart from whom", fallback: "personal"),
        Setting(
            "policy",
            "FILE",
            "operators, what is forbidden and what is granted; DATA/policy.json when it is there"
        ),
        Setting("log-level", "LEVEL", "trace, debug, info, warning or error", fallback: "info"),
        Setting("role-keys-fd", "N", "read the role's key from this descriptor"),
        Setting("role-keys", "FILE", "read the role's key from this file; RUNTIME/keys/SERVICE.json when it is there"),
        Setting("address-space", "MIB", "how much memory may be mapped; 0 for no limit", fallback: "4096"),
        Setting("open-files", "N", "how many descriptors may be open", fallback: "4096"),
    ]

    /// The names of everything that any service can be told.
    ///
    /// One configuration file serves a whole cluster: a service passes over what is another's, and refuses what is nobody's.
    package static let everywhere: Set<String> = Set(common.map(\.name)).union([
        "built-in-cameras", "camera-positions", "decoder", "decoder-seconds", "decoders", "export-roots",
        "file-cameras", "media",
    ])
}
