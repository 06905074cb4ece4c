// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The properties of a stored item, without its secret.
public struct CredentialItem: Sendable, Hashable {
    /// The key by which the item is found.
    public var key: CredentialKey

    /// The label that lists display.
    public var label: String

    /// The content type of the secret: `text/plain` for passwords and other text.
    public var contentType: String

    /// The time of the first save, which the store sets; `nil` before the item is stored, or if the store does not
    /// provide it.
    public var created: Date?

    /// The time of the last save, which the store sets; `nil` before the item is stored, or if the store does not
    /// provide it.
    public var modified: Date?

    /// The location in the store, if the store names locations: the object path in a Secret Service.
    public internal(set) var location: String?

    /// The service that the secret is for.
    public var service: String { key.service }

    /// The account that the secret belongs to.
    public var account: String? { key.account }

    /// Creates an item to be stored.
    ///
    /// - Parameters:
    ///   - key: The key by which the item is found.
    ///   - label: The label that lists display; `nil` to derive it from service and account.
    ///   - contentType: The content type of the secret.
    public init(key: CredentialKey, label: String? = nil, contentType: String = "text/plain") {
        self.key = key
        self.label = label ?? Self.label(of: key)
        self.contentType = contentType
    }

    /// Returns the label that Python keyring uses too, truncated to the maximum length of a label.
    private static func label(of key: CredentialKey) -> String {
        let label =
            key.account.map { "Password for '\($0)' on '\(key.service)'" } ?? "Password for '\(key.service)'"
        var end = label.utf8.count
        guard end > StoreLimits.nameByteCount else { return label }
        end = StoreLimits.nameByteCount
        // Removes up to three more bytes, so that no character is split.
        while end > 0 {
            if let start = String(label.utf8.prefix(end)) { return start }
            end -= 1
        }
        return ""
    }

    /// The text by which the error for ambiguous items names this one.
    var nameForPeople: String { "'\(label)' (\(key))" + (location.map { " at \($0)" } ?? "") }

    func check() throws(KeychainError) {
        try key.check()
        for text in [label, contentType] {
            guard text.utf8.count <= StoreLimits.nameByteCount else {
                throw .overLimit("a label or content type is longer than \(StoreLimits.nameByteCount) bytes")
            }
            guard !text.utf8.contains(0) else {
                throw .invalid("a label or content type contains a NUL character, which is not allowed")
            }
        }
    }
}

/// The limits of an item, in every store.
enum StoreLimits {
    /// The maximum size of a service, account, label, content type, attribute name or value, in bytes of UTF-8.
    static let nameByteCount = 4096
    /// The maximum number of further attributes of an item.
    static let attributeCount = 64
    /// The maximum size of a secret in bytes.
    static let secretByteCount = 1 << 20
    /// The maximum size of a secret that is accepted from a Secret Service, where other programs may have stored it.
    static let receivedSecretByteCount = 16 << 20
    /// The maximum number of items that a Secret Service may list.
    static let listedItemCount = 100_000
}
