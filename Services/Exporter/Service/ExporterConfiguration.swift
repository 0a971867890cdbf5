package import ServiceRuntime

/// What the exporter can be told.
package struct ExporterConfiguration: Hashable, Sendable {
    package static let settings = [
        Setting("export-roots", "DIR[:DIR]", "folders below which exports are written; DATA/exports when not given")
    ]

    package var roots: ExportRoots

    /// Reads the settings.
    package init(_ settings: Settings, dataDirectory: String) {
        let paths = (settings["export-roots"] ?? "").split(separator: ":").map { String($0) }.filter {
            $0.hasPrefix("/")
        }
        roots = ExportRoots(paths.isEmpty ? [dataDirectory + "/exports"] : paths)
    }
}
