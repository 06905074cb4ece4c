// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The program that offers a Secret Service, as far as its process tells.
public enum SecretServiceDaemon: String, Sendable, Hashable {
    /// gnome-keyring.
    case gnomeKeyring = "gnome-keyring"
    /// KeePassXC.
    case keePassXC = "KeePassXC"
    /// KWallet.
    case kWallet = "KWallet"
    /// Another program, or one whose process cannot be seen.
    case other

    /// Recognizes a program by the kernel's name of its process.
    init(process: String?) {
        self =
            switch process {
            case "keepassxc": .keePassXC
            case "kwalletd5", "kwalletd6", "ksecretd": .kWallet
            case let name? where name.hasPrefix("gnome-keyring"): .gnomeKeyring
            default: .other
            }
    }

    /// The properties that the program does not keep, of any item.
    public var limitations: [StoreLimitation] {
        StoreLimitation.times + [StoreLimitation(field: .contentType, detail: contentTypes)]
    }

    private var contentTypes: String {
        switch self {
        case .gnomeKeyring: "text/plain for all items"
        case .keePassXC: "text/plain for texts, application/octet-stream for secrets that are not UTF-8 text"
        case .kWallet: "text/plain for texts, application/octet-stream for all other secrets"
        case .other: "may be replaced"
        }
    }

    /// Returns how the content type of an item changes; `nil` if it does not.
    func contentTypeLimitation(of credential: Credential) -> StoreLimitation? {
        let type = credential.item.contentType
        let sent = credential.sentContentType
        let kept: Bool =
            switch self {
            case .gnomeKeyring: type == "text/plain"
            case .keePassXC, .kWallet, .other:
                type == sent && ["text/plain", "application/octet-stream"].contains(type)
            }
        return kept ? nil : StoreLimitation(field: .contentType, detail: contentTypes)
    }
}

extension Credential {
    /// The content type that is sent with the secret: KeePassXC and KWallet convert text to Unicode, which changes other
    /// bytes.
    var sentContentType: String {
        let type = item.contentType
        guard type.utf8.starts(with: "text/".utf8) else { return type }
        let isText = secret.withSecretBytes { bytes in
            !bytes.indices.contains { bytes[$0] == 0 } && (try? UTF8Span(validating: bytes)) != nil
        }
        return isText ? type : "application/octet-stream"
    }
}

/// The properties of KeePassXC that its items in a Secret Service have (observed with 2.7.4).
enum KeePassXC {
    /// The fields of an entry, which it shows as attributes of every item.
    static let fields: Set<String> = [
        "Title", "UserName", "Password", "URL", "Notes", "Uuid", "Path", "FDO_SECRETS_CONTENT_TYPE",
    ]

    /// Removes the fields from the key of an item that a program has stored with attributes.
    ///
    /// They differ between items that a program stored with the same attributes. An entry that was made in KeePassXC
    /// itself has no other attributes, and keeps them.
    ///
    /// - Parameters:
    ///   - key: The key of the item.
    ///   - path: The object path of the item, whose last part is its `Uuid` in KeePassXC.
    static func removeFields(from key: inout CredentialKey, at path: String) {
        guard let identifier = key.attributes["Uuid"],
            path.utf8.split(separator: UInt8(ascii: "/")).last.map({ $0.elementsEqual(identifier.utf8) })
                == true,
            key.attributes["Title"] != nil, key.attributes["Path"] != nil
        else { return }
        let others = key.attributes.filter { !fields.contains($0.key) }
        let isStoredByAProgram =
            !key.service.isEmpty || key.account != nil
            || others.contains { !CredentialKey.writerMarks.contains($0.key) }
        if isStoredByAProgram { key.attributes = others }
    }
}
