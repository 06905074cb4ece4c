// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension CredentialsJSON {
    /// Writes a document. The public parts are encoded first, so that the size is known before any secret is copied.
    struct Encoder {
        /// The encoded start of an item, with its secret and how to encode it.
        private struct Item {
            var start: [UInt8]
            let secret: SecretBytes
            let isText: Bool

            var byteCount: Int {
                let secretByteCount =
                    isText
                    ? secret.withSecretBytes { secret in
                        var count = 0
                        JSONText.escape(secret) { _ in count += 1 }
                        return count
                    }
                    : Base64.standard.encodedByteCount(of: secret.count)
                return start.count + secretByteCount + Encoder.itemEnd.count
            }
        }

        private static let itemEnd = Array("\"}".utf8)
        private static let separator = Array(",\n".utf8)
        private static let start = Array(
            "{\"format\":\"\(format)\",\"version\":\(version),\"items\":[\n".utf8
        )
        private static let end = Array("\n]}\n".utf8)

        private let items: [Item]

        init(_ credentials: [Credential]) {
            items = credentials.map { credential in
                let isText = credential.secret.isUTF8
                return Item(
                    start: Self.start(of: credential.item, isText: isText),
                    secret: credential.secret,
                    isText: isText
                )
            }
        }

        /// Returns the whole document.
        func document() throws(KeychainError) -> SecretBytes {
            let separators = max(0, items.count - 1) * Self.separator.count
            let capacity =
                items.reduce(Self.start.count + Self.end.count + separators) { $0 + $1.byteCount }
            guard capacity <= byteCountLimit else {
                throw .overLimit("the document would be larger than \(byteCountLimit >> 20) MiB")
            }
            do throws(SecretMemoryError) {
                return try SecretBytes(capacity: capacity) { output in
                    output.append(contentsOf: Self.start.span)
                    for (index, item) in items.enumerated() {
                        if index > 0 { output.append(contentsOf: Self.separator.span) }
                        output.append(contentsOf: item.start.span)
                        item.secret.withSecretBytes { secret in
                            guard item.isText else {
                                Base64.standard.encode(secret, into: &output)
                                return
                            }
                            JSONText.escape(secret) { output.append($0) }
                        }
                        output.append(contentsOf: Self.itemEnd.span)
                    }
                    output.append(contentsOf: Self.end.span)
                }
            } catch {
                throw .outOfMemory
            }
        }

        /// Encodes an item up to the beginning of its secret.
        static func start(of item: CredentialItem, isText: Bool) -> [UInt8] {
            var members: [(String, [UInt8])] = [("service", JSONText.quoted(item.service))]
            if let account = item.account { members.append(("account", JSONText.quoted(account))) }
            let attributes = item.key.attributes.sorted {
                $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
            }
            members.append(("attributes", object(attributes.map { ($0.key, JSONText.quoted($0.value)) })))
            members.append(("label", JSONText.quoted(item.label)))
            members.append(("contentType", JSONText.quoted(item.contentType)))
            for (name, date) in [("created", item.created), ("modified", item.modified)] {
                guard let text = date.flatMap({ Timestamp.text($0) }) else { continue }
                members.append((name, JSONText.quoted(text)))
            }
            return object(members).dropLast()
                + Array((isText ? ",\"secret\":\"" : ",\"secretBase64\":\"").utf8)
        }

        private static func object(_ members: [(String, [UInt8])]) -> [UInt8] {
            let members = members.map { JSONText.quoted($0) + [UInt8(ascii: ":")] + $1 }
            return [UInt8(ascii: "{")] + members.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
        }
    }
}
