// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The parameters of a key derivation, by their names.
struct KDBXVariantDictionary {
    static let malformed = KeychainError.damaged(
        "the database is damaged: the parameters of its key derivation are malformed"
    )

    private enum Value {
        case number(UInt64)
        case bytes([UInt8])
        /// Signed numbers, Booleans and texts, which no key derivation has.
        case other
    }

    private let values: [String: Value]

    init(_ bytes: [UInt8]) throws(KeychainError) {
        let span = bytes.span
        var reader = ByteReader(of: "database")
        // The higher byte of the version changes if the form does.
        guard try reader.number(UInt16.self, of: span) >> 8 == 1 else {
            throw .unsupported("the parameters of the database's key derivation have an unknown form")
        }
        var values: [String: Value] = [:]
        while true {
            let kind = try reader.number(UInt8.self, of: span)
            if kind == 0 { break }
            let utf8 = try reader.read(Int(reader.number(UInt32.self, of: span)), of: span)
            let count = Int(try reader.number(UInt32.self, of: span))
            let value: Value
            switch (kind, count) {
            case (0x04, 4): value = .number(UInt64(try reader.number(UInt32.self, of: span)))
            case (0x05, 8): value = .number(try reader.number(UInt64.self, of: span))
            case (0x42, _): value = .bytes(try reader.read(count, of: span))
            case (0x08, 1), (0x0C, 4), (0x0D, 8), (0x18, _):
                _ = try reader.skip(count, of: span)
                value = .other
            default: throw Self.malformed
            }
            guard let name = String(validating: utf8, as: UTF8.self),
                values.updateValue(value, forKey: name) == nil
            else { throw Self.malformed }
        }
        guard reader.position == bytes.count else { throw Self.malformed }
        self.values = values
    }

    func number(_ name: String) throws(KeychainError) -> UInt64 {
        guard case .number(let number) = values[name] else { throw Self.malformed }
        return number
    }

    func bytes(_ name: String) throws(KeychainError) -> [UInt8] {
        guard let bytes = try bytesIfPresent(name) else { throw Self.malformed }
        return bytes
    }

    func bytesIfPresent(_ name: String) throws(KeychainError) -> [UInt8]? {
        guard let value = values[name] else { return nil }
        guard case .bytes(let bytes) = value else { throw Self.malformed }
        return bytes
    }
}
