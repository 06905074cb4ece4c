// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

extension CredentialsJSON {
    /// Parses a document.
    enum Decoder {
        static func credentials(of bytes: Span<UInt8>) throws(KeychainError) -> [Credential] {
            try checkVersion(of: bytes)
            var credentials: [Credential]?
            var scanner = JSONScanner()
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                switch name {
                case "format", "version": try scanner.skipValue(in: bytes)
                case "items": credentials = try items(&scanner, of: bytes)
                default: throw unknown(name, in: "the document")
                }
            }
            guard let credentials else { throw .damaged("the document has no items") }
            return credentials
        }

        /// Throws if the document has another format or version, before any item is interpreted.
        private static func checkVersion(of bytes: Span<UInt8>) throws(KeychainError) {
            var (isOurs, version): (Bool, Int?) = (false, nil)
            var scanner = JSONScanner()
            guard scanner.peek(in: bytes) == UInt8(ascii: "{") else { throw scanner.malformed }
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                switch name {
                case "format": isOurs = try scanner.text(in: bytes) == format
                case "version": version = try scanner.naturalNumber(in: bytes)
                default: try scanner.skipValue(in: bytes)
                }
            }
            try scanner.finish(in: bytes)
            guard isOurs, let version else {
                throw .damaged("the document has no format and version: expected the format \(format)")
            }
            guard version == CredentialsJSON.version else {
                throw .unsupported(
                    "the document has version \(version); this version of CredKit reads version 1"
                )
            }
        }

        private static func items(
            _ scanner: inout JSONScanner,
            of bytes: Span<UInt8>
        ) throws(KeychainError) -> [Credential] {
            var credentials: [Credential] = []
            var keys: Set<CredentialKey> = []
            try scanner.array(in: bytes) { (scanner) throws(KeychainError) in
                guard credentials.count < itemLimit else {
                    throw .overLimit("the document has more than \(itemLimit) items")
                }
                let credential = try credential(&scanner, of: bytes, number: credentials.count + 1)
                guard keys.insert(credential.item.key).inserted else {
                    throw .invalid("the document has two items with the key \(credential.item.key)")
                }
                credentials.append(credential)
            }
            return credentials
        }

        private static func credential(
            _ scanner: inout JSONScanner,
            of bytes: Span<UInt8>,
            number: Int
        ) throws(KeychainError) -> Credential {
            var texts: [String: String] = [:]
            var dates: [String: Date] = [:]
            var attributes: [String: String] = [:]
            var secret, base64: SecretBytes?
            try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                if scanner.takeNull(in: bytes) {
                    // `null` means that the key is absent, but the key must be a known one.
                    guard names.contains(name) else { throw unknown(name, in: "item \(number)") }
                    return
                }
                switch name {
                case "service", "account", "label", "contentType": texts[name] = try scanner.text(in: bytes)
                case "created", "modified":
                    guard let date = Timestamp.date(try scanner.text(in: bytes)) else {
                        throw .invalid("the time '\(name)' of item \(number) is not ISO 8601 with an offset")
                    }
                    dates[name] = date
                case "attributes":
                    try scanner.object(in: bytes) { (scanner, name) throws(KeychainError) in
                        attributes[name] = try scanner.text(in: bytes)
                    }
                case "secret": secret = try scanner.secretText(in: bytes)
                case "secretBase64":
                    base64 = try decode(base64: scanner.secretText(in: bytes), number: number)
                default: throw unknown(name, in: "item \(number)")
                }
            }
            guard let service = texts["service"] else { throw .damaged("item \(number) has no service") }
            guard let value = secret ?? base64, secret == nil || base64 == nil else {
                throw .damaged("item \(number) must have either 'secret' or 'secretBase64'")
            }
            var item = CredentialItem(
                key: CredentialKey(service: service, account: texts["account"], attributes: attributes),
                label: texts["label"],
                contentType: texts["contentType"]
                    ?? (base64 == nil ? "text/plain" : "application/octet-stream")
            )
            (item.created, item.modified) = (dates["created"], dates["modified"])
            let credential = Credential(item: item, secret: value)
            try credential.check()
            return credential
        }

        private static let names: Set = [
            "service", "account", "attributes", "label", "contentType", "created", "modified", "secret",
            "secretBase64",
        ]

        private static func decode(base64 text: SecretBytes, number: Int) throws(KeychainError) -> SecretBytes
        {
            var isValid = false
            let secret: SecretBytes
            do throws(SecretMemoryError) {
                let capacity = Base64.standard.maximumDecodedByteCount(of: text.count)
                secret = try SecretBytes(capacity: capacity) { output in
                    text.withSecretBytes { text in
                        do throws(Base64.DecodingError) {
                            try Base64.standard.decode(text, into: &output)
                            isValid = true
                        } catch {
                            isValid = false
                        }
                    }
                }
            } catch {
                throw .outOfMemory
            }
            guard isValid else { throw .damaged("the secret of item \(number) is not Base64") }
            return secret
        }

        /// An unknown key that is too long to be a typing error is not repeated.
        private static func unknown(_ name: String, in place: String) -> KeychainError {
            .damaged(
                "\(place) has an unknown key: \(name.utf8.count <= 64 ? "'\(name)'" : "a long one")"
            )
        }
    }
}
