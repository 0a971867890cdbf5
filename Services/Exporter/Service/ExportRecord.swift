package import Consent
package import MessageSchema

/// A job as the exporter keeps it: whose it is, what is exported, and how it stands.
package struct ExportRecord: Hashable, Sendable {
    package var principal: Principal
    package var label: String?
    package var purpose: String?
    package var selection: ExportSelection
    /// How the job stands; its `destination` is where the bag lies.
    package var job: ExportJob

    package init(
        principal: Principal,
        label: String?,
        purpose: String?,
        selection: ExportSelection,
        job: ExportJob
    ) {
        self.principal = principal
        self.label = label
        self.purpose = purpose
        self.selection = selection
        self.job = job
    }
}
