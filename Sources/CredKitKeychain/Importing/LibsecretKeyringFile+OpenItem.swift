// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

extension LibsecretKeyringFile {
    /// The decrypted content of an item.
    struct OpenItem {
        /// The attribute in which oo7 stores the content type.
        private static let contentTypeName = "xdg:content-type"

        let attributes: [String: String]
        let credential: Credential

        init(_ bytes: Span<UInt8>) throws(KeychainError) {
            var fields = try GVariant.Tuple(bytes.indices, offsetCount: 2)
            var attributes: [String: String] = [:]
            let ranges = try GVariant.elements(of: fields.member(in: bytes), limit: attributeLimit, in: bytes)
            for range in ranges {
                var entry = try GVariant.Tuple(range, offsetCount: 1)
                let name = try GVariant.string(entry.member(in: bytes), in: bytes)
                let value = try GVariant.string(entry.last, in: bytes)
                guard attributes.updateValue(value, forKey: name) == nil else { throw GVariant.malformed }
            }
            let label = try GVariant.string(fields.member(in: bytes), in: bytes)
            let created = try Self.date(fields.number(UInt64.self, in: bytes))
            let modified = try Self.date(fields.number(UInt64.self, in: bytes))
            let secret: SecretBytes
            do throws(SecretMemoryError) {
                secret = try SecretBytes(bytes.extracting(fields.last))
            } catch {
                throw .outOfMemory
            }
            self.attributes = attributes
            let contentType = attributes.removeValue(forKey: Self.contentTypeName)
            var item = CredentialItem(
                key: CredentialKey(allAttributes: attributes),
                label: label,
                contentType: contentType ?? (secret.isUTF8 ? "text/plain" : "application/octet-stream")
            )
            (item.created, item.modified) = (created, modified)
            credential = Credential(item: item, secret: secret)
        }

        private static func date(_ seconds: UInt64) throws(KeychainError) -> Date {
            guard let date = Timestamp.date(seconds: seconds) else { throw GVariant.malformed }
            return date
        }
    }
}
