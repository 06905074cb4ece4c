// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A value of CBOR ([RFC 8949](https://www.rfc-editor.org/rfc/rfc8949)), of the kinds that authenticators write.
package enum CBORValue: Sendable, Hashable {
    /// A member of a map.
    package struct Member: Sendable, Hashable {
        package let key: CBORValue
        package let value: CBORValue

        package init(key: CBORValue, value: CBORValue) {
            self.key = key
            self.value = value
        }
    }

    case unsigned(UInt64)
    /// The number −1 − n.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    /// Members in the order of the encoding, whose keys differ.
    case map([Member])
    case bool(Bool)
    case null

    package static func integer(_ value: Int) -> CBORValue {
        value < 0 ? .negative(UInt64(-1 - value)) : .unsigned(UInt64(value))
    }

    /// The number, if it is one that fits.
    var integer: Int? {
        switch self {
        case .unsigned(let number): Int(exactly: number)
        case .negative(let number): Int(exactly: number).map { -1 - $0 }
        default: nil
        }
    }

    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var map: [Member]? { if case .map(let members) = self { members } else { nil } }

    /// Returns whether two keys of a map are one. Texts are compared as bytes, as they are in CBOR.
    fileprivate func isSameKey(as other: CBORValue) -> Bool {
        if case .text(let text) = self, case .text(let otherText) = other {
            return text.utf8.elementsEqual(otherText.utf8)
        }
        return self == other
    }
}

extension [CBORValue.Member] {
    /// The value of a key; `nil` if there is none.
    subscript(key: CBORValue) -> CBORValue? { first { $0.key.isSameKey(as: key) }?.value }
}
