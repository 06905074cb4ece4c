// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SecretBytes {
    /// Returns the bytes without one line feed at the end, which `echo` and editors append.
    ///
    /// - Returns: The same secret, or a shorter copy.
    /// - Throws: ``SecretMemoryError`` when there is no guarded memory left.
    package func withoutTrailingNewline() throws(SecretMemoryError) -> SecretBytes {
        try withSecretBytes { (bytes) throws(SecretMemoryError) in
            guard bytes.count > 0, bytes[bytes.count - 1] == UInt8(ascii: "\n") else { return self }
            return try SecretBytes(capacity: bytes.count - 1) {
                for index in 0..<(bytes.count - 1) { $0.append(bytes[index]) }
            }
        }
    }
}
