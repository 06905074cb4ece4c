// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension MessageSignature.Request {
    /// Whether a field says that content follows. A length that is not zero counts, and one that is malformed.
    var announcesContent: Bool {
        fields.contains { field in
            if field.isNamed("transfer-encoding") { return true }
            guard field.isNamed("content-length") else { return false }
            let value = field.value.drop(while: Self.isBlank).reversed().drop(while: Self.isBlank)
            return value.isEmpty || value.contains { $0 != UInt8(ascii: "0") }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 0x09 }

    /// The digest of the content; `nil` if there is none that can be checked.
    var contentDigest: ContentDigest? {
        let lines = fields.filter { $0.isNamed("content-digest") }
        return ContentDigest(fieldLines: lines.map { String(decoding: $0.value, as: UTF8.self) })
    }
}

extension MessageSignature.Component {
    /// Whether this is the digest of the content, with any parameters.
    var isContentDigest: Bool { name.utf8.elementsEqual("content-digest".utf8) }
}
