// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// The properties of an item that another program has no place for, as a text in a field of the entry: an item of
/// ``CredentialsJSON`` without its secret. It is ASCII but for printable characters.
enum EntryMarker {
    /// The name of the field.
    static let name = "credkit"

    static func text(_ item: CredentialItem) -> [UInt8] {
        CredentialsJSON.Encoder.start(of: item, isText: true) + Array("\"}".utf8)
    }

    /// Returns the item, or `nil` if the text is no marker.
    static func item(_ text: SecretBytes) -> CredentialItem? {
        let start = Array(
            "{\"format\":\"\(CredentialsJSON.format)\",\"version\":\(CredentialsJSON.version),\"items\":["
                .utf8
        )
        let document = try? SecretBytes(capacity: start.count + text.count + 2) { output in
            output.append(contentsOf: start.span)
            text.withSecretBytes { output.append(contentsOf: $0) }
            output.append(UInt8(ascii: "]"))
            output.append(UInt8(ascii: "}"))
        }
        guard let document, let items = try? CredentialsJSON.decode(document), items.count == 1,
            items[0].secret.isEmpty
        else { return nil }
        return items[0].item
    }
}
