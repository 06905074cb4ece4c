// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature.Parameters {
    /// All parameters that a signature can have, found in one pass: looking each of them up takes six.
    /// Nothing copies it, so that no text is counted twice.
    struct Known: ~Copyable {
        private(set) var created: UnixTime?
        private(set) var expires: UnixTime?
        private(set) var nonce: String?
        private(set) var algorithmName: String?
        private(set) var keyID: String?
        private(set) var tag: String?

        init(_ values: StructuredField.Parameters) {
            values.withEntries { entries in
                for index in entries.indices { set(entries[index].key, entries[index].value) }
            }
        }

        @inline(__always)
        private mutating func set(_ key: String, _ value: StructuredField.BareItem) {
            // The key first: taking the value out counts its text.
            switch true {
            case key.hasBytes(of: "created"): created = value.integerValue.map { UnixTime($0) }
            case key.hasBytes(of: "expires"): expires = value.integerValue.map { UnixTime($0) }
            case key.hasBytes(of: "nonce"): nonce = value.stringValue
            case key.hasBytes(of: "keyid"): keyID = value.stringValue
            case key.hasBytes(of: "alg"): algorithmName = value.stringValue
            case key.hasBytes(of: "tag"): tag = value.stringValue
            default: break
            }
        }
    }

    /// The parameters with their meaning.
    var known: Known { Known(values) }
}
