/// A microphone as programs see it.
package struct Microphone: Hashable, Sendable, Codable {
    /// Survives renumbering.
    package var id: String
    package var name: String
    /// The kernel's driver, `pattern` for the built-in one.
    package var driver: String
    package var builtIn: Bool
    package var availability: Availability

    package init(id: String, name: String, driver: String, builtIn: Bool, availability: Availability) {
        self.id = id
        self.name = name
        self.driver = driver
        self.builtIn = builtIn
        self.availability = availability
    }
}

/// The microphones there are; needs nothing.
package struct ListMicrophones: Request {
    /// What there is.
    package struct Reply: Hashable, Sendable, Codable {
        package var microphones: [Microphone]
        /// Why there is none of hardware, or not all that there are; nothing where all is well.
        package var problem: String?

        package init(microphones: [Microphone], problem: String? = nil) {
            self.microphones = microphones
            self.problem = problem
        }
    }

    package static let name = "microphones.list"

    package init() {}
}
