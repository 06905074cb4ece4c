// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The decrypted content of a database, all of which is authentic: a document in XML, in which some texts are encrypted
/// once more.
struct KDBXPayload {
    private static let codeByteCount = 32

    private let content: SecretBytes
    /// Where the document begins.
    private let start: Int
    private let stream: KDBXInnerStream?

    /// Opens a database of version 4: the header is authenticated first, and then each block before it is decrypted.
    init(version4 bytes: [UInt8], _ header: KDBXHeader, _ compositeKey: SecretBytes) throws(KeychainError) {
        let head = bytes.span.extracting(..<header.byteCount)
        var reader = ByteReader(at: header.byteCount, of: "database")
        let digest = try reader.read(Self.codeByteCount, of: bytes.span)
        let code = try reader.read(Self.codeByteCount, of: bytes.span)
        // Before the key is derived: damage is told apart from a wrong password.
        guard ConstantTime.areEqual(SHA256.hash(data: head), digest) else {
            throw .damaged("the database is damaged: its header does not agree with its checksum")
        }
        let keys = try KDBXKeys(header, header.keyDerivation.derive(from: compositeKey))
        let headKey = try keys.codeKey(block: .max)
        guard ConstantTime.areEqual(HMAC<SHA256>.authenticationCode(for: head, using: headKey), code) else {
            throw KDBXKeys.wrong
        }
        let blocks = try KDBXBlocks.authentic(bytes, &reader, keys)
        let plaintext = try convertingCipher(
            .damaged("the database is damaged: it cannot be decrypted"),
            keys.decrypt(blocks.span, header)
        )
        content = try Self.decompressed(plaintext, header)
        (start, stream) = try content.withSecretBytes { (bytes) throws(KeychainError) in
            try Self.innerHeader(bytes)
        }
    }

    /// Opens a database of version 3.1: each block is authenticated after it is decrypted, and the header by the document.
    init(version3 bytes: [UInt8], _ header: KDBXHeader, _ compositeKey: SecretBytes) throws(KeychainError) {
        let keys = try KDBXKeys(header, header.keyDerivation.derive(from: compositeKey))
        let plaintext = try convertingCipher(
            KDBXKeys.wrong,
            keys.decrypt(bytes.span.extracting(header.byteCount...), header)
        )
        let blocks = try plaintext.withSecretBytes { (bytes) throws(KeychainError) -> SecretBytes in
            let count = header.startBytes.count
            guard bytes.count >= count,
                ConstantTime.areEqual(bytes.extracting(..<count), header.startBytes.span)
            else { throw KDBXKeys.wrong }
            return try KDBXBlocks.hashed(bytes.extracting(count...))
        }
        content = try Self.decompressed(blocks, header)
        start = 0
        let (number, key) = header.innerStream
        stream = try KDBXInnerStream(number, key.span)
        try content.withSecretBytes { (xml) throws(KeychainError) in
            try Self.checkHeaderHash(xml, bytes.span.extracting(..<header.byteCount))
        }
    }

    /// Returns the document without encrypted texts.
    func document() throws(KeychainError) -> SecretBytes {
        let document = try content.withSecretBytes { (bytes) throws(KeychainError) in
            try KDBXProtectedTexts.document(bytes.extracting(start...), stream)
        }
        guard PasswordFile.format(of: document) == .keePassXML else {
            throw .damaged("the database is damaged: it has no document of KeePass")
        }
        return document
    }

    private static func decompressed(
        _ plaintext: SecretBytes,
        _ header: KDBXHeader
    ) throws(KeychainError) -> SecretBytes {
        guard header.isCompressed else { return plaintext }
        return try plaintext.withSecretBytes { (bytes) throws(KeychainError) in
            try Gzip.decompress(bytes, limit: TransferLimits.fileByteCount)
        }
    }

