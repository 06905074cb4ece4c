// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitKeychain

/// Writes databases as KeePass does, with one round of key derivation, fixed seeds and ChaCha20.
struct DatabaseWriter {
    static let password = "test"

    /// The key of the inner stream.
    static let streamKey = [UInt8](0..<32)

    /// Returns a file of version 4 with this content: an inner header and a document.
    static func version4(_ content: [UInt8]) throws -> [UInt8] {
        var derivation: [UInt8] = [0, 1]
        derivation += value(0x42, "$UUID", aesKDF)
        derivation += value(0x42, "S", seed)
        derivation += value(0x05, "R", KDBXBlocks.littleEndian(UInt64(1)))
        derivation += [0]
        let head = Self.head(4, 0, [(11, derivation)]) { KDBXBlocks.littleEndian(UInt32($0)) }
        let (header, keys) = try open(head)
        func code(_ number: UInt64, _ message: [UInt8]) throws -> [UInt8] {
            Array(HMAC<SHA256>.authenticationCode(for: message.span, using: try keys.codeKey(block: number)))
        }
        var file = head + Array(SHA256.hash(data: head))
        file += try code(.max, head)
        let encrypted = try keys.decrypt(content.span, header).copy
        for (number, block) in [encrypted, []].enumerated() {
            let size = KDBXBlocks.littleEndian(UInt32(block.count))
            let message = KDBXBlocks.littleEndian(UInt64(number)) + size + block
            file += try code(UInt64(number), message) + size + block
        }
        return file
    }

    /// Returns the inner header of version 4, before the document.
    static let innerHeader: [UInt8] =
        [1, 4, 0, 0, 0, 3, 0, 0, 0, 2, 32, 0, 0, 0] + streamKey + [0, 0, 0, 0, 0]

    /// Returns a file of version 3.1, whose document has these bytes after the digest of the header.
    static func version3(_ xml: [UInt8]) throws -> [UInt8] {
        let fields: [(UInt8, [UInt8])] = [
            (5, seed), (6, KDBXBlocks.littleEndian(UInt64(1))), (8, streamKey), (9, seed),
            (10, [3, 0, 0, 0]),
        ]
        let head = Self.head(3, 1, fields) { KDBXBlocks.littleEndian(UInt16($0)) }
        let (header, keys) = try open(head)
        let digest = Base64.standard.encode(Array(SHA256.hash(data: head)))
        let document =
            Array("<KeePassFile><Meta><HeaderHash>\(digest)</HeaderHash></Meta>".utf8) + xml
        var content = seed
        for (number, block) in [document, []].enumerated() {
            let hash = block.isEmpty ? [UInt8](repeating: 0, count: 32) : Array(SHA256.hash(data: block))
            content += KDBXBlocks.littleEndian(UInt32(number)) + hash
            content += KDBXBlocks.littleEndian(UInt32(block.count)) + block
        }
        let encrypted = try keys.decrypt(content.span, header).copy
        return head + encrypted
    }

    private static let seed = [UInt8](repeating: 9, count: 32)

    private static let aesKDF: [UInt8] = [
        0xC9, 0xD9, 0xF3, 0x9A, 0x62, 0x8A, 0x44, 0x60, 0xBF, 0x74, 0x0D, 0x08, 0xC1, 0x8A, 0x4F, 0xEA,
    ]
    private static let chaCha20: [UInt8] = [
        0xD6, 0x03, 0x8A, 0x2B, 0x8B, 0x6F, 0x4C, 0xB5, 0xA5, 0x24, 0x33, 0x9A, 0x31, 0xDB, 0xB5, 0x9A,
    ]

    /// Returns a header, with the sizes of its fields in this form.
    private static func head(
        _ major: UInt16,
        _ minor: UInt16,
        _ others: [(UInt8, [UInt8])],
        _ size: (Int) -> [UInt8]
    ) -> [UInt8] {
        var fields: [(UInt8, [UInt8])] = [
            (2, chaCha20), (3, [0, 0, 0, 0]), (4, seed), (7, Array(seed.prefix(12))),
        ]
        fields += others
        fields.append((0, []))
        var head = KDBXHeader.signature + [0x67, 0xFB, 0x4B, 0xB5]
        head += KDBXBlocks.littleEndian(minor) + KDBXBlocks.littleEndian(major)
        for (number, value) in fields { head += [number] + size(value.count) + value }
        return head
    }

    private static func value(_ kind: UInt8, _ name: String, _ bytes: [UInt8]) -> [UInt8] {
        let name = Array(name.utf8)
        return [kind] + KDBXBlocks.littleEndian(UInt32(name.count)) + name
            + KDBXBlocks.littleEndian(UInt32(bytes.count)) + bytes
    }

    /// Returns the keys of a file. Its cipher encrypts as it decrypts.
    private static func open(_ head: [UInt8]) throws -> (KDBXHeader, KDBXKeys) {
        let header = try KDBXHeader(head)
        let password = Array(SHA256.hash(data: Array(password.utf8)))
        let key = try SecretBytes(digest: SHA256.hash(data: password))
        return (header, try KDBXKeys(header, header.keyDerivation.derive(from: key)))
    }
}
