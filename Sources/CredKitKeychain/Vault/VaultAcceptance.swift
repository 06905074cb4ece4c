// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What ``VaultStore/accept()`` has accepted.
public struct VaultAcceptance: Sendable, Hashable, CustomStringConvertible {
    /// The path of the vault.
    public let path: String
    /// The identifier of the accepted vault, 32 hexadecimal digits; `nil` if there is no vault.
    public let identifier: String?
    /// The generation of the accepted copy: the number of its saves, as far as it knows.
    public let generation: UInt64?
    /// The number of items in it.
    public let itemCount: Int
    /// The identifier of the vault that this account has used at the path before; `nil` if there was none.
    public let previousIdentifier: String?
    /// The newest generation of the accepted vault that this account has seen; `nil` if it has seen none.
    public let newestGenerationSeen: UInt64?
    /// The new path of the backup, if it was newer than the accepted copy or of another vault.
    public let keptFile: String?
    /// Whether the vault differed from what this account has seen.
    public let isChanged: Bool

    /// The acceptance, for people.
    public var description: String {
        guard let identifier, let generation else {
            guard let previousIdentifier else { return "\(path): there is no vault, and none was expected" }
            return "\(path): accepted that there is no vault. Forgot the vault \(previousIdentifier)"
        }
        let items = itemCount == 1 ? "1 item" : "\(itemCount) items"
        let what = "the vault \(identifier), generation \(generation), with \(items)"
        guard isChanged else { return "\(path): \(what) is the known one; nothing to accept" }
        var before: [String] = []
        if let previousIdentifier, previousIdentifier != identifier {
            before.append("vault \(previousIdentifier)")
        }
        if let newestGenerationSeen { before.append("generation \(newestGenerationSeen)") }
        let seen = before.isEmpty ? "" : "; seen before: \(before.joined(separator: ", "))"
        let kept = keptFile.map { "; the previous backup is kept as \($0)" } ?? ""
        return "\(path): accepted \(what)\(seen)\(kept)"
    }
}
