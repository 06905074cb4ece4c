// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The stream that encrypts some texts of a document once more. It goes on from one to the next.
struct KDBXInnerStream {
    private let cipher: StreamCipher
    private let key: SecretBytes
    private let nonce: [UInt8]

    /// Derives key and nonce; `nil` if nothing is encrypted.
    init?(_ number: UInt32, _ key: Span<UInt8>) throws(KeychainError) {
        switch number {
        case 0: return nil
        case 2:
            cipher = .salsa20
            self.key = try SecretBytes(digest: SHA256.hash(wiping: key))
            nonce = [0xE8, 0x30, 0x09, 0x4B, 0x97, 0x20, 0x5D, 0x2A]
        case 3:
            cipher = .chacha20
            let digest = SHA512.hash(wiping: key)
            self.key = try SecretBytes(digest: digest.prefix(StreamCipher.keyByteCount))
            nonce = Array(digest.dropFirst(StreamCipher.keyByteCount).prefix(cipher.nonceByteCount))
        default:
            throw .unsupported("the passwords in the database are encrypted in an unknown way")
        }
    }

    /// Decrypts all texts of a document at once.
    func open(_ encrypted: SecretBytes) throws(KeychainError) -> SecretBytes {
        try encrypted.withSecretBytes { (bytes) throws(KeychainError) in
            try convertingCipher(.damaged, cipher.open(bytes, key: key, nonce: nonce))
        }
    }
}

/// Decrypts the texts of a document that have the attribute `Protected`.
enum KDBXProtectedTexts {
    private struct Text {
        /// The value of the attribute.
        let mark: Range<Int>
        /// The encrypted text, in Base64.
        let encoded: Range<Int>
        /// The decrypted text, among all others.
        let decrypted: Range<Int>
    }

    /// Returns a copy of a document in which the texts stand as CDATA. That can have every character, as a password can.
    static func document(
        _ xml: Span<UInt8>,
        _ stream: KDBXInnerStream?
    ) throws(KeychainError) -> SecretBytes {
        var scanner = XMLScanner()
        var (marks, encoded): ([Range<Int>], [Range<Int>]) = ([], [])
        // Attachments, which are no text and not read: in version 3.1 and in older writers they stand in the document.
        var attachments: Set<Int> = []
        while let (tag, text, parent) = try scanner.nextProtected(in: xml) {
            guard let mark = tag.protection else { continue }
            if tag.name == "Binary" || parent == "Binary" { attachments.insert(marks.count) }
            marks.append(mark)
            encoded.append(text)
        }
        let (encrypted, ranges) = try decoded(encoded, in: xml)
        let decrypted: SecretBytes
        if encrypted.isEmpty {
            decrypted = encrypted
        } else {
            guard let stream else {
                throw .damaged("the database is damaged: it has encrypted passwords, but no key for them")
            }
            decrypted = try stream.open(encrypted)
        }
        let texts = marks.indices.map { index -> Text in
            let range = attachments.contains(index) ? 0..<0 : ranges[index]
            return Text(mark: marks[index], encoded: encoded[index], decrypted: range)
        }
        return try decrypted.withSecretBytes { (decrypted) throws(KeychainError) -> SecretBytes in
            for text in texts where !isUTF8(decrypted.extracting(text.decrypted)) {
                throw .damaged("the database is damaged: an encrypted text in it is not UTF-8")
            }
            return try EntryText.document { write(xml, texts, decrypted, $0) }
        }
    }

    /// Decodes the texts, one after the other.
    private static func decoded(
        _ texts: [Range<Int>],
        in xml: Span<UInt8>
    ) throws(KeychainError) -> (encrypted: SecretBytes, ranges: [Range<Int>]) {
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(texts.count)
        let capacity = texts.reduce(0) { $0 + Base64.standard.maximumDecodedByteCount(of: $1.count) }
        let encrypted = try convertingMemory(
            SecretBytes(capacity: capacity) { output in
                for text in texts {
                    let start = output.count
                    do throws(Base64.DecodingError) {
                        try Base64.standard.decode(xml.extracting(text), into: &output)
                    } catch {
                        return
                    }
                    ranges.append(start..<output.count)
                }
            }
        )
        guard ranges.count == texts.count else {
            throw .damaged("the database is damaged: an encrypted text in it is not Base64")
        }
        return (encrypted, ranges)
    }

    private static func write(
        _ xml: Span<UInt8>,
        _ texts: [Text],
        _ decrypted: Span<UInt8>,
        _ emit: (UInt8) -> Void
    ) {
        func plain(_ text: String) { for byte in text.utf8 { emit(byte) } }
        var position = 0
        for text in texts {
            for index in position..<text.mark.lowerBound { emit(xml[index]) }
            plain("False")
            for index in text.mark.upperBound..<text.encoded.lowerBound { emit(xml[index]) }
            position = text.encoded.upperBound
            guard !text.decrypted.isEmpty else { continue }
            plain("<![CDATA[")
            var bracketCount = 0
            for index in text.decrypted {
                let byte = decrypted[index]
                // The end of a section cannot stand within it.
                if byte == UInt8(ascii: ">"), bracketCount >= 2 { plain("]]><![CDATA[") }
                bracketCount = byte == UInt8(ascii: "]") ? bracketCount + 1 : 0
                emit(byte)
            }
            plain("]]>")
        }
        for index in position..<xml.count { emit(xml[index]) }
    }

    private static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes)
            return true
        } catch {
            return false
        }
    }
}
