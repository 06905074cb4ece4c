// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension SecretBytes {
    /// Copies a part of other memory.
    init(_ bytes: Span<UInt8>) throws(SecretMemoryError) {
        try self.init(capacity: bytes.count) { $0.append(contentsOf: bytes) }
    }

    /// Whether the bytes are valid UTF-8. They are checked in place.
    var isUTF8: Bool {
        withSecretBytes { bytes in
            do throws(UTF8.ValidationError) {
                _ = try UTF8Span(validating: bytes)
                return true
            } catch {
                return false
            }
        }
    }
}
