// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// What a store knows of an item beside its secret.
public struct CredentialItem: Sendable, Hashable {
    /// What it is found by.
    public var key: CredentialKey

    /// What people see in a list.
    public var label: String

    /// What kind of data the secret is: `text/plain` for passwords and other text.
    public var contentType: String

    /// When it was stored first; `nil` before it is stored, or where the store does not say.
    public internal(set) var created: Date?

    /// When it was stored last; `nil` before it is stored, or where the store does not say.
    public internal(set) var modified: Date?

    /// Its place in the store, where places have names: the object path in a Secret Service.
    public internal(set) var place: String?

    /// What the secret is for.
    public var service: String { key.service }

    /// Whose it is.
    public var account: String? { key.account }

    /// An item to be stored.
    ///
    /// - Parameters:
    ///   - key: What it is found by.
    ///   - label: What people see in a list; made from service and account if `nil`.
    ///   - contentType: What kind of data the secret is.
    public init(key: CredentialKey, label: String? = nil, contentType: String = "text/plain") {
        self.key = key
        self.label = label ?? Self.label(of: key)
        self.contentType = contentType
    }

    /// What Python keyring calls its items too, as much of it as a label may have.
    private static func label(of key: CredentialKey) -> String {
        let label =
            key.account.map { "Password for '\($0)' on '\(key.service)'" } ?? "Password for '\(key.service)'"
        var end = label.utf8.count
        guard end > StoreLimits.nameByteCount else { return label }
        end = StoreLimits.nameByteCount
        // No character is cut in two: one of at most four bytes is left out.
        while end > 0 {
            if let start = String(label.utf8.prefix(end)) { return start }
            end -= 1
        }
        return ""
    }

    /// What the error for several items calls each of them.
    var nameForPeople: String { "'\(label)' (\(key))" + (place.map { " at \($0)" } ?? "") }

    func check() throws(KeychainError) {
        try key.check()
        for text in [label, contentType] {
            guard text.utf8.count <= StoreLimits.nameByteCount else {
                throw .overLimit("a label or content type is longer than \(StoreLimits.nameByteCount) bytes")
            }
            guard !text.utf8.contains(0) else {
                throw .invalid("a label or content type contains a NUL character, which none can")
            }
        }
    }
}
