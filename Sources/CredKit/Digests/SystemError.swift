// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The system's messages for its error numbers.
package enum SystemError {
    /// The message for a value of `errno`, in the form of `strerror` that threads may share.
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
