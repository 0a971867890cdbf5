import Foundation
import ObscuraClient

/// 13.5: a film goes into the library, and its URL comes back; or the error does.
struct VideoSaving {
    let library: AssetsLibrary

    func run(_ film: String) async throws {
        do {
            Main.say("Video URL = \(try await library.saveVideo(at: URL(fileURLWithPath: film)).url)")
        } catch let error as ObscuraError where error.domain == ObscuraError.assetsLibraryDomain {
            Main.say("Description = \(error.localizedDescription)")
            Main.say("Reason = \(error.failureReason ?? "")")
            Main.say("Suggestion = \(error.recoverySuggestion ?? "")")
            throw error
        }
    }
}
