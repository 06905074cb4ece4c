// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Reads CBOR, and writes again what was read.
    static let cbor = FuzzTarget("cbor") { bytes in
        var reader = CBORReader(bytes)
        let value = try? reader.value()
        let isWhole = (try? CBORReader.value(of: bytes)) != nil
        guard let value else {
            try require(!isWhole, "a value that is not read is refused")
            return
        }
        try requireEqual(isWhole, reader.position == bytes.count, "only a whole input is a value")
        try requireEqual(
            CBORWriter.bytes(of: value),
            Array(bytes.prefix(reader.position)),
            "a value has one encoding"
        )
        try require(levels(of: value) <= CBORReader.maximumDepth, "the number of levels has a limit")
        try checkKeys(of: value)
        _ = try? COSEKey(parsing: bytes)
    }

    private static func levels(of value: CBORValue) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map(levels).max() ?? 0)
        case .map(let members): 1 + (members.map { levels(of: $0.value) }.max() ?? 0)
        default: 0
        }
    }

    private static func checkKeys(of value: CBORValue) throws {
        switch value {
        case .array(let elements): for element in elements { try checkKeys(of: element) }
        case .map(let members):
            let keys = Set(members.map { CBORWriter.bytes(of: $0.key) })
            try requireEqual(keys.count, members.count, "a key occurs once")
            for member in members { try checkKeys(of: member.value) }
        default: break
        }
    }
}
