package import Hashing
package import Media
package import MessageSchema
package import Timekeeping

/// One row of `assets` with its content, as the service works with it.
package struct AssetRecord: Hashable, Sendable {
    /// How an asset came in.
    package enum Origin: String, Hashable, Sendable {
        /// Captured or saved here; member of Saved Photos.
        case saved
        /// Imported by an operator.
        case imported
    }

    /// The row; 0 before it is inserted.
    var row: Int64 = 0
    package let id: AssetID
    /// The hash of the original.
    package var digest: SHA256Digest
    /// Bytes of the original.
    package var bytes: Int64
    /// Whose it is: the text of a principal.
    package let owner: String
    package let ownerLabel: String?
    package let origin: Origin
    /// Whether it belongs to Saved Photos.
    package var isSaved: Bool
    package var kind: AssetKind
    package var uti: String
    package var fileExtension: String
    package var filename: String
    /// Stored pixels; 0 where not known.
    package var storedWidth: Int
    package var storedHeight: Int
    package var orientation: Orientation
    package var date: AssetDate?
    /// What it is ordered by: its wall clock, else that of its file, else when it came in.
    package var sortLocal: String
    package var duration: Double?
    package var location: Location?
    /// Whether the original may say where it was made, also where `location` is not known.
    package var mayHoldPlace: Bool
    package var cameraMake: String?
    package var cameraModel: String?
    /// How whole it is; the content's own loss wins over what the decoder said.
    package var state: AssetState
    package var reason: String?
    package var original: AssetURL?
    package let added: Timestamp
    /// When the imported file was last changed.
    package let modified: Timestamp?
    /// Whether a person likes it.
    package var isFavourite = false
    package var caption: String?
    /// When it was put into the trash; nil when it is not there.
    package var trashed: Timestamp?

    /// Whether there is something to hide from who may not know places: the place, or the hash of bytes that may hold it.
    package var isAboutPlace: Bool { mayHoldPlace || location != nil }

    /// Its name for everybody.
    package var url: AssetURL { AssetURL(id: id.description, fileExtension: fileExtension) }

    /// Pixels as displayed.
    package var width: Int { orientation.swapsAxes ? storedHeight : storedWidth }
    /// Pixels as displayed.
    package var height: Int { orientation.swapsAxes ? storedWidth : storedHeight }

    /// What a program sees.
    ///
    /// Without `showsLocation` neither the place nor the hash of bytes that hold it is told; `isOwn` is whether the program
    /// saved it, and may replace its content.
    package func message(showsLocation: Bool, isOwn: Bool = false) -> Asset {
        let hidesHash = mayHoldPlace && !showsLocation
        var asset = Asset(
            url: url,
            kind: kind,
            uti: uti,
            filename: filename,
            bytes: bytes,
            sha256: hidesHash ? nil : digest.description,
            width: width,
            height: height,
            orientation: orientation,
            state: state,
            representations: [
                Representation(
                    uti: uti,
                    filename: filename,
                    bytes: bytes,
                    width: width,
                    height: height,
                    orientation: orientation,
                    scale: 1,
                    url: url
                )
            ],
            added: added.description
        )
        asset.date = date
        asset.duration = kind == .photo ? nil : duration
        asset.location = showsLocation ? location : nil
        asset.reason = reason
        asset.original = original
        asset.cameraMake = cameraMake
        asset.cameraModel = cameraModel
        asset.favourite = isFavourite ? true : nil
        asset.caption = caption
        asset.editable = isOwn && trashed == nil ? true : nil
        asset.trashed = trashed?.description
        asset.expires = trashed.map { ($0 + Library.trashKeeping).description }
        return asset
    }

    /// The same asset with the content of another one: its name for everybody, its owner and its marks stay.
    ///
    /// A content without a date leaves the asset where it was.
    func replaced(by new: AssetRecord) -> AssetRecord {
        var asset = self
        asset.digest = new.digest
        asset.bytes = new.bytes
        asset.kind = new.kind
        asset.uti = new.uti
        asset.filename = new.filename
        asset.storedWidth = new.storedWidth
        asset.storedHeight = new.storedHeight
        asset.orientation = new.orientation
        asset.duration = new.duration
        asset.location = new.location
        asset.mayHoldPlace = new.mayHoldPlace
        asset.cameraMake = new.cameraMake
        asset.cameraModel = new.cameraModel
        asset.state = new.state
        asset.reason = new.reason
        if new.date != nil {
            asset.date = new.date
            asset.sortLocal = new.sortLocal
        }
        return asset
    }
}

extension AssetRecord {
    /// A new asset from what the decoder found and what the saver said, which wins.
    init(
        digest: SHA256Digest,
        bytes: Int64,
        report: InspectionReport,
        filename: String,
        metadata: SaveMetadata?,
        owner: Owner,
        origin: Origin,
        added: Timestamp,
        modified: Timestamp?
    ) {
        let fileExtension = FileExtension.forType(report.uti)
        self.init(
            id: AssetID(),
            digest: digest,
            bytes: bytes,
            owner: owner.principal,
            ownerLabel: owner.label,
            origin: origin,
            isSaved: origin == .saved,
            kind: report.kind,
            uti: report.uti,
            fileExtension: fileExtension,
            filename: StoredName(filename, fileExtension: fileExtension).text,
            storedWidth: report.width ?? 0,
            storedHeight: report.height ?? 0,
            orientation: metadata?.orientation ?? report.orientation ?? .up,
            date: metadata?.date ?? report.date,
            sortLocal: "",
            duration: report.duration,
            location: metadata?.location ?? report.location,
            mayHoldPlace: report.mayHoldPlace ?? true || report.location != nil,
            cameraMake: metadata?.cameraMake ?? report.cameraMake,
            cameraModel: metadata?.cameraModel ?? report.cameraModel,
            state: report.state,
            reason: report.reason,
            original: nil,
            added: added,
            modified: modified
        )
        sortLocal = date?.local ?? String((modified ?? added).description.dropLast())
    }
}

/// Whom an asset belongs to.
package struct Owner: Hashable, Sendable {
    /// The text of a principal, which was proven.
    package let principal: String
    /// What the person reads; proves nothing.
    package let label: String?

    package init(principal: String, label: String?) {
        self.principal = principal
        self.label = label
    }
}
