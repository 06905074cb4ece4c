// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A property of an entry that is not kept, or not kept unchanged, when entries are imported from another program, or exported to one.
public struct TransferLoss: Sendable, Hashable {
    /// The name of the entry, as the other program shows it.
    public var entry: String

    /// The property: `label`, `attachment`, the name of a field. Empty if the whole entry is left out.
    public var field: String

    /// What happens to it.
    public var detail: String

    /// Whether the property is kept in another form, such as a time without fractions of a second. Otherwise it is lost.
    public var isKept: Bool

    /// Whether the entry, or its second factor, should have been read, and could not be: an import is incomplete then.
    public var isFailure: Bool

    /// What kind of property it is: that of several attachments with names of their own, for instance, is `attachment`.
    package var kind: String

    init(entry: String, field: String, detail: String, isKept: Bool = false, isFailure: Bool = false) {
        (self.entry, self.field, self.detail) = (entry, field, detail)
        (self.isKept, self.isFailure, kind) = (isKept, isFailure, field)
    }
}

/// The items of a file of another program, and what of it was left out.
public struct PasswordImport: Sendable {
    /// The items with their secrets, each with a key of its own.
    public var credentials: [Credential]

    /// What is not kept, in the order of the entries: the first 10,000 losses. Long names in it are shortened.
    public var losses: [TransferLoss]

    /// How many further losses are not listed.
    public var unlistedLossCount = 0

    /// How many entries, or their second factors, should have been read, and could not be: those of the losses that are a
    /// ``TransferLoss/isFailure``, listed or not.
    public var failureCount: Int

    /// Describes the content of a file of which nothing was left out.
    ///
    /// - Parameters:
    ///   - credentials: The items with their secrets.
    ///   - losses: What is not kept.
    public init(_ credentials: [Credential], losses: [TransferLoss] = []) {
        (self.credentials, self.losses) = (credentials, losses)
        failureCount = losses.count { $0.isFailure }
    }
}
