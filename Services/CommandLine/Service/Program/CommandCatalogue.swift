private import MessageSchema

/// Every command, in the order of the overview.
package enum CommandCatalogue {
    /// All commands of `obscura`.
    package static let all: [any Command] =
        cluster + cameras + library + export + permissions + consent + audit
        + notYet

    private static let cluster: [any Command] = [
        UpCommand(), DemoCommand(), StatusCommand(), DoctorCommand(), SchemaCommand(), SourcesCommand(),
    ]

    private static let cameras: [any Command] =
        [
            ListCamerasCommand(), ShowCameraCommand(), WatchCamerasCommand(), ReportCamerasCommand(),
            CameraControlsCommand(), ListMicrophonesCommand(), PhotoCommand(), RecordCommand(),
        ] + RecordingCommand.Verb.allCases.map { RecordingCommand($0) } + [PreviewCommand()]

    private static let library: [any Command] =
        [
            ImportCommand(), SaveCommand(), ListGroupsCommand(), ListAssetsCommand(), ShowAssetCommand(),
            MetadataCommand(),
            ReadAssetCommand(), ThumbnailCommand(), CreateAlbumCommand(), ChangeAlbumCommand(change: .add),
            ChangeAlbumCommand(change: .remove), DeleteAlbumCommand(), ReplaceAssetCommand(), CheckFileCommand(),
            CountAssetsCommand(), LibraryChangesCommand(), VerifyLibraryCommand(), RebuildLibraryCommand(),
            BackUpLibraryCommand(),
        ] + KeepAssetsCommand.Verb.allCases.map { KeepAssetsCommand(verb: $0) }

    private static let export: [any Command] = [
        ExportCommand(), ExportStatusCommand(), ControlExportCommand(.pause, "Pauses a job"),
        ControlExportCommand(.resume, "Goes on with a job that was paused, failed or cut off"),
        ControlExportCommand(.cancel, "Ends a job; what was copied stays"), VerifyExportCommand(),
    ]

    private static let permissions: [any Command] = [
        ListPermissionsCommand(), PermissionStatusCommand(), RequestPermissionCommand(),
        DecideCommand(
            verb: "grant",
            summary: "Allows",
            effect: "one user's programs may read",
            parameters: PermissionParameters.decision,
            request: {
                GrantPermission(change: $0)
            }
        ),
        DecideCommand(
            verb: "deny",
            summary: "Denies, and ends what runs",
            effect: "one user's programs may not read",
            parameters: PermissionParameters.decision + [PermissionParameters.discard],
            request: { DenyPermission(change: $0) }
        ),
        DecideCommand(
            verb: "revoke",
            summary: "Withdraws what was allowed; every service has applied it when this returns",
            effect: "what reads now ends",
            parameters: PermissionParameters.removal,
            request: { RevokePermission(change: $0) }
        ),
        DecideCommand(
            verb: "reset",
            summary: "Forgets decisions, so that the person is asked again",
            effect: "the next read asks",
            parameters: PermissionParameters.removal,
            request: { ResetPermission(change: $0) }
        ),
        WatchPermissionsCommand(), ListUsesCommand(), StopUseCommand(), KeepSessionCommand(), SwitchCommand(),
        PromptsCommand(), AnswerCommand(),
    ]

    private static let consent: [any Command] = [
        ConsentNoticeCommand(), BeginConsentCommand(isGiven: true), BeginConsentCommand(isGiven: false),
        ChangeConsentCommand(isRenewed: true), ChangeConsentCommand(isRenewed: false), ListConsentsCommand(),
        ShowConsentCommand(), ConsentReceiptCommand(), VerifyConsentCommand(), ConsentKeyCommand(),
    ]

    private static let audit: [any Command] = [ListAuditCommand(), VerifyAuditCommand(), ExportAuditCommand()]

    private static let notYet: [any Command] =
        [
            ("library rescan", "Looks for changed files"),
            ("pick", "Lets the person take or choose, and gives the result"),
            ("client enrol", "Lets programs of other machines enrol"),
            ("client list", "Lists enrolled programs"),
            ("client remove", "Removes an enrolled program"),
            ("client rotate", "Gives an enrolled program a new key"),
        ].map { NotYetCommand(path: $0.0, summary: $0.1) }
}
