/// Something that is done with each type of message.
package protocol MessageVisitor {
    /// A message answered by one reply.
    mutating func visit<R: Request>(request: R.Type) throws
    /// A message answered by a stream.
    mutating func visit<R: StreamRequest>(stream: R.Type) throws
    /// A message followed by chunks, and answered by one reply.
    mutating func visit<R: UploadRequest>(upload: R.Type) throws
}

/// Every message of the wire, once, in the order of Wire.md.
package enum MessageCatalogue {
    /// Shows each message to the visitor.
    ///
    /// - Throws: What the visitor throws.
    package static func visit(_ visitor: inout some MessageVisitor) throws {
        try visitServices(&visitor)
        try visitPermissions(&visitor)
        try visitConsents(&visitor)
        try visitAudit(&visitor)
        try visitCameras(&visitor)
        try visitLibrary(&visitor)
        try visitExports(&visitor)
    }

    private static func visitServices(_ visitor: inout some MessageVisitor) throws {
        try visitor.visit(request: ServiceHealth.self)
        try visitor.visit(request: ListServices.self)
        try visitor.visit(request: ResolveService.self)
        try visitor.visit(request: RegisterService.self)
    }

    private static func visitPermissions(_ visitor: inout some MessageVisitor) throws {
        try visitor.visit(request: RequestPermissions.self)
        try visitor.visit(request: PermissionStatus.self)
        try visitor.visit(request: ListPermissions.self)
        try visitor.visit(stream: WatchPermissions.self)
        try visitor.visit(stream: FollowRestrictions.self)
        try visitor.visit(request: GrantPermission.self)
        try visitor.visit(request: DenyPermission.self)
        try visitor.visit(request: RevokePermission.self)
        try visitor.visit(request: ResetPermission.self)
        try visitor.visit(request: ListPrompts.self)
        try visitor.visit(stream: FollowPrompts.self)
        try visitor.visit(request: AnswerPrompt.self)
        try visitor.visit(request: RedeemGrant.self)
        try visitor.visit(request: ReleaseGrant.self)
        try visitor.visit(request: ListUses.self)
        try visitor.visit(stream: FollowUses.self)
        try visitor.visit(request: StopUse.self)
        try visitor.visit(stream: KeepSession.self)
        try visitor.visit(request: TurnResource.self)
        try visitor.visit(request: ReportUses.self)
    }

    private static func visitConsents(_ visitor: inout some MessageVisitor) throws {
        try visitor.visit(request: GiveConsent.self)
        try visitor.visit(request: RefuseConsent.self)
        try visitor.visit(request: RenewConsent.self)
        try visitor.visit(request: WithdrawConsent.self)
        try visitor.visit(request: ListConsents.self)
        try visitor.visit(request: ShowConsent.self)
        try visitor.visit(request: GiveReceipt.self)
        try visitor.visit(request: ReceiptKey.self)
    }

    private static func visitAudit(_ visitor: inout some MessageVisitor) throws {
        try visitor.visit(request: ListAudit.self)
        try visitor.visit(request: ListCheckpoints.self)
        try visitor.visit(request: SealAudit.self)
    }

    private static func visitCameras(_ visitor: inout some MessageVisitor) throws {
        try visitor.visit(request: ListSources.self)
        try visitor.visit(request: ListCameras.self)
        try visitor.visit(request: ShowCamera.self)
        try visitor.visit(request: ReportCameras.self)
        try visitor.visit(request: AskCameras.self)
        try visitor.visit(stream: WatchCameras.self)
        try visitor.visit(request: ListMicrophones.self)
        try visitor.visit(request: TakePhoto.self)
        try visitor.visit(stream: RecordMovie.self)
        try visitor.visit(request: StopRecording.self)
        try visitor.visit(request: ListRecordings.self)
        try visitor.visit(request: PauseRecording.self)
        try visitor.visit(request: ResumeRecording.self)
        try visitor.visit(stream: PreviewCamera.self)
        try visitor.visit(request: ReadControls.self)
        try visitor.visit(request: SetControls.self)
        try visitor.visit(request: ResetControls.self)
    }

    private static func visitLibrary(_ visitor: inout some MessageVisitor) throws {
        try visitor.visit(upload: SaveAsset.self)
        try visitor.visit(request: FindSaved.self)
        try visitor.visit(upload: ImportAsset.self)
        try visitor.visit(upload: ReplaceAsset.self)
        try visitor.visit(upload: CheckAsset.self)
        try visitor.visit(request: ListGroups.self)
        try visitor.visit(stream: ListAssets.self)
        try visitor.visit(request: CountAssets.self)
        try visitor.visit(request: FindAsset.self)
        try visitor.visit(request: ReadMetadata.self)
        try visitor.visit(stream: ReadAsset.self)
        try visitor.visit(request: DigestAsset.self)
        try visitor.visit(stream: ThumbnailAsset.self)
        try visitor.visit(request: CreateAlbum.self)
        try visitor.visit(request: ChangeAlbum.self)
        try visitor.visit(request: DeleteAlbum.self)
        try visitor.visit(request: MarkAssets.self)
        try visitor.visit(request: TrashAssets.self)
        try visitor.visit(request: RestoreAssets.self)
        try visitor.visit(request: DeleteAssets.self)
        try visitor.visit(stream: ListChanges.self)
        try visitor.visit(stream: WatchLibrary.self)
        try visitor.visit(request: VerifyLibrary.self)
        try visitor.visit(request: RebuildLibrary.self)
        try visitor.visit(request: BackUpLibrary.self)
        try visitor.visit(request: LibraryContents.self)
    }

    private static func visitExports(_ visitor: inout some MessageVisitor) throws {
        try visitor.visit(request: StartExport.self)
        try visitor.visit(stream: FollowExport.self)
        try visitor.visit(request: ListExports.self)
        try visitor.visit(request: ControlExport.self)
        try visitor.visit(stream: StreamExport.self)
    }
}
