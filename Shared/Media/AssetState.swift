/// How whole an asset's original is.
package enum AssetState: String, Hashable, Sendable, Codable, CaseIterable {
    /// It decodes.
    case ok
    /// It decodes in part; what can be seen is kept.
    case damaged
    /// It is kept byte for byte, but can not be viewed or played.
    case unplayable
    /// Its decoder crashed or ran out of its limits twice; it is not tried again.
    case quarantined
    /// The media store has lost its bytes.
    case missing
}
