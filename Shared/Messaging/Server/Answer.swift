/// A reply with attachments.
package struct Answer<Reply: Sendable>: Sendable {
    package var value: Reply
    package var attachments: [Attachment]

    package init(_ value: Reply, attachments: [Attachment] = []) {
        self.value = value
        self.attachments = attachments
    }
}
