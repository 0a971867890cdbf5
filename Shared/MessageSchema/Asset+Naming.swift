package import Media

extension NameTemplate.Subject {
    /// What a name template may tell of an asset: for one that goes out without metadata, nothing of them.
    package init(_ asset: Asset) {
        self.init(
            filename: asset.filename,
            kind: asset.kind,
            id: asset.url.id,
            date: asset.date,
            cameraMake: asset.cameraMake,
            cameraModel: asset.cameraModel
        )
    }
}
