package import MessageSchema

/// What `--help` of a service prints.
package enum ServiceHelp {
    /// The help, with every setting in its three forms.
    package static func text(for name: ServiceName, settings: [Setting]) -> String {
        var text = """
            usage: \(name.executable) [--SETTING VALUE]...

            The \(name.rawValue) service of Obscura. `obscura up` starts it with the others; by hand it waits for the coordinator.
            Each setting can also be a key in the --config file, or a variable in the environment.


            """
        for setting in settings {
            let flag = "  --\(setting.name) \(setting.placeholder)"
            text += flag + String(repeating: " ", count: max(2, 34 - flag.count)) + setting.help
            if let fallback = setting.fallback { text += " (default \(fallback))" }
            text += "\n" + String(repeating: " ", count: 36) + setting.variable + "\n"
        }
        return text + "  --help\n  --version\n"
    }
}
