import Media
package import MessageSchema

/// What of an asset goes out, and what is said about it.
package enum OutgoingAsset: Hashable, Sendable {
    /// A file: `bytes`, `sha256` and `privacy` are of it.
    case file(Asset)
    /// It can not go out like that.
    case failed(ExportFailure)

    /// Asks the library for the file without what the profile takes out.
    ///
    /// An original that is hidden because of its place goes out without the place, whatever was asked for.
    ///
    /// - Throws: What the library answers about more than this file.
    package init(_ asset: Asset, _ privacy: PrivacyProfile, _ source: ExportSource, _ pass: ExportPass) async throws {
        let isHidden = asset.sha256 == nil
        let wanted = privacy == .none && isHidden ? PrivacyProfile.location : privacy
        guard wanted != .none else {
            self = .file(asset)
            return
        }
        do {
            let reply = try await source.digest(asset, wanted, pass.delegation)
            self = .file(asset.without(wanted, reply))
        } catch let error as ErrorReply where error.cause == "notRedacted" {
            guard isHidden, privacy == .none else {
                self = .failed(ExportFailure(url: asset.url, error))
                return
            }
            var failure = pass.hiding(asset.url)
            failure.reason = "\(error.text); \(failure.reason)"
            self = .failed(failure)
        }
    }
}

extension Asset {
    /// The asset as it goes out, with nothing in words that was taken out of its file.
    fileprivate func without(_ profile: PrivacyProfile, _ reply: DigestAsset.Reply) -> Asset {
        var asset = self
        asset.bytes = reply.bytes
        asset.sha256 = reply.sha256
        asset.privacy = reply.privacy
        asset.location = nil
        asset.representations = []
        guard profile == .all else { return asset }
        // A name of a camera's own tells what was before and behind it. Since it was saved it may have been replaced by
        // another type, which its URL does not tell.
        let name = "\(kind == .video ? "video" : "photo")-\(url.id.prefix(8).lowercased())"
        asset.filename = "\(name).\(FileExtension.forType(uti).lowercased())"
        asset.date = nil
        asset.cameraMake = nil
        asset.cameraModel = nil
        asset.original = nil
        return asset
    }
}
