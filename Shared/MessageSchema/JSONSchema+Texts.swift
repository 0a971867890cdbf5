package import Consent
package import Media

/// A type that is a text in JSON, of a form that the schema states.
package protocol SchemaText: Decodable {
    /// A text of that form, with which the type can be decoded.
    static var schemaSample: String { get }
    /// A regular expression (ECMA-262) that such texts match.
    static var schemaPattern: String? { get }
}

extension AssetURL: SchemaText {
    package static let schemaSample = "assets-library://asset/asset.JPG?id=00000000-0000-4000-8000-000000000001&ext=JPG"
    package static let schemaPattern: String? = "^assets-library://asset/asset\\.[^?]+\\?.*id=.+$"
}

extension GroupURL: SchemaText {
    package static let schemaSample = "assets-library://group/?id=00000000-0000-4000-8000-000000000002"
    package static let schemaPattern: String? = "^assets-library://group/\\?id=.+$"
}

extension LibraryURL: SchemaText {
    package static let schemaSample = AssetURL.schemaSample
    package static let schemaPattern: String? = "^assets-library://(asset/asset\\.[^?]+|group/)\\?.*id=.+$"
}

extension MediaType: SchemaText {
    package static let schemaSample = "public.image"
    package static let schemaPattern: String? = nil
}

extension Principal: SchemaText {
    package static let schemaSample = "uid:1000"
    package static let schemaPattern: String? = "^(uid|unit|key|container):.+$"
}

extension Resource: SchemaText {
    package static let schemaSample = "camera/pattern-back"
    package static let schemaPattern: String? = "^((camera|microphone)/.+|library|location|export)$"
}

extension Lifespan: SchemaText {
    package static let schemaSample = "forever"
    package static let schemaPattern: String? = "^(once|session|forever|until=.+|unusedFor=[0-9]+d)$"
}

extension UseID: SchemaText {
    package static let schemaSample = "capture-1234-17"
    package static let schemaPattern: String? = "^[a-z]+-[0-9]+-[0-9]+$"
}

extension ConsentRecordID: SchemaText {
    package static let schemaSample = "c0123456789abcdef0123456789abcdef"
    package static let schemaPattern: String? = "^c[0-9a-f]{32}$"
}

extension AuditNumber: SchemaText {
    package static let schemaSample = "17"
    package static let schemaPattern: String? = "^[0-9]+$"
}

extension PromptID: SchemaText {
    package static let schemaSample = "p3"
    package static let schemaPattern: String? = "^p[0-9]+$"
}

extension Moment: SchemaText {
    package static let schemaSample = "2026-11-30T03:45:00Z"
    package static let schemaPattern: String? = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)$"
}

extension DecisionID: SchemaText {
    package static let schemaSample = "d7"
    package static let schemaPattern: String? = "^[dp][0-9]+$"
}

/// A type that is a whole number or a text in JSON.
package protocol SchemaIntegerOrText: Decodable {}

extension ControlValue: SchemaIntegerOrText {}
