extension ServiceName {
    /// The service that answers requests of that name; nil for a name of none, or of all.
    package init?(answering request: String) {
        switch request.prefix(while: { $0 != "." }) {
        case "services", "permissions", "consent", "audit", "replica": self = .coordinator
        case "sources", "cameras", "microphones": self = .probe
        case "camera": self = .capture
        case "library": self = .library
        case "export": self = .exporter
        default: return nil
        }
    }
}
