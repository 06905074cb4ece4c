// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A call to the operating system failed, or found what must not be used.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What a caller can distinguish.
    package enum Kind: Sendable {
        /// A file or folder is not there.
        case notFound
        /// The system refused.
        case denied
        /// A file or folder is a link, belongs to another user, or can be changed by other users.
        case insecureFile
        /// There is not enough memory.
        case outOfMemory
        /// Input or output failed.
        case inputOutput
    }

    package let kind: Kind
    /// What failed, on what, and why.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// A failed system call.
    ///
    /// - Parameters:
    ///   - errorNumber: The value of `errno`.
    ///   - operation: What failed, for people: "cannot open /a/b".
    package init(_ errorNumber: Int32, _ operation: String) {
        let text = "\(operation): \(Self.message(of: errorNumber))"
        switch errorNumber {
        case ENOENT, ENOTDIR: self.init(.notFound, text)
        case EACCES, EPERM, EROFS: self.init(.denied, text)
        case ELOOP:
            self.init(.insecureFile, "\(operation): it is a symbolic link, which is not followed")
        case ENOMEM: self.init(.outOfMemory, text)
        default: self.init(.inputOutput, text)
        }
    }

    /// The message for a value of `errno`, by the variant of `strerror` that is safe with threads.
    package static func message(of errorNumber: Int32) -> String {
        // The longest message of glibc has some 50 bytes.
        var buffer = [CChar](repeating: 0, count: 256)
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, unsafe strerror_r(errorNumber, base, buffer.count) == 0
            else {
                return "error " + String(errorNumber)
            }
            return unsafe String(cString: base)
        }
    }
}
