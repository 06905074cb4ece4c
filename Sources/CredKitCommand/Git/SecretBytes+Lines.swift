// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

extension SecretBytes {
    /// Copies a part of another secret.
    init(copying bytes: Span<UInt8>) throws(SecretMemoryError) {
        self = try SecretBytes(capacity: bytes.count) { output in
            for index in bytes.indices { output.append(bytes[index]) }
        }
    }

    /// Concatenates names and values.
    init(joining parts: [(name: String, value: SecretBytes)]) throws(SecretMemoryError) {
        let count = parts.reduce(0) { $0 + $1.name.utf8.count + $1.value.count }
        self = try SecretBytes(capacity: count) { output in
            for part in parts {
                for byte in part.name.utf8 { output.append(byte) }
                part.value.withSecretBytes { value in
                    for index in value.indices { output.append(value[index]) }
                }
            }
        }
    }

    /// Returns the lines, without their line feeds.
    func lines() throws -> [SecretBytes] {
        try withSecretBytes { bytes in
            var lines: [SecretBytes] = []
            var start = 0
            for end in 0...bytes.count where end == bytes.count || bytes[end] == UInt8(ascii: "\n") {
                if start < end || end < bytes.count {
                    lines.append(try SecretBytes(copying: bytes.extracting(start..<end)))
                }
                start = end + 1
            }
            return lines
        }
    }

    /// Returns the value after `name=`, or `nil` if the line does not begin with that.
    func value(of name: String) throws -> SecretBytes? {
        let prefix = Array("\(name)=".utf8)
        return try withSecretBytes { bytes -> SecretBytes? in
            guard bytes.count >= prefix.count, prefix.indices.allSatisfy({ bytes[$0] == prefix[$0] }) else {
                return nil
            }
            return try SecretBytes(copying: bytes.extracting(prefix.count...))
        }
    }

    /// A copy of the bytes on the heap, which is not wiped: for formats that are text anyway.
    var heapCopy: [UInt8] { withSecretBytes { bytes in bytes.indices.map { bytes[$0] } } }
}
