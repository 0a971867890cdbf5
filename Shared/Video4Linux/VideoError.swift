private import Glibc

/// Why a video device did not do what it was asked.
package struct VideoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened, for callers to switch on.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The node is not there, or its device was unplugged.
        case absent
        /// This process may not open the node; usually its user is not in the node's group.
        case denied
        /// Another process owns the device or its buffers.
        case busy
        /// A cable without signal, or one the device can not lock to.
        case noSignal
        /// The USB bus has no room left for this stream (ENOSPC from VIDIOC_STREAMON); not a full disk.
        case noBandwidth
        /// The node is no V4L2 device, or not one that captures pictures.
        case notCamera
        /// The device refused a value or does not have the operation.
        case notSupported
        /// The device failed (EIO and the like); streaming has to be started anew.
        case fault
    }

    package let code: Code

    /// The kernel's name of the call, such as `VIDIOC_S_FMT`.
    package let operation: String

    /// errno of that call.
    package let errorNumber: Int32

    /// An error with a code of its own.
    package init(_ code: Code, operation: String, errorNumber: Int32) {
        self.code = code
        self.operation = operation
        self.errorNumber = errorNumber
    }

    /// The error for what a call on an open device returned.
    ///
    /// - Parameters:
    ///   - operation: The kernel's name of the call.
    ///   - errorNumber: errno of exactly that call; a stale one misleads.
    package init(operation: String, errorNumber: Int32) {
        let code: Code =
            switch errorNumber {
            case ENODEV, ENXIO, ENOENT: .absent
            case EACCES, EPERM: .denied
            case EBUSY: .busy
            case ENOLINK, ENOLCK: .noSignal
            case ENOSPC: operation == "VIDIOC_STREAMON" ? .noBandwidth : .fault
            case ENOTTY: operation == "VIDIOC_QUERYCAP" ? .notCamera : .notSupported
            case EINVAL, ERANGE, EOPNOTSUPP: .notSupported
            default: .fault
            }
        self.init(code, operation: operation, errorNumber: errorNumber)
    }

    package var description: String {
        "\(code.rawValue): \(operation), errno \(errorNumber)"
    }
}
