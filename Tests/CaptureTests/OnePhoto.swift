import MessageSchema

@testable import CaptureService

extension PhotoTaker {
    /// Takes photos and keeps them; what came before an error is lost with it.
    func takeAll(_ settings: CaptureSettings, requested: Int64) async throws -> [Photo] {
        let photos = Notes<Photo>()
        try await take(settings, requested: requested) { photos.add($0) }
        return photos.all
    }

    /// Takes one photo.
    func take(_ settings: CaptureSettings, requested: Int64) async throws -> Photo {
        guard let photo = try await takeAll(settings, requested: requested).first else { throw CancellationError() }
        return photo
    }
}
