private import Glibc

/// Makes a symbolic link; the tests' own directories always allow it.
package func makeSymbolicLink(at path: String, to target: String) {
    let result = unsafe symlink(target, path)
    precondition(result == 0, "a test's directory takes links")
}

/// Makes an empty file with any bytes as its name.
package func makeFile(in directory: String, named name: [UInt8]) {
    let path = Array(directory.utf8) + [UInt8(ascii: "/")] + name + [0]
    let file = unsafe path.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer {
        unsafe creat($0.baseAddress.unsafelyUnwrapped, 0o600)
    }
    precondition(file >= 0, "a test's directory takes files")
    close(file)
}
