// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// An item with its secret.
public struct Credential: Sendable {
    /// All properties except the secret.
    public var item: CredentialItem

    /// The secret. It prints as `‹redacted›`.
    public var secret: SecretBytes

    /// Creates a credential from an item and its secret.
    ///
    /// - Parameters:
    ///   - item: All properties except the secret.
    ///   - secret: The secret, at most 1 MiB.
    public init(item: CredentialItem, secret: SecretBytes) {
        self.item = item
        self.secret = secret
    }

    /// Throws if the credential cannot be stored.
    package func check() throws(KeychainError) {
        try item.check()
        guard secret.count <= StoreLimits.secretByteCount else {
            throw .overLimit("a secret is longer than \(StoreLimits.secretByteCount) bytes")
        }
    }
}

extension Credential {
    /// Returns whether secret, label and content type are the same.
    func hasSameContent(as other: Credential) -> Bool {
        secret == other.secret && item.label.utf8.elementsEqual(other.item.label.utf8)
            && item.contentType.utf8.elementsEqual(other.item.contentType.utf8)
    }
}
