// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// An entry as password managers have it: a password with its notes, one-time codes and fields. It becomes several items.
///
/// Only what identifies the entry becomes attributes, which are public in a Secret Service. Notes and fields often hold
/// recovery codes and answers, so they are stored as secrets.
struct PasswordEntry: Sendable {
    struct Field: Sendable {
        var name: String
        var value: SecretBytes
    }

    /// The service, if the format knows it; otherwise the host of the address, or the title.
    var service: String?
    var title = ""
    var account: String?
    /// The whole address, which may contain a password.
    var address: SecretBytes?
    var folder: String?
    /// Whether the format has a place for folders.
    var hasFolder = true
    var attributes: [String: String] = [:]
    var password: SecretBytes?
    var notes: SecretBytes?
    var oneTimeCode: SecretBytes?
    var fields: [Field] = []
    var created: Date?
    var modified: Date?
    /// The key and label that CredKit wrote into the entry; see ``EntryMarker``.
    var marker: SecretBytes?
    /// What the format has and an item has no place for, by field.
    var leftOut: [(field: String, detail: String)] = []

    private var hasFurtherFields = false

    /// The name in messages.
    var name: String {
        let name = title.isEmpty ? service ?? account ?? "" : title
        return EntryText.clipped((folder.map { $0 + "/" } ?? "") + (name.isEmpty ? "(no title)" : name))
    }

    /// Adds a field, if the entry does not have too many.
    mutating func add(_ name: String, _ value: SecretBytes) {
        guard fields.count < TransferLimits.fieldCount else {
            if !hasFurtherFields {
                leftOut.append(
                    ("further fields", "left out: an entry has at most \(TransferLimits.fieldCount)")
                )
            }
            hasFurtherFields = true
            return
        }
        fields.append(Field(name: name, value: value))
    }
}

/// The ceilings of files of other programs.
enum TransferLimits {
    /// The maximum size of a file in bytes.
    static let fileByteCount = VaultLimits.fileByteCount
    /// The maximum number of entries of a file, and of items that they become.
    static let entryCount = 100_000
    /// The maximum number of fields of an entry.
    static let fieldCount = 100
    /// The maximum number of items with the same service and account. Stores look through all of them for each.
    static let equalCount = 500
    /// The maximum depth of folders and of nested values.
    static let depth = 64
}
