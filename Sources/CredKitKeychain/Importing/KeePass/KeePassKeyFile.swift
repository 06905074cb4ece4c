// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A key file, which opens a database alone or together with a password.
enum KeePassKeyFile {
    private static let keyByteCount = 32
    private static let malformed = KeychainError.damaged("the key file is damaged: it is no XML of KeePass")

    /// Returns the key: that in XML, 32 bytes, 64 hexadecimal digits, or else the SHA-256 of the file.
    static func key(of file: SecretBytes) throws(KeychainError) -> SecretBytes {
        guard !file.isEmpty else { throw .invalid("the key file is empty") }
        return try file.withSecretBytes { (bytes) throws(KeychainError) -> SecretBytes in
            let isMarked = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
            let text = bytes.extracting((isMarked ? 3 : 0)..<bytes.count)
            var scanner = XMLScanner()
            if let root = try? scanner.next(in: text), root.name == "KeyFile" {
                return try key(ofXML: text, &scanner, root)
            }
            if bytes.count == keyByteCount { return file }
            if let key = MessageDigest<32>(hexDigits: bytes) { return try SecretBytes(digest: key) }
            return try SecretBytes(digest: SHA256.hash(secret: file))
        }
    }

    /// Reads the XML, in which version 1 has Base64, and version 2 hexadecimal digits with the beginning of their SHA-256.
    private static func key(
        ofXML bytes: Span<UInt8>,
        _ scanner: inout XMLScanner,
        _ root: XMLScanner.Tag
    ) throws(KeychainError) -> SecretBytes {
        guard !root.isEmpty else { throw malformed }
        var version = ""
        var data, hash: Range<Int>?
        while let part = try scanner.next(in: bytes) {
            guard part.name == "Meta" || part.name == "Key", !part.isEmpty else {
                try scanner.skip(part, in: bytes)
                continue
            }
            while let tag = try scanner.next(in: bytes) {
                switch (part.name, tag.name) {
                case ("Meta", "Version"):
                    let range = try scanner.text(of: tag, in: bytes)
                    version = String(decoding: range.prefix(16).map { bytes[$0] }, as: UTF8.self)
                case ("Key", "Data"):
                    guard data == nil else { throw malformed }
                    hash = tag.hash
                    data = try scanner.text(of: tag, in: bytes)
                default: try scanner.skip(tag, in: bytes)
                }
            }
        }
        guard let data else { throw malformed }
        let text = try convertingMemory(
            SecretBytes(capacity: data.count) { output in
                XMLScanner.forEachByte(of: data, in: bytes) { byte in
                    if ![9, 10, 13, 32].contains(byte) { output.append(byte) }
                }
            }
        )
        if version.hasPrefix("1.") { return try decoded(text) }
        guard version.hasPrefix("2.") else {
            throw .unsupported("the key file has an unknown version; 1 and 2 are supported")
        }
        guard let key = text.withSecretBytes({ MessageDigest<32>(hexDigits: $0) }) else { throw malformed }
        let secret = try SecretBytes(digest: key)
        guard let hash, let start = try? Hex.decode(bytes.extracting(hash)), start.count == 4,
            start.elementsEqual(SHA256.hash(secret: secret).prefix(4))
        else { throw .damaged("the key file is damaged: its key does not agree with its checksum") }
        return secret
    }

    private static func decoded(_ text: SecretBytes) throws(KeychainError) -> SecretBytes {
        var isValid = false
        let capacity = Base64.standard.maximumDecodedByteCount(of: text.count)
        let key = try convertingMemory(
            SecretBytes(capacity: capacity) { output in
                text.withSecretBytes { text in
                    isValid = (try? Base64.standard.decode(text, into: &output)) != nil
                }
            }
        )
        guard isValid, !key.isEmpty else { throw malformed }
        return key
    }
}
