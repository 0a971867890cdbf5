package import Consent
package import Media
package import MessageSchema

/// A job as the exporter keeps it: whose it is, what is exported, and how it stands.
package struct ExportRecord: Hashable, Sendable {
    package var principal: Principal
    package var label: String?
    package var purpose: String?
    package var selection: ExportSelection
    /// What is taken out of the copies; of pictures whose place the program may not know, the place besides.
    package var privacy: PrivacyProfile
    /// How the files are named; by their own names when nil.
    package var names: NameTemplate?
    /// How the job stands; its `destination` is where the bag lies.
    package var job: ExportJob

    package init(
        principal: Principal,
        label: String?,
        purpose: String?,
        selection: ExportSelection,
        privacy: PrivacyProfile = .none,
        names: NameTemplate? = nil,
        job: ExportJob
    ) {
        self.principal = principal
        self.label = label
        self.purpose = purpose
        self.selection = selection
        self.privacy = privacy
        self.names = names
        self.job = job
    }
}
