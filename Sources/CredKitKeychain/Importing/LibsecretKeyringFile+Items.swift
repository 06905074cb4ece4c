// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension LibsecretKeyringFile {
    /// The parsed content of a keyring file, before anything is decrypted.
    struct Keyring {
        let salt: [UInt8]
        let iterations: Int
        let items: [SealedItem]

        /// Parses the content after magic and version.
        init(_ whole: [UInt8]) throws(KeychainError) {
            let bytes = whole.span
            var keyring = try GVariant.Tuple(magic.count + 2..<whole.count, offsetCount: 1)
            let saltByteCount = try keyring.number(UInt32.self, in: bytes)
            salt = try keyring.member(in: bytes).map { bytes[$0] }
            guard UInt32(exactly: salt.count) == saltByteCount else { throw GVariant.malformed }
            let iterations = try Int(keyring.number(UInt32.self, in: bytes))
            guard iterations > 0 else { throw GVariant.malformed }
            guard iterations <= iterationLimit else {
                throw .overLimit(
                    "the keyring requires \(iterations) iterations of PBKDF2, but at most \(iterationLimit) are allowed"
                )
            }
            self.iterations = iterations
            // Skips the time of the last change, and the number of changes.
            _ = try keyring.number(UInt64.self, in: bytes)
            _ = try keyring.number(UInt32.self, in: bytes)
            var items: [SealedItem] = []
            for range in try GVariant.elements(of: keyring.last, limit: itemLimit, in: bytes) {
                items.append(try SealedItem(range, in: bytes))
            }
            self.items = items
        }
    }

    /// An encrypted item.
    struct SealedItem {
        private static let codeByteCount = 32

        /// The name of each attribute, with the position of its value's HMAC.
        private let attributes: [(name: String, code: Range<Int>)]
        private let encrypted: Range<Int>
        private let vector: Range<Int>
        private let code: Range<Int>

        init(_ range: Range<Int>, in bytes: Span<UInt8>) throws(KeychainError) {
            var item = try GVariant.Tuple(range, offsetCount: 1)
            var attributes: [(name: String, code: Range<Int>)] = []
            let entries = try GVariant.elements(of: item.member(in: bytes), limit: attributeLimit, in: bytes)
            for range in entries {
                var entry = try GVariant.Tuple(range, offsetCount: 1)
                let name = try GVariant.string(entry.member(in: bytes), in: bytes)
                guard entry.last.count == Self.codeByteCount else { throw GVariant.malformed }
                attributes.append((name, entry.last))
            }
            self.attributes = attributes
            let blob = item.last
            let codeStart = blob.upperBound - Self.codeByteCount
            let vectorStart = codeStart - AESCBC.blockByteCount
            guard vectorStart > blob.lowerBound,
                (vectorStart - blob.lowerBound).isMultiple(of: AESCBC.blockByteCount)
            else { throw GVariant.malformed }
            encrypted = blob.lowerBound..<vectorStart
            vector = vectorStart..<codeStart
            code = codeStart..<blob.upperBound
        }

        /// Returns whether the item was authenticated with the key.
        func isAuthentic(in bytes: [UInt8], _ key: HMAC<SHA256>.Key) -> Bool {
            let message = bytes.span.extracting(encrypted.lowerBound..<vector.upperBound)
            let code = HMAC<SHA256>.authenticationCode(for: message, using: key)
            return ConstantTime.areEqual(code, bytes[self.code])
        }

        /// Decrypts the item, which must be authentic.
        func open(
            in bytes: [UInt8],
            _ key: SecretBytes,
            _ codeKey: HMAC<SHA256>.Key
        ) throws(KeychainError) -> Credential {
            let plaintext: SecretBytes
            do throws(CipherError) {
                let encrypted = bytes.span.extracting(encrypted)
                plaintext = try AESCBC.open(encrypted, key: key, vector: Array(bytes[vector]))
            } catch .notAuthentic {
                throw GVariant.malformed
            } catch {
                throw .outOfMemory
            }
            let item = try plaintext.withSecretBytes { (plaintext) throws(KeychainError) in
                try OpenItem(plaintext)
            }
            for (name, code) in attributes {
                // Other programs find the item by these attributes, and an attacker must not be able to exchange them.
                guard let value = item.attributes[name],
                    ConstantTime.areEqual(
                        HMAC<SHA256>.authenticationCode(for: value.utf8Span.span, using: codeKey),
                        bytes[code]
                    )
                else {
                    throw .damaged(
                        "the keyring is damaged: an item's encrypted and searchable attributes differ"
                    )
                }
            }
            return item.credential
        }
    }
}