    /// Reads the second header of version 4, which has the key of the inner stream, and attachments.
    private static func innerHeader(
        _ bytes: Span<UInt8>
    ) throws(KeychainError) -> (start: Int, stream: KDBXInnerStream?) {
        let malformed = KeychainError.damaged("the database is damaged: its inner header is malformed")
        var reader = ByteReader(of: "database")
        var number: UInt32?
        var key: Range<Int>?
        while true {
            let kind = try reader.number(UInt8.self, of: bytes)
            let count = Int(try reader.number(UInt32.self, of: bytes))
            switch kind {
            case 0:
                _ = try reader.skip(count, of: bytes)
                guard let number, let key else { throw malformed }
                return (reader.position, try KDBXInnerStream(number, bytes.extracting(key)))
            case 1:
                guard count == 4, number == nil else { throw malformed }
                number = try reader.number(UInt32.self, of: bytes)
            case 2:
                guard key == nil else { throw malformed }
                key = try reader.skip(count, of: bytes)
            case 3: _ = try reader.skip(count, of: bytes)
            default: throw malformed
            }
        }
    }

    /// Compares the header of version 3.1 with the digest in the document, without which a changed header, such as one with
    /// another inner stream, would go unnoticed.
    private static func checkHeaderHash(
        _ xml: Span<UInt8>,
        _ header: Span<UInt8>
    ) throws(KeychainError) {
        var scanner = XMLScanner()
        guard let root = try scanner.next(in: xml), root.name == "KeePassFile", !root.isEmpty else {
            throw .damaged("the database is damaged: it has no document of KeePass")
        }
        while let tag = try scanner.next(in: xml) {
            guard tag.name == "Meta", !tag.isEmpty else {
                try scanner.skip(tag, in: xml)
                continue
            }
            while let tag = try scanner.next(in: xml) {
                guard tag.name == "HeaderHash" else {
                    try scanner.skip(tag, in: xml)
                    continue
                }
                let text = xml.extracting(try scanner.text(of: tag, in: xml))
                guard let digest = try? Base64.standard.decode(text),
                    ConstantTime.areEqual(SHA256.hash(data: header), digest)
                else {
                    throw .damaged("the database is damaged: its header does not agree with its document")
                }
                return
            }
        }
        throw .unsupported(
            "the database does not authenticate its header (HeaderHash): open it with KeePass or KeePassXC, and save it again"
        )
    }
}

/// The keys that are derived from the transformed one.
struct KDBXKeys {
    static let wrong = KeychainError.wrongPassphrase(
        "cannot open the database: the password or the key file is wrong, or the file is damaged; a hardware key is not "
            + "supported"
    )

    private let cipherKey: SecretBytes
    private let codeBase: SecretBytes

    init(_ header: KDBXHeader, _ transformedKey: SecretBytes) throws(KeychainError) {
        var (cipher, code) = (SHA256(), SHA512())
        cipher.update(header.masterSeed.span)
        code.update(header.masterSeed.span)
        transformedKey.withSecretBytes { key in
            cipher.update(key)
            code.update(key)
        }
        code.update(data: [UInt8(1)])
        cipherKey = try SecretBytes(digest: cipher.finalizeAndWipe())
        codeBase = try SecretBytes(digest: code.finalizeAndWipe())
    }

    /// Returns the key that authenticates a block; that of the header has the highest number.
    func codeKey(block number: UInt64) throws(KeychainError) -> HMAC<SHA256>.Key {
        var function = SHA512()
        function.update(data: KDBXBlocks.littleEndian(number))
        codeBase.withSecretBytes { function.update($0) }
        return HMAC<SHA256>.Key(try SecretBytes(digest: function.finalizeAndWipe()))
    }

    /// Decrypts.
    func decrypt(_ encrypted: Span<UInt8>, _ header: KDBXHeader) throws(CipherError) -> SecretBytes {
        switch header.cipher {
        case .aes256: try AESCBC.open(encrypted, key: cipherKey, vector: header.vector)
        case .chaCha20: try StreamCipher.chacha20.open(encrypted, key: cipherKey, nonce: header.vector)
        }
    }
}
