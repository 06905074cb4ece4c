// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension SecretBytes {
    /// A copy of a part of other memory.
    init(_ bytes: Span<UInt8>) throws(SecretMemoryError) {
        try self.init(capacity: bytes.count) { $0.append(contentsOf: bytes) }
    }

    /// Whether the bytes are text. They are looked at in place.
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
