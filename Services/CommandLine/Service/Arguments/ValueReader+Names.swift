package import Media

extension ValueReader<NameTemplate> {
    /// How exported files are named; a text that is no template is told with the wrong place.
    package static var nameTemplate: ValueReader<NameTemplate> {
        ValueReader(
            expecting: "a template such as {date:%Y/%m}/{name}",
            fault: { text in
                do throws(NameTemplate.Fault) {
                    _ = try NameTemplate(text)
                    return nil
                } catch {
                    return error.description
                }
            }
        ) { text in
            // What is wrong with it is told by `fault`.
            try? NameTemplate(text)
        }
    }
}
